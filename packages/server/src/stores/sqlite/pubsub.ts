/** What is published, by any process that has opened the file: rows of a table, at which we look while somebody listens. */
import { ChannelListeners } from "../listeners.ts";
import { type Statements, unescape } from "./statements.ts";

/** How often we look, in milliseconds. */
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
    // What was published before is not for whoever comes now.
    if (this.#listeners.size === 0) this.#last = this.#statements.lastMessage.one()?.id ?? 0;
    else this.look();
    const end = this.#listeners.add(channel, onMessage, onGap);
    this.#timer ??= setInterval(() => this.#lookAgain(), PAUSE).unref();
    return () => {
      end();
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Tells what was published since. Messages have consecutive ids: one that is missing was deleted before it was read. */
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
      // Cheaper than to look: it says whether anybody else has written.
      const changes = this.#statements.changes.one()?.data_version;
      if (changes === this.#changes) return;
      this.look();
      this.#changes = changes;
    } catch {
      // A file that cannot be read now is looked at again.
    }
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
