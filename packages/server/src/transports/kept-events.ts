/**
 * What a session has said on its streams, kept for a client that comes back:
 * so many events, so many bytes, and the oldest go first.
 */
import { Crowd, type Linked } from "../crowd.ts";

/** A stream on which events are said. */
export interface Speaking {
  readonly name: string;
  /** What is kept of what it said, from the oldest on. */
  readonly kept: KeptEvent[];
  /** The number of its last event. */
  readonly count: number;
  /** When everything was said, once it is. */
  readonly doneAt: number | undefined;
}

export class KeptEvent implements Linked<KeptEvent> {
  readonly stream: Speaking;
  /** Its place in the stream, from 1. */
  readonly number: number;
  readonly data: string;
  readonly bytes: number;
  before: KeptEvent | undefined;
  after: KeptEvent | undefined;

  constructor(stream: Speaking, data: string) {
    this.stream = stream;
    this.number = stream.count;
    this.data = data;
    this.bytes = Buffer.byteLength(data);
  }
}

const NONE: readonly KeptEvent[] = [];

export class KeptEvents {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #all = new Crowd<KeptEvent>();
  #bytes = 0;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** Keeps what a stream has just said; gives back the events that had to go for it. */
  keep(stream: Speaking, data: string): readonly KeptEvent[] {
    const event = new KeptEvent(stream, data);
    stream.kept.push(event);
    this.#all.add(event);
    this.#bytes += event.bytes;
    return this.#isOver() ? this.#shed() : NONE;
  }

  /** Lets go of everything that a stream said. */
  forget({ kept }: Speaking): void {
    for (const event of kept) this.#drop(event);
    kept.length = 0;
  }

  #isOver(): boolean {
    return this.#all.size > this.#most || this.#bytes > this.#mostBytes;
  }

  #shed(): readonly KeptEvent[] {
    const gone: KeptEvent[] = [];
    for (let oldest = this.#all.first; oldest !== undefined && this.#isOver(); oldest = this.#all.first) {
      gone.push(oldest);
      this.#drop(oldest);
      // The oldest of all is the oldest of its stream.
      oldest.stream.kept.shift();
    }
    return gone;
  }

  #drop(event: KeptEvent): void {
    this.#all.remove(event);
    this.#bytes -= event.bytes;
  }
}
