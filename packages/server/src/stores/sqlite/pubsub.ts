/** Pub/sub between the processes of one file: messages are rows of a table, which is polled while there are subscribers. */
import { ChannelListeners } from "../channel-listeners.ts";
import { type Command, prepareCommand, prepareQuery, type Query, type Sqlite } from "./database.ts";

const POLL_INTERVAL_MS = 100;
/** How long other processes can read a message, by the monotonic clock. */
const MESSAGE_LIFETIME_MS = 60_000;

interface MessageRow {
  readonly id: number;
  readonly channel: string;
  readonly message: string;
}

export class SqliteMessages {
  readonly #insert: Command;
  readonly #after: Query<MessageRow>;
  readonly #lastId: Query<Pick<MessageRow, "id">>;
  readonly #dataVersion: Query<{ readonly data_version: number }>;
  readonly #listeners = new ChannelListeners();
  #timer: NodeJS.Timeout | undefined;
  /** The id of the last message that was delivered. */
  #delivered = 0;
  /** The data version that was read with it. It changes with each write of another connection. */
  #version: number | undefined;

  constructor(database: Sqlite) {
    this.#insert = prepareCommand(
      database,
      "INSERT INTO messages (channel, message, since, until) VALUES (?, ?, ?, ?)",
    );
    this.#after = prepareQuery(
      database,
      "SELECT id, channel, message FROM messages WHERE id > ? ORDER BY id",
    );
    this.#lastId = prepareQuery(database, "SELECT seq AS id FROM sqlite_sequence WHERE name = 'messages'");
    this.#dataVersion = prepareQuery(database, "PRAGMA data_version");
  }

  /** Writes a message, in a transaction of the caller. `now` is the time of the monotonic clock. */
  publish(channel: string, message: string, now: number): void {
    this.#insert(channel, message, now, now + MESSAGE_LIFETIME_MS);
  }

  subscribe(channel: string, onMessage: (message: string) => void, onGap?: () => void): () => void {
    // A new subscriber gets no earlier messages.
    if (this.#timer === undefined) this.#delivered = this.#lastId.one()?.id ?? 0;
    else this.deliverNew();
    const unsubscribe = this.#listeners.add(channel, onMessage, onGap);
    this.#timer ??= setInterval(() => this.#poll(), POLL_INTERVAL_MS).unref();
    return () => {
      unsubscribe();
      if (this.#listeners.names.length === 0) this.close();
    };
  }

  /** Delivers new messages. Messages have consecutive ids: one that is missing was deleted before it was read. */
  deliverNew(): void {
    if (this.#timer === undefined) return;
    const before = this.#delivered;
    const found = this.#after.all(before);
    for (const { id, channel, message } of found) {
      this.#delivered = id;
      this.#listeners.emit(channel, message);
    }
    if (found.length === 0) this.#delivered = this.#lastId.one()?.id ?? before;
    if (this.#delivered !== before + found.length) this.#listeners.emitGap();
  }

  close(): void {
    this.#listeners.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    try {
      // Cheaper than a query of the messages.
      const version = this.#dataVersion.one()?.data_version;
      if (version === this.#version) return;
      this.deliverNew();
      this.#version = version;
    } catch {
      // If the file cannot be read now, the next poll reads it.
    }
  }
}
