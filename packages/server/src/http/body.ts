/**
 * Leads the body of a request somewhere, within bounds.
 *
 * Nobody sends more than fits, nor so slowly that it never ends. Whoever is refused in the middle is listened to for
 * a while, else browsers would not hear why.
 */
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";
import { runAfterTick, type Deferred } from "../util/timers.ts";
import type { Account, Exceeded } from "../accounts.ts";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { parseJson, type ErrorResponse } from "../jsonrpc/messages.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Limits } from "../limits.ts";

interface Bounds {
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
interface BodySink {
  /** Whether it takes so many bytes more; all that come, without this. */
  admits?(bytes: number): boolean;
  write(part: Buffer): boolean;
  end(): unknown;
  /** Where `write` said that it is full. */
  once(event: "drain", listener: () => void): unknown;
}

export type ReadOutcome = "whole" | "too large" | "refused" | "too slow" | "broken off" | "unwanted";

/** How long the rest of what was refused is thrown away before the line is cut. */
const LINGER_MS = 10_000;

/** Settles when the body is through, or will not be. The sink is ended with it, and left alone otherwise. */
export function readInto(request: IncomingMessage, sink: BodySink, bounds: Bounds): Promise<ReadOutcome> {
  return new Promise((resolve) => {
    new BodyReader(request, sink, bounds, resolve).begin();
  });
}

class BodyReader implements Deferred {
  isOver = false;
  readonly #request: IncomingMessage;
  readonly #sink: BodySink;
  readonly #bounds: Bounds;
  readonly #settle: (poured: ReadOutcome) => void;
  readonly #began: number;
  #last: number;
  #size = 0;
  /** When what had come was last enough, and how much that was. */
  #enoughAt: number;
  #enough = 0;
  #stopWatch: (() => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(
    request: IncomingMessage,
    sink: BodySink,
    bounds: Bounds,
    settle: (poured: ReadOutcome) => void,
  ) {
    this.#request = request;
    this.#sink = sink;
    this.#bounds = bounds;
    this.#settle = settle;
    this.#began = this.#last = this.#enoughAt = bounds.clock.now();
  }

