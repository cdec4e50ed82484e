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
  /** The oldest first. */
  readonly #events = new Set<Weighed>();
  /** Those of each stream that has any: they are looked for with every stream that somebody listens to. */
  readonly #byStream = new Map<string, Weighed[]>();
  #bytes = 0;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** Keeps an event; gives back those that had to go for it. */
  keep({ stream, number, data }: KeptEvent): readonly KeptEvent[] {
    const event = { stream, number, data, bytes: Buffer.byteLength(data) };
    this.#events.add(event);
    this.#bytes += event.bytes;
    const told = this.#byStream.get(stream);
    if (told === undefined) this.#byStream.set(stream, [event]);
    else told.push(event);
    const gone: KeptEvent[] = [];
    for (const oldest of this.#events) {
      if (this.#events.size <= this.#most && this.#bytes <= this.#mostBytes) break;
      this.#drop(oldest);
      const left = this.#byStream.get(oldest.stream);
      // The oldest of all is the oldest of its stream.
      left?.shift();
      if (left?.length === 0) this.#byStream.delete(oldest.stream);
      gone.push(oldest);
    }
    return gone;
  }

  /** What a stream said after an event of it. */
  after(stream: string, number: number): readonly KeptEvent[] {
    return this.#byStream.get(stream)?.filter((event) => event.number > number) ?? [];
  }

  /** Lets go of everything these streams said. */
  forget(streams: ReadonlySet<string>): void {
    for (const stream of streams) {
      for (const event of this.#byStream.get(stream) ?? []) this.#drop(event);
      this.#byStream.delete(stream);
    }
  }

  #drop(event: Weighed): void {
    this.#events.delete(event);
    this.#bytes -= event.bytes;
  }
}
