/**
 * Server-sent events on one HTTP response: headers, framing, keep-alive, back-pressure.
 *
 *   1. Each write is a system call and an HTTP chunk: events of one tick are written together.
 *   2. The first event is written at once, with the headers and the events queued before it. Later events are written on the next
 *      tick, and not later: events must not be lost when the process dies.
 *   3. A stream that ends before its headers were sent has a Content-Length.
 */
import type { ServerResponse } from "node:http";
import { type Account, UnreadOutput } from "../accounts.ts";
import type { Settings } from "../settings.ts";
import { waitForDrain } from "./write-buffer.ts";
import { writeHead } from "../http/responses.ts";
import type { Clock } from "@photon/core";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { every } from "../util/timers.ts";

interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  /** Without line breaks. */
  readonly data: string;
  /** When the client reconnects, in milliseconds. */
  readonly retry?: number;
}

export interface EventStreamSettings extends Pick<Settings, "limits" | "clock"> {
  readonly keepAlive: SseKeepAlive;
}

/** Events are written together up to this many characters: a write shows whether the client reads. */
const FLUSH_AT_CHARS = 16 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export class EventStream implements ListNode<EventStream> {
  previous: EventStream | undefined;
  next: EventStream | undefined;
  readonly #response: ServerResponse;
  readonly #queueBytes: number;
  readonly #keepAlive: SseKeepAlive;
  readonly #account: Account;
  /** Created with the first output that the client does not read at once. */
  #unread: UnreadOutput | undefined;
  /** Written with the headers; after them, on the next tick. */
  #held = "";
  #hasHeaders = false;

  /** `onClose` is called when the client has disconnected, or the stream has ended. */
  constructor(
    response: ServerResponse,
    { limits, keepAlive }: EventStreamSettings,
    account: Account,
    onClose?: () => void,
  ) {
    this.#response = response;
    this.#account = account;
    this.#queueBytes = limits.queueBytes;
    this.#keepAlive = keepAlive;
    // The client may have disconnected already: then `close` was emitted before.
    if (response.destroyed) return;
    response.on("close", () => {
      keepAlive.delete(this);
      this.#unread?.set(0);
      onClose?.();
    });
    process.nextTick(() => {
      if (!this.#hasHeaders) this.#sendHeaders();
    });
  }

  get isClosed(): boolean {
    return this.#response.destroyed;
  }

  /** Adds an event in the tick in which the stream was created: it is written with the headers. */
  queue(event: StreamEvent): void {
    this.#held += formatEvent(event);
  }

  /** Writes an event; resolves when the client has read enough of the stream. Disconnects a client that reads too slowly. */
  write(event: StreamEvent): void | Promise<void> {
    return this.#write(formatEvent(event));
  }

  /** Ends the stream, optionally with a last event. */
  end(event?: StreamEvent): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (event !== undefined && this.#isTooSlow()) return void response.destroy();
    const whole = event === undefined ? this.#held : this.#held + formatEvent(event);
    this.#held = "";
    if (!this.#hasHeaders)
      writeHead(response, 200, { ...HEADERS, "content-length": Buffer.byteLength(whole) });
    this.#hasHeaders = true;
    response.end(whole);
    this.#measure(response.writableLength);
  }

  sendKeepAlive(): void {
    void this.#write(": alive\n\n");
  }

  #write(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (this.#isTooSlow()) return void response.destroy();
    if (this.#hasHeaders && this.#held === "") process.nextTick(() => this.#flush());
    this.#held += text;
    if (!this.#hasHeaders) this.#sendHeaders();
    else if (this.#held.length >= FLUSH_AT_CHARS) this.#flush();
    return response.writableNeedDrain ? waitForDrain(response) : undefined;
  }

  /** Sends the headers, with the events that are held. */
  #sendHeaders(): void {
    const response = this.#response;
    this.#hasHeaders = true;
    // The response may have refused the request instead.
    if (response.destroyed || response.headersSent) return;
    this.#keepAlive.add(this);
    writeHead(response, 200, { ...HEADERS });
    if (this.#held === "") response.flushHeaders();
    else this.#flush();
  }

  #flush(): void {
    const response = this.#response;
    const text = this.#held;
    this.#held = "";
    if (text === "" || response.destroyed || response.writableEnded) return;
    response.write(text);
    // Node would wait for the next write.
    response.socket?.uncork();
    if (response.writableNeedDrain) this.#measure(response.writableLength);
  }

  /** Whether the client has left more unread than one stream may hold, or than its principal has memory for. */
  #isTooSlow(): boolean {
    const { writableLength, writableNeedDrain } = this.#response;
    return writableLength > this.#queueBytes || (writableNeedDrain && this.#account.isOverLimit);
  }

  #measure(waiting: number): void {
    if (waiting === 0 && this.#unread === undefined) return;
    if (this.#unread === undefined) {
      this.#unread = new UnreadOutput(this.#account);
      this.#response.on("drain", () => this.#unread?.set(this.#response.writableLength));
    }
    // After `close` nothing would release it.
    if (!this.#response.destroyed) this.#unread.set(waiting);
  }
}

function formatEvent({ id, event, data, retry }: StreamEvent): string {
  let lines = "";
  if (id !== undefined) lines += `id: ${id}\n`;
  if (retry !== undefined) lines += `retry: ${retry}\n`;
  if (event !== undefined) lines += `event: ${event}\n`;
  return `${lines}data: ${data}\n\n`;
}

/** Before proxies close a silent connection. */
const KEEP_ALIVE_MS = 25_000;

/** Sends a comment on every open stream from time to time. One timer for all streams, while there are any. */
export class SseKeepAlive {
  readonly #clock: Clock;
  readonly #streams = new LinkedList<EventStream>();
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    this.#stop ??= every(this.#clock, KEEP_ALIVE_MS, () => {
      for (const open of this.#streams) open.sendKeepAlive();
    });
  }

  delete(stream: EventStream): void {
    if (!this.#streams.has(stream)) return;
    this.#streams.remove(stream);
    if (this.#streams.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}
