/**
 * What a session has said on its streams, kept for a client that comes back: so many events, so many bytes, and the oldest go
 * first. They count as memory of the session's principal, and make room for what cannot do without it.
 */
import type { Account, Evictable } from "../accounts.ts";
import { Crowd, type Linked } from "../util/linked-list.ts";
import { bytesOfText } from "../jsonrpc/message-size.ts";

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
    this.bytes = bytesOfText(data);
  }
}

/** How many events a session keeps, and of how many bytes together. */
interface KeptLimits {
  readonly events: number;
  readonly queueBytes: number;
}

/** What an event takes beside its text, in bytes. */
const EVENT_BYTES = 128;

export class KeptEvents implements Evictable {
  before: Evictable | undefined;
  after: Evictable | undefined;
  readonly #limits: KeptLimits;
  readonly #account: Account;
  readonly #gone: (event: KeptEvent) => void;
  readonly #all = new Crowd<KeptEvent>();
  #bytes = 0;

  /** `gone` is called for each event that had to go for others. */
  constructor(limits: KeptLimits, account: Account, gone: (event: KeptEvent) => void) {
    this.#limits = limits;
    this.#account = account;
    this.#gone = gone;
  }

  /** Keeps what a stream has just said. Where there is no memory for it, it goes at once, after all before it. */
  keep(stream: Speaking, data: string): void {
    const event = new KeptEvent(stream, data);
    stream.kept.push(event);
    this.#all.add(event);
    this.#bytes += event.bytes;
    // Before it is counted, which may evict it.
    this.#account.touch(this);
    this.#account.overdraw(event.bytes + EVENT_BYTES);
    while (this.#isOver()) this.evict();
  }

  evict(): void {
    const oldest = this.#all.first;
    if (oldest === undefined) return;
    this.#drop(oldest);
    // The oldest of all is the oldest of its stream.
    oldest.stream.kept.shift();
    this.#gone(oldest);
  }

  /** Lets go of everything that a stream said. */
  forget({ kept }: Speaking): void {
    for (const event of kept) this.#drop(event);
    kept.length = 0;
  }

  /** Lets go of everything. */
  clear(): void {
    for (const event of this.#all) this.#drop(event);
  }

  #isOver(): boolean {
    return this.#all.size > this.#limits.events || this.#bytes > this.#limits.queueBytes;
  }

  #drop(event: KeptEvent): void {
    this.#all.remove(event);
    this.#bytes -= event.bytes;
    this.#account.release(event.bytes + EVENT_BYTES);
    if (this.#all.size === 0) this.#account.drop(this);
  }
}
