/**
 * What one request of a client is told over Streamable HTTP: numbered, kept, and
 * told again to a client that lost its connection and comes back.
 */
import type { ServerResponse } from "node:http";
import type { Account, Evictable } from "../accounts.ts";
import { EventStream, type Streaming } from "./event-stream.ts";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { bytesOfText } from "../jsonrpc/message-size.ts";

/** How long a client waits before it comes back, in milliseconds. */
const RETRY = 1000;

export class ResumableStream implements StreamInfo {
  readonly name: string;
  readonly kept: BufferedEvent[] = [];
  readonly #settings: Streaming & { readonly account: Account };
  readonly #left: () => void;
  #count = 0;
  #told = 0;
  #events: EventStream | undefined;
  #doneAt: number | undefined;
  #isPrimed = false;

  /** `left` is called whenever somebody who listened has gone. `count` events were told before, by another process. */
  constructor(
    name: string,
    settings: Streaming & { readonly account: Account },
    left: () => void,
    count = 0,
  ) {
    this.name = name;
    this.#count = count;
    this.#settings = settings;
    this.#left = left;
  }

  /** Whether a client is listening. */
  get isConnected(): boolean {
    return this.#events !== undefined;
  }

  get doneAt(): number | undefined {
    return this.#doneAt;
  }

  get count(): number {
    return this.#count;
  }

  /** The number of the last event that went out to somebody. */
  get lastSent(): number {
    return this.#told;
  }

  /** Whether everything after an event is still kept. */
  canResumeAfter(number: number): boolean {
    return this.#count - number === this.#keptAfter(number).length;
  }

  /** Lets a client listen, after the event that it has already. `isPrimed`: it is given a number to come back with at once. */
  attach(response: ServerResponse, after: number, isPrimed: boolean): void {
    const events = new EventStream(response, this.#settings, this.#settings.account, () => {
      if (this.#events === events) this.#events = undefined;
      this.#left();
    });
    if (events.isGone) return;
    this.#events?.end();
    this.#events = events;
    this.#isPrimed = isPrimed;
    if (isPrimed) events.queue({ id: `${this.name}.${after}`, retry: RETRY, data: "" });
    for (const { number, data } of this.#keptAfter(after)) {
      this.#told = Math.max(this.#told, number);
      events.queue({ id: `${this.name}.${number}`, data });
    }
    if (this.#doneAt !== undefined) this.hangUp();
  }

  #keptAfter(last: number): readonly BufferedEvent[] {
    return this.kept.length === 0 ? this.kept : this.kept.filter(({ number }) => number > last);
  }

  /** Says something: to whoever listens, and for whoever comes back. Its number is `count` from then on. */
  append(data: string): void | Promise<void> {
    this.#count += 1;
    if (this.#events === undefined) return undefined;
    this.#told = this.#count;
    return this.#events.write({ id: `${this.name}.${this.#count}`, data });
  }

  /** Says the last there is to say. */
  end(data: string): void {
    this.#count += 1;
    this.#doneAt = this.#settings.clock.now();
    if (this.#events === undefined) return;
    this.#told = this.#count;
    this.#events.end({ id: `${this.name}.${this.#count}`, data });
    this.#events = undefined;
  }

  /** Nothing more will be said. */
  finish(): void {
    this.#doneAt = this.#settings.clock.now();
    this.hangUp();
  }

  /** Hangs up on whoever listens, if that client was given a number to come back with before anything was said. */
  detachIfResumable(): void {
    if (this.#isPrimed) this.hangUp();
  }

  /** Hangs up on whoever listens. What was said is kept. */
  hangUp(): void {
    this.#events?.end();
    this.#events = undefined;
  }
}

/**
 * What a session has said on its streams, kept for a client that comes back: so many events, so many bytes, and the oldest go
 * first. They count as memory of the session's principal, and make room for what cannot do without it.
 */

/** A stream on which events are said. */
interface StreamInfo {
  readonly name: string;
  /** What is kept of what it said, from the oldest on. */
  readonly kept: BufferedEvent[];
  /** The number of its last event. */
  readonly count: number;
  /** When everything was said, once it is. */
  readonly doneAt: number | undefined;
}

class BufferedEvent implements ListNode<BufferedEvent> {
  readonly stream: StreamInfo;
  /** Its place in the stream, from 1. */
  readonly number: number;
  readonly data: string;
  readonly bytes: number;
  previous: BufferedEvent | undefined;
  next: BufferedEvent | undefined;

  constructor(stream: StreamInfo, data: string) {
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

export class EventBuffer implements Evictable {
  previous: Evictable | undefined;
  next: Evictable | undefined;
  readonly #limits: KeptLimits;
  readonly #account: Account;
  readonly #gone: (event: BufferedEvent) => void;
  readonly #all = new LinkedList<BufferedEvent>();
  #bytes = 0;

  /** `gone` is called for each event that had to go for others. */
  constructor(limits: KeptLimits, account: Account, gone: (event: BufferedEvent) => void) {
    this.#limits = limits;
    this.#account = account;
    this.#gone = gone;
  }

  /** Keeps what a stream has just said. Where there is no memory for it, it goes at once, after all before it. */
  keep(stream: StreamInfo, data: string): void {
    const event = new BufferedEvent(stream, data);
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
  forget({ kept }: StreamInfo): void {
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

  #drop(event: BufferedEvent): void {
    this.#all.remove(event);
    this.#bytes -= event.bytes;
    this.#account.release(event.bytes + EVENT_BYTES);
    if (this.#all.size === 0) this.#account.drop(this);
  }
}
