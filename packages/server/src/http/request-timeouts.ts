/**
 * Node's HTTP server with limits against slow requests.
 *
 * Node limits the time of the headers. This module limits the time of the whole request, because Node's own limit has no exceptions:
 * a long upload must not be cut off, and its handler limits the time itself.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Clock } from "@photon/core";
import { type AfterTick, runAfterTick } from "../util/timers.ts";

/** All in milliseconds. */
export interface RequestTimeouts {
  /** How long the headers may take. */
  readonly headers: number;
  /** How long a request may take to arrive, unless it is exempt. */
  readonly whole: number;
  /** How often the headers are checked. */
  readonly every: number;
}

export const defaultTimeouts: RequestTimeouts = { headers: 10_000, whole: 5 * 60_000, every: 5000 };

const exempt = new WeakSet<IncomingMessage>();

/** For a handler that limits the time of a request itself. */
export const exemptFromTimeout = (request: IncomingMessage): void => void exempt.add(request);

export function serverWithTimeouts(
  handle: RequestListener,
  clock: Clock,
  { headers, whole, every }: RequestTimeouts = defaultTimeouts,
): Server {
  const bounds = { headersTimeout: headers, connectionsCheckingInterval: every, requestTimeout: 0 };
  return createServer(bounds, (request, response) => {
    // Most requests have arrived after one tick, and need no timer.
    runAfterTick(new ArrivingRequest(request, clock, whole));
    handle(request, response);
  });
}

class ArrivingRequest implements AfterTick {
  readonly #request: IncomingMessage;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  constructor(request: IncomingMessage, clock: Clock, timeoutMs: number) {
    this.#request = request;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  get isOver(): boolean {
    return this.#request.complete || exempt.has(this.#request);
  }

  onNextTick(): void {
    const stopTimer = this.#clock.after(this.#timeoutMs, () => {
      // Without a response: the request may be answered already.
      if (!this.isOver) this.#request.destroy();
    });
    this.#request.once("close", stopTimer);
  }
}