  begin(): void {
    const { bytes, signal } = this.#bounds;
    const request = this.#request;
    if (Number(request.headers["content-length"] ?? 0) > bytes) return this.#end("too large");
    if (request.readableEnded) return this.#end("whole");
    if (signal?.aborted === true) return this.#end("unwanted");
    request.on("data", (part: Buffer) => this.#take(part));
    // Its end closes a request as well, and so does what breaks it: by then it is known which it was.
    request.on("end", () => this.#end("whole")).on("close", () => this.#end("broken off"));
    if (signal !== undefined) this.#listen(signal);
    runAfterTick(this);
  }

  onNextTick(): void {
    const { clock, idle, total = Infinity, least = 0 } = this.#bounds;
    const now = clock.now();
    if (now >= this.#enoughAt + idle && this.#size - this.#enough >= least) {
      this.#enoughAt = now;
      this.#enough = this.#size;
    }
    const until = Math.min(this.#last + idle, this.#enoughAt + idle, this.#began + total);
    if (now >= until) return this.#end("too slow");
    this.#stopWatch = clock.after(until - now, () => this.onNextTick());
  }

  #take(part: Buffer): void {
    if (this.isOver) return;
    this.#last = this.#bounds.clock.now();
    this.#size += part.length;
    if (this.#size > this.#bounds.bytes) return this.#end("too large");
    if (this.#sink.admits?.(part.length) === false) return this.#end("refused");
    if (this.#sink.write(part)) return;
    this.#request.pause();
    this.#sink.once("drain", () => {
      if (!this.isOver) this.#request.resume();
    });
  }

  #listen(signal: AbortSignal): void {
    const leave = (): void => this.#end("unwanted");
    signal.addEventListener("abort", leave);
    this.#stopListening = () => signal.removeEventListener("abort", leave);
  }

  #end(poured: ReadOutcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#stopWatch?.();
    this.#stopListening?.();
    if (poured === "whole") this.#sink.end();
    this.#settle(poured);
  }
}

/** Throws away what still comes of a request that is answered already, for a while. */
export function drainAndClose(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  request.on("error", () => {});
  const stop = clock.after(LINGER_MS, () => request.destroy());
  request.once("end", stop).once("close", stop).resume();
}

/** The message that an HTTP request carries. */

/** How long nothing may come, and how long all of a message may take, in milliseconds. */
const IDLE = 10_000;
const TOTAL = 60_000;

/** What a request carries, parsed; or the status and the answer to whoever sent it. */
type Body =
  | { readonly value: unknown; readonly bytes: number }
  | { readonly status: number; readonly refusal: ErrorResponse };

/**
 * Reads the JSON that a request carries, up to a size. What has come of it counts as memory of its sender's principal until it
 * is whole. A body that somebody else has parsed is not parsed again.
 */
export async function readBody(
  request: IncomingMessage & { readonly body?: unknown },
  { limits, clock }: { readonly limits: Limits; readonly clock: Clock },
  account: Account,
): Promise<Body> {
  const most = limits.messageBytes;
  const type = request.headers["content-type"] ?? "";
  if (type !== "application/json" && !/^application\/json\s*(?:;|$)/i.test(type))
    return refused(415, "A message is sent as application/json.");
  if (request.headers["content-encoding"] !== undefined)
    return refused(415, "A message is sent uncompressed.");
  if (request.body !== undefined) {
    const size = Number(request.headers["content-length"] ?? 0);
    if (size > most) return refused(413, `A message has at most ${most} bytes.`);
    const isText = typeof request.body === "string" || Buffer.isBuffer(request.body);
    return isText ? decodeBody(String(request.body), size, limits) : { value: request.body, bytes: size };
  }
  const gathered = new BufferSink(account);
  const poured = await readInto(request, gathered, { clock, bytes: most, idle: IDLE, total: TOTAL });
  const { size } = gathered;
  gathered.release();
  switch (poured) {
    case "whole":
      return decodeBody(gathered.text(), size, limits);
    case "refused": {
      // The rest is read and thrown away: the connection lives on.
      request.resume();
      const { status, error } = account.memoryRefusal(gathered.exceeded ?? "principal");
      return { status, refusal: errorResponse(undefined, error) };
    }
    case "too large":
      // The rest is read and thrown away: the connection lives on.
      request.resume();
      return refused(413, `A message has at most ${most} bytes.`);
    case "too slow":
      drainAndClose(request, clock);
      return refused(408, "The message came too slowly.");
    case "broken off":
    case "unwanted":
      // Whoever sent it is gone, and hears no answer.
      return refused(400, "The message broke off.");
    default:
      return poured satisfies never;
  }
}

function decodeBody(text: string, bytes: number, limits: Limits): Body {
  const decoded = parseJson(text, limits);
  return "refusal" in decoded ? { status: 400, refusal: decoded.refusal } : { value: decoded.value, bytes };
}

/** What has come of a body. It is never full, nor drained. */
class BufferSink implements BodySink {
  readonly #buffer = new GrowingBuffer();
  readonly #account: Account;
  #reserved = 0;
  size = 0;
  /** The limit that it was refused for. */
  exceeded: Exceeded | undefined;

  constructor(account: Account) {
    this.#account = account;
  }

  admits(bytes: number): boolean {
    const memory = this.#buffer.memoryWith(bytes);
    this.exceeded = this.#account.reserveUnfinished(memory - this.#reserved);
    if (this.exceeded === undefined) this.#reserved = memory;
    return this.exceeded === undefined;
  }

  /** It is counted no longer. */
  release(): void {
    this.#account.release(this.#reserved);
  }

  write(part: Buffer): boolean {
    this.#buffer.append(part);
    this.size += part.length;
    return true;
  }

  text(): string {
    return this.#buffer.toString();
  }

  end(): void {}
  once(): void {}
}

function refused(status: number, sentence: string): Exclude<Body, { value: unknown }> {
  return { status, refusal: errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)) };
}
