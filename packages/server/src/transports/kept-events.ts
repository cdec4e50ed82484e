/**
 * What a session has said on its streams, kept for a client that comes back:
 * so many events, so many bytes, and the oldest go first.
 */
export interface KeptEvent {
  readonly stream: string;
  /** Its place in the stream, from 1. */
  readonly number: number;
  readonly data: string;
}

interface Weighed extends KeptEvent {
  readonly bytes: number;
}

export class KeptEvents {
  readonly #most: number;
  readonly #mostBytes: number;
  #events: Weighed[] = [];
  #bytes = 0;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** Keeps an event; gives back those that had to go for it. */
  keep(event: KeptEvent): readonly KeptEvent[] {
    const bytes = Buffer.byteLength(event.data);
    this.#events.push({ ...event, bytes });
    this.#bytes += bytes;
    const gone: KeptEvent[] = [];
    while (this.#events.length > this.#most || this.#bytes > this.#mostBytes) {
      const oldest = this.#events.shift();
      if (oldest === undefined) break;
      this.#bytes -= oldest.bytes;
      gone.push(oldest);
    }
    return gone;
  }

  /** What a stream said after an event of it. */
  after(stream: string, number: number): readonly KeptEvent[] {
    return this.#events.filter((event) => event.stream === stream && event.number > number);
  }

  /** Lets go of everything these streams said. */
  forget(streams: ReadonlySet<string>): void {
    this.#events = this.#events.filter(({ stream }) => !streams.has(stream));
    this.#bytes = this.#events.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
