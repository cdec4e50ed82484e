/**
 * Leads the body of a request somewhere, within bounds.
 *
 * Nobody sends more than fits, nor so slowly that it never ends. Whoever is refused in the middle is listened to for
 * a while, else browsers would not hear why.
 */
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";
import { ifItLasts, type Lasting } from "../if-it-lasts.ts";

export interface Bounds {
  readonly clock: Clock;
  /** How large it may be, in bytes. */
  readonly bytes: number;
  /** How long nothing may come, in milliseconds. */
  readonly idle: number;
  /** How long all of it may take, in milliseconds: as long as it comes, without this. */
  readonly total?: number;
  /** How much must come in every so long, in bytes: anything, without this. */
  readonly least?: number;
  /** Aborted when it is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

/** Where it goes: a stream, or whatever takes it as one does. */
export interface Sink {
  write(part: Buffer): boolean;
  end(): unknown;
  on(event: "drain", listener: () => void): unknown;
  off(event: "drain", listener: () => void): unknown;
}

export type Poured = "whole" | "too large" | "too slow" | "broken off" | "unwanted";

/** How long the rest of what was refused is thrown away before the line is cut. */
const LINGER = 10_000;

/** Settles when the body is through, or will not be. The sink is ended with it, and left alone otherwise. */
export async function pour(request: IncomingMessage, sink: Sink, bounds: Bounds): Promise<Poured> {
  const { bytes, signal } = bounds;
  let poured: Poured = "unwanted";
  if (Number(request.headers["content-length"] ?? 0) > bytes) poured = "too large";
  else if (request.readableEnded) poured = "whole";
  else if (signal?.aborted !== true) poured = await new Flow(request, sink, bounds).poured;
  if (poured === "whole") sink.end();
  return poured;
}

class Flow implements Lasting {
  readonly poured: Promise<Poured>;
  isOver = false;
  readonly #request: IncomingMessage;
  readonly #sink: Sink;
  readonly #bounds: Bounds;
  readonly #began: number;
  #last: number;
  #size = 0;
  /** What had come at the time that it was last enough. */
  #enough: { readonly at: number; readonly size: number };
  #stopWatch: (() => void) | undefined;
  #settle: (poured: Poured) => void = () => {};

  constructor(request: IncomingMessage, sink: Sink, bounds: Bounds) {
    this.#request = request;
    this.#sink = sink;
    this.#bounds = bounds;
    this.#began = this.#last = bounds.clock.now();
    this.#enough = { at: this.#began, size: 0 };
    this.poured = new Promise((resolve) => {
      this.#settle = resolve;
    });
    // Its end closes a request as well, and so does what breaks it: by then it is known which it was.
    request.on("data", (part: Buffer) => this.#take(part));
    request.on("end", () => this.#end("whole")).on("close", () => this.#end("broken off"));
    sink.on("drain", this.#goOn);
    bounds.signal?.addEventListener("abort", this.#leave);
    ifItLasts(this);
  }

  lasts(): void {
    const { clock, idle, total = Infinity, least = 0 } = this.#bounds;
    const now = clock.now();
    if (now >= this.#enough.at + idle && this.#size - this.#enough.size >= least)
      this.#enough = { at: now, size: this.#size };
    const until = Math.min(this.#last + idle, this.#enough.at + idle, this.#began + total);
    if (now >= until) return this.#end("too slow");
    this.#stopWatch = clock.after(until - now, () => this.lasts());
  }

  #take(part: Buffer): void {
    if (this.isOver) return;
    this.#last = this.#bounds.clock.now();
    this.#size += part.length;
    if (this.#size > this.#bounds.bytes) this.#end("too large");
    else if (!this.#sink.write(part)) this.#request.pause();
  }

  readonly #goOn = (): void => void this.#request.resume();
  readonly #leave = (): void => this.#end("unwanted");

  #end(poured: Poured): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#stopWatch?.();
    this.#sink.off("drain", this.#goOn);
    this.#bounds.signal?.removeEventListener("abort", this.#leave);
    this.#settle(poured);
  }
}

/** Throws away what still comes of a request that is answered already, for a while. */
export function discard(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  request.on("error", () => {});
  const stop = clock.after(LINGER, () => request.destroy());
  request.once("end", stop).once("close", stop).resume();
}
