/**
 * What a session has said on its streams, kept for a client that comes back:
 * so many events, so many bytes, and the oldest go first.
 */
import { Few } from "../few.ts";

export interface KeptEvent {
  readonly stream: string;
  /** Its place in the stream, from 1. */
  readonly number: number;
  readonly data: string;
}

/** One of a chain, from the oldest to the newest. */
interface Linked extends KeptEvent {
  readonly bytes: number;
  older: Linked | undefined;
  newer: Linked | undefined;
}

const NONE: readonly KeptEvent[] = [];

export class KeptEvents {
  readonly #most: number;
  readonly #mostBytes: number;
  #oldest: Linked | undefined;
  #newest: Linked | undefined;
  /** Those of each stream that has any: they are looked for with every stream that somebody listens to. */
  readonly #byStream = new Few<string, Linked[]>();
  #count = 0;
  #bytes = 0;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** Keeps an event; gives back those that had to go for it. */
  keep({ stream, number, data }: KeptEvent): readonly KeptEvent[] {
    const bytes = Buffer.byteLength(data);
    const event: Linked = { stream, number, data, bytes, older: this.#newest, newer: undefined };
    if (this.#newest === undefined) this.#oldest = event;
    else this.#newest.newer = event;
    this.#newest = event;
    this.#count += 1;
    this.#bytes += bytes;
    const told = this.#byStream.get(stream);
    if (told === undefined) this.#byStream.set(stream, [event]);
    else told.push(event);
    return this.#isOver() ? this.#shed() : NONE;
  }

  /** What a stream said after an event of it. */
  after(stream: string, number: number): readonly KeptEvent[] {
    return this.#byStream.get(stream)?.filter((event) => event.number > number) ?? NONE;
  }

  /** Lets go of everything these streams said. */
  forget(streams: ReadonlySet<string>): void {
    for (const stream of streams) {
      for (const event of this.#byStream.get(stream) ?? []) this.#drop(event);
      this.#byStream.delete(stream);
    }
  }

  #isOver(): boolean {
    return this.#count > this.#most || this.#bytes > this.#mostBytes;
  }

  #shed(): readonly KeptEvent[] {
    const gone: KeptEvent[] = [];
    while (this.#oldest !== undefined && this.#isOver()) {
      const { stream } = this.#oldest;
      gone.push(this.#oldest);
      this.#drop(this.#oldest);
      const left = this.#byStream.get(stream);
      // The oldest of all is the oldest of its stream.
      left?.shift();
      if (left?.length === 0) this.#byStream.delete(stream);
    }
    return gone;
  }

  #drop({ bytes, older, newer }: Linked): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    this.#count -= 1;
    this.#bytes -= bytes;
  }
}
