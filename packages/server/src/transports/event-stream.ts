/**
 * Server-sent events on one response: headers, framing, signs of life, and no more than a client can take.
 *
 *   1. Each write is a system call, and a chunk to be framed: what is written in one go is written together.
 *   2. The first that is written goes out at once, with the headers and what was held for them. What follows goes out when
 *      nobody goes on for the moment, as Node has it, and not later: a process that dies must have said what it has told.
 *   3. A stream that ends before it has begun says how long it is.
 */
import type { ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import type { Settings } from "../settings.ts";
import { waitForDrain } from "./write-buffer.ts";
import { writeHead } from "../http/responses.ts";
import { Unread } from "../http/unread-output.ts";
import type { Clock } from "@photon/core";
import { LinkedList, type ListNode } from "../util/linked-list.ts";

interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  /** One line. */
  readonly data: string;
  /** How long to wait before coming back, in milliseconds. */
  readonly retry?: number;
}

/** What all streams have in common. */
export interface Streaming extends Pick<Settings, "limits" | "clock"> {
  readonly pulse: SseKeepAlive;
}

/** How much is put together before it is written, in characters: then a client shows whether it can take more. */
const FLUSH_AT_BYTES = 16 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export class EventStream implements KeepAliveTarget {
  previous: KeepAliveTarget | undefined;
  next: KeepAliveTarget | undefined;
  readonly #response: ServerResponse;
  readonly #most: number;
  readonly #pulse: SseKeepAlive;
  readonly #account: Account;
  /** Made with the first output that the client does not read at once. */
  #unread: Unread | undefined;
  /** What goes out with the headers or, once they are out, when it is flushed. */
  #held = "";
  #hasBegun = false;

  /** `left` is called when nobody reads it any more. */
  constructor(response: ServerResponse, { limits, pulse }: Streaming, account: Account, left?: () => void) {
    this.#response = response;
    this.#account = account;
    this.#most = limits.queueBytes;
    this.#pulse = pulse;
    // A client may be gone before it is answered: then `close` has been told already.
    if (response.destroyed) return;
    response.on("close", () => {
      pulse.delete(this);
      this.#unread?.set(0);
      left?.();
    });
    process.nextTick(() => {
      if (!this.#hasBegun) this.#begin();
    });
  }

  /** Whether nobody reads it any more. */
  get isGone(): boolean {
    return this.#response.destroyed;
  }

  /** Has an event go out with the next one; where there is none at once, with the headers. */
  queue(event: StreamEvent): void {
    if (this.#hasBegun) void this.write(event);
    else this.#held += textOf(event);
  }

  /** Writes an event; settles when the client can take more. One that takes too little is hung up on. */
  write(event: StreamEvent): void | Promise<void> {
    return this.#put(textOf(event));
  }

  /** Ends the stream, with a last event where there is one. */
  end(event?: StreamEvent): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (event !== undefined && this.#isTooSlow()) return void response.destroy();
    const whole = event === undefined ? this.#held : this.#held + textOf(event);
    this.#held = "";
    if (!this.#hasBegun) writeHead(response, 200, { ...HEADERS, "content-length": Buffer.byteLength(whole) });
    this.#hasBegun = true;
    response.end(whole);
    this.#measure(response.writableLength);
  }

  beat(): void {
    void this.#put(": alive\n\n");
  }

  #put(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (this.#isTooSlow()) return void response.destroy();
    if (this.#hasBegun && this.#held === "") process.nextTick(() => this.#flush());
    this.#held += text;
    if (!this.#hasBegun) this.#begin();
    else if (this.#held.length >= FLUSH_AT_BYTES) this.#flush();
    return response.writableNeedDrain ? waitForDrain(response) : undefined;
  }

  /** Sends the headers, with all that there is. */
  #begin(): void {
    const response = this.#response;
    this.#hasBegun = true;
    if (response.destroyed) return;
    this.#pulse.add(this);
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
    // Node would wait for what may be written next.
    response.socket?.uncork();
    if (response.writableNeedDrain) this.#measure(response.writableLength);
  }

  /** Whether more waits for the client than may for one stream, or than its principal has memory for. */
  #isTooSlow(): boolean {
    const { writableLength, writableNeedDrain } = this.#response;
    return writableLength > this.#most || (writableNeedDrain && this.#account.exhausted !== undefined);
  }

  #measure(waiting: number): void {
    if (waiting === 0 && this.#unread === undefined) return;
    if (this.#unread === undefined) {
      this.#unread = new Unread(this.#account);
      this.#response.on("drain", () => this.#unread?.set(this.#response.writableLength));
    }
    // A response that is gone has told so already.
    if (!this.#response.destroyed) this.#unread.set(waiting);
  }
}

function textOf({ id, event, data, retry }: StreamEvent): string {
  let lines = "";
  if (id !== undefined) lines += `id: ${id}\n`;
  if (retry !== undefined) lines += `retry: ${retry}\n`;
  if (event !== undefined) lines += `event: ${event}\n`;
  return `${lines}data: ${data}\n\n`;
}

/** How often a silent stream shows that it is alive: before proxies take it for dead. */
const KEEP_ALIVE = 25_000;

/** Something that shows on demand that it is alive. */
interface KeepAliveTarget extends ListNode<KeepAliveTarget> {
  beat(): void;
}

/** Has streams show again and again that they are alive: one timer for all of them, as long as there are any. */
export class SseKeepAlive {
  readonly #clock: Clock;
  readonly #beating = new LinkedList<KeepAliveTarget>();
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(one: KeepAliveTarget): void {
    this.#beating.add(one);
    this.#wait();
  }

  delete(one: KeepAliveTarget): void {
    if (!this.#beating.has(one)) return;
    this.#beating.remove(one);
    if (this.#beating.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #wait(): void {
    this.#stop ??= this.#clock.after(KEEP_ALIVE, () => {
      this.#stop = undefined;
      for (const one of this.#beating) one.beat();
      if (this.#beating.size > 0) this.#wait();
    });
  }
}
