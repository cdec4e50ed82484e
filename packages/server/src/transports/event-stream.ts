/**
 * Server-sent events on one response: headers, framing, signs of life, and no more than a client can take.
 *
 *   1. What is written first goes out at once, with the headers and what was held for them, since each write is a system
 *      call; what follows, at the latest when Node has nothing else to do in this turn.
 *   2. A stream that ends before it has begun says how long it is.
 */
import type { ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import { drained } from "./drained.ts";
import { begin } from "./http-answers.ts";
import type { Beating, Pulse } from "./pulse.ts";

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  /** One line. */
  readonly data: string;
  /** How long to wait before coming back, in milliseconds. */
  readonly retry?: number;
}

/** What all streams have in common. */
export interface Streaming extends Pick<Settings, "limits" | "clock"> {
  readonly pulse: Pulse;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export class EventStream implements Beating {
  readonly #response: ServerResponse;
  readonly #most: number;
  readonly #pulse: Pulse;
  /** What goes out with the headers. */
  #held = "";
  #hasBegun = false;

  /** `left` is called when nobody reads it any more. */
  constructor(response: ServerResponse, { limits, pulse }: Streaming, left?: () => void) {
    this.#response = response;
    this.#most = limits.queueBytes;
    this.#pulse = pulse;
    // A client may be gone before it is answered: then `close` has been told already.
    if (response.destroyed) return;
    response.on("close", () => {
      pulse.delete(this);
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
  hold(event: StreamEvent): void {
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
    if (event !== undefined && response.writableLength > this.#most) return void response.destroy();
    const last = event === undefined ? "" : textOf(event);
    if (this.#hasBegun) return void response.end(last);
    this.#hasBegun = true;
    const whole = this.#held + last;
    begin(response, 200, { ...HEADERS, "content-length": Buffer.byteLength(whole) }).end(whole);
  }

  beat(): void {
    void this.#put(": alive\n\n");
  }

  #put(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (response.writableLength > this.#most) return void response.destroy();
    const isTaken = this.#hasBegun ? response.write(text) : this.#begin(text);
    return isTaken ? undefined : drained(response);
  }

  /** Sends the headers with all that there is; says whether the client can take more. */
  #begin(text = ""): boolean {
    const response = this.#response;
    this.#hasBegun = true;
    if (response.destroyed) return true;
    this.#pulse.add(this);
    begin(response, 200, HEADERS);
    const first = this.#held + text;
    this.#held = "";
    if (first === "") response.flushHeaders();
    const isTaken = first === "" || response.write(first);
    // Node would wait for what may be written next.
    response.socket?.uncork();
    return isTaken;
  }
}

function textOf({ id, event, data, retry }: StreamEvent): string {
  let lines = "";
  if (id !== undefined) lines += `id: ${id}\n`;
  if (retry !== undefined) lines += `retry: ${retry}\n`;
  if (event !== undefined) lines += `event: ${event}\n`;
  return `${lines}data: ${data}\n\n`;
}
