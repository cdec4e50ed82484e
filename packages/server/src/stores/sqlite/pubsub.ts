/** Pub/sub between the processes of one file: messages are rows of a table, which is polled while there are subscribers. */
import { ChannelListeners } from "../listeners.ts";
import { type Statements, unescape } from "./statements.ts";

/** The polling interval, in milliseconds. */
const PAUSE = 100;

export class SqliteMessages {
  readonly #statements: Statements;
  readonly #listeners = new ChannelListeners();
  #timer: NodeJS.Timeout | undefined;
  /** The last message that was told, and what SQLite counted of others' changes then. */
  #last = 0;
  #changes: number | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  listen(channel: string, onMessage: (message: string) => void, onGap?: () => void): () => void {
    // A new subscriber gets no earlier messages.
    if (this.#listeners.size === 0) this.#last = this.#statements.lastMessage.one()?.id ?? 0;
    else this.look();
    const end = this.#listeners.add(channel, onMessage, onGap);
    this.#timer ??= setInterval(() => this.#lookAgain(), PAUSE).unref();
    return () => {
      end();
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Delivers new messages. Messages have consecutive ids: one that is missing was deleted before it was read. */
  look(): void {
    if (this.#listeners.size === 0) return;
    const before = this.#last;
    const found = this.#statements.messages.all(before);
    for (const { id, channel, message } of found) {
      this.#last = id;
      this.#listeners.emit(unescape(channel), unescape(message));
    }
    if (found.length === 0) this.#last = this.#statements.lastMessage.one()?.id ?? before;
    if (this.#last !== before + found.length) this.#listeners.emitGap();
  }

  end(): void {
    this.#listeners.clear();
    this.#rest();
  }

  #lookAgain(): void {
    try {
      // Cheaper than a query: it changes when another process has written.
      const changes = this.#statements.changes.one()?.data_version;
      if (changes === this.#changes) return;
      this.look();
      this.#changes = changes;
    } catch {
      // If the file cannot be read now, the next poll reads it.
    }
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
