/**
 * The event stream of one request over Streamable HTTP, and the buffered events of a session. Events are numbered, so that a client
 * which lost its connection can resume the stream with `Last-Event-ID` on another HTTP response.
 */
import type { ServerResponse } from "node:http";
import type { Account, Evictable } from "../accounts.ts";
import { header } from "../http/responses.ts";
import { EventStream, type EventStreamSettings } from "./event-stream.ts";
import { CompactMap } from "../util/compact-map.ts";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { bytesOfText } from "../jsonrpc/message-size.ts";

/** When a client reconnects, in milliseconds. */
const RETRY_MS = 1000;

export class ResumableStream {
  readonly name: string;
  readonly #buffer: EventBuffer;
  readonly #onDisconnect: (stream: ResumableStream) => void;
  /** The number of its last event. */
  count: number;
  /** The number of the last event that was sent to a client. */
  lastSent = 0;
  /** When it ended. */
  endedAt: number | undefined;
  #events: EventStream | undefined;
  /** Whether the client was sent an id to resume with before the first event. */
  #isPrimed = false;

  /** `count`: how many events another process has sent before. */
  constructor(
    name: string,
    buffer: EventBuffer,
    count: number,
    onDisconnect: (stream: ResumableStream) => void,
  ) {
    this.name = name;
    this.#buffer = buffer;
    this.count = count;
    this.#onDisconnect = onDisconnect;
  }

  get isConnected(): boolean {
    return this.#events !== undefined;
  }

  /** Whether every event after this one is buffered. */
  canResumeAfter(number: number): boolean {
    return this.count - number === this.#buffer.eventsOf(this, number).length;
  }

  /** Connects a client, which has the events up to `after`. */
  attach(response: ServerResponse, after: number): void {
    const { settings, account } = this.#buffer;
    const events = new EventStream(response, settings, account, () => {
      if (this.#events === events) this.#events = undefined;
      this.#onDisconnect(this);
    });
    if (events.isClosed) return;
    this.#events?.end();
    this.#events = events;
    // Clients accept events without data, which begin a stream, since 2025-11-25.
    this.#isPrimed = (header(response.req, "mcp-protocol-version") ?? "") >= "2025-11-25";
    if (this.#isPrimed) events.queue({ id: `${this.name}.${after}`, retry: RETRY_MS, data: "" });
    for (const { number, data } of this.#buffer.eventsOf(this, after)) {
      this.lastSent = Math.max(this.lastSent, number);
      events.queue({ id: `${this.name}.${number}`, data });
    }
    if (this.endedAt !== undefined) this.disconnect();
  }

  append(data: string): void | Promise<void> {
    const id = this.#nextId();
    const written = this.#events?.write({ id, data });
    this.#buffer.add(this, data);
    return written;
  }

  /** Appends the last event. */
  end(data: string): void {
    const id = this.#nextId();
    this.endedAt = this.#buffer.settings.clock.now();
    this.#events?.end({ id, data });
    this.#events = undefined;
    this.#buffer.add(this, data);
  }

  /** Ends without another event. */
  endEmpty(): void {
    this.endedAt = this.#buffer.settings.clock.now();
    this.disconnect();
  }

  /** Disconnects the client, if it can resume the stream before it has received an event. */
  disconnectIfResumable(): void {
    if (this.#isPrimed) this.disconnect();
  }

  /** Disconnects the client. Events stay buffered. */
  disconnect(): void {
    this.#events?.end();
    this.#events = undefined;
  }

  /** The id of the next event, which is sent now if a client is connected. */
  #nextId(): string {
    this.count += 1;
    if (this.#events !== undefined) this.lastSent = this.count;
    return `${this.name}.${this.count}`;
  }
}

class BufferedEvent implements ListNode<BufferedEvent> {
  readonly stream: ResumableStream;
  /** From 1. */
  readonly number: number;
  readonly data: string;
  readonly bytes: number;
  previous: BufferedEvent | undefined;
  next: BufferedEvent | undefined;

  constructor(stream: ResumableStream, data: string) {
    this.stream = stream;
    this.number = stream.count;
    this.data = data;
    this.bytes = bytesOfText(data);
  }
}

/** The memory of an event beside its text, in bytes. */
const EVENT_BYTES = 128;

/**
 * The streams of a session and their buffered events: bounded by number and bytes, oldest dropped first. They count as memory of the
 * session's principal, and are evicted when the principal needs it.
 */
export class EventBuffer implements Evictable {
  previous: Evictable | undefined;
  next: Evictable | undefined;
  readonly settings: EventStreamSettings;
  readonly account: Account;
  readonly streams: CompactMap<string, ResumableStream> = new CompactMap();
  readonly #events = new LinkedList<BufferedEvent>();
  #bytes = 0;

  constructor(settings: EventStreamSettings, account: Account) {
    this.settings = settings;
    this.account = account;
  }

  eventsOf(stream: ResumableStream, after: number): readonly BufferedEvent[] {
    // Every new stream is asked for its events.
    if (stream.count === after) return [];
    return [...this.#events].filter((event) => event.stream === stream && event.number > after);
  }

  /** Adds the last event of a stream. Without memory for it, all events are evicted, this one last. */
  add(stream: ResumableStream, data: string): void {
    const event = new BufferedEvent(stream, data);
    this.#events.add(event);
    this.#bytes += event.bytes;
    // Before it is counted, which may evict it.
    this.account.touch(this);
    this.account.reserveOverLimit(event.bytes + EVENT_BYTES);
    const { limits } = this.settings;
    while (this.#events.size > limits.events || this.#bytes > limits.queueBytes) this.evict();
  }

  evict(): void {
    const oldest = this.#events.first;
    if (oldest === undefined) return;
    this.#drop(oldest);
    const { stream, number } = oldest;
    // An ended stream without its last event cannot be resumed.
    if (stream.endedAt !== undefined && number === stream.count) this.streams.delete(stream.name);
  }

  /** Drops streams with their events. */
  dropWhere(isDropped: (stream: ResumableStream) => boolean): void {
    for (const stream of this.streams.values()) if (isDropped(stream)) this.streams.delete(stream.name);
    for (const event of this.#events) if (isDropped(event.stream)) this.#drop(event);
  }

  #drop(event: BufferedEvent): void {
    this.#events.remove(event);
    this.#bytes -= event.bytes;
    this.account.release(event.bytes + EVENT_BYTES);
    if (this.#events.size === 0) this.account.drop(this);
  }
}
