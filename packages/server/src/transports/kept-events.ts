/**
 * What a session has said on its streams, kept for a client that comes back:
 * so many events, so many bytes, and the oldest go first.
 */
import { Crowd, type Linked } from "../crowd.ts";
import { Roster } from "../roster.ts";

export interface KeptEvent {
  readonly stream: string;
  /** Its place in the stream, from 1. */
  readonly number: number;
  readonly data: string;
}

/** One that is kept, among the older and the newer ones. */
interface Weighed extends KeptEvent, Linked<Weighed> {
  readonly bytes: number;
}

const NONE: readonly KeptEvent[] = [];

export class KeptEvents {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #all = new Crowd<Weighed>();
  /** Those of each stream that has any: they are looked for with every stream that somebody listens to. */
  readonly #byStream = new Roster<string, Weighed[]>();
  #bytes = 0;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** Keeps an event; gives back those that had to go for it. */
  keep({ stream, number, data }: KeptEvent): readonly KeptEvent[] {
    const bytes = Buffer.byteLength(data);
    const event: Weighed = { stream, number, data, bytes, before: undefined, after: undefined };
    this.#all.add(event);
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
    return this.#all.size > this.#most || this.#bytes > this.#mostBytes;
  }

  #shed(): readonly KeptEvent[] {
    const gone: KeptEvent[] = [];
    for (let oldest = this.#all.first; oldest !== undefined && this.#isOver(); oldest = this.#all.first) {
      const { stream } = oldest;
      gone.push(oldest);
      this.#drop(oldest);
      const left = this.#byStream.get(stream);
      // The oldest of all is the oldest of its stream.
      left?.shift();
      if (left?.length === 0) this.#byStream.delete(stream);
    }
    return gone;
  }

  #drop(event: Weighed): void {
    this.#all.remove(event);
    this.#bytes -= event.bytes;
  }
}
