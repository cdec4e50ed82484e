/**
 * Reads the body of a request, with limits of size and time.
 *
 * After a refusal the rest of the body is read for a while: a browser shows the response only when it could send its request.
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
  /** How many bytes must arrive in every `idle`: any, without this. */
  readonly least?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A Writable, or an object with these methods. */
interface BodySink {
  /** Whether it accepts so many more bytes; all, without this. */
  admits?(bytes: number): boolean;
  write(part: Buffer): boolean;
  end(): unknown;
  once(event: "drain", listener: () => void): unknown;
}

export type ReadOutcome = "whole" | "too large" | "refused" | "too slow" | "broken off" | "unwanted";

/** How long the rest of a refused body is read before the connection is closed. */
const LINGER_MS = 10_000;

/** Resolves when the body was read, or reading has failed. Ends the sink only if the body is complete. */
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
  readonly #settle: (outcome: ReadOutcome) => void;
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
    settle: (outcome: ReadOutcome) => void,
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

  #end(outcome: ReadOutcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#stopWatch?.();
    this.#stopListening?.();
    if (outcome === "whole") this.#sink.end();
    this.#settle(outcome);
  }
}

/** Discards the rest of a request that is answered already, for a while. */
export function drainAndClose(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  request.on("error", () => {});
  const stop = clock.after(LINGER_MS, () => request.destroy());
  request.once("end", stop).once("close", stop).resume();
}

/** The limits of a message. */
const IDLE_MS = 10_000;
const TOTAL_MS = 60_000;

/** The parsed body, or the response that refuses it. */
type Body =
  | { readonly value: unknown; readonly bytes: number }
  | { readonly status: number; readonly refusal: ErrorResponse };

/**
 * Reads a JSON body. Its received part counts as memory of the principal until it is complete. A body that the app around the router
 * has parsed is not parsed again.
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
  const outcome = await readInto(request, gathered, { clock, bytes: most, idle: IDLE_MS, total: TOTAL_MS });
  const { size } = gathered;
  gathered.release();
  switch (outcome) {
    case "whole":
      return decodeBody(gathered.text(), size, limits);
    case "refused": {
      // The rest is discarded, and the connection stays open.
      request.resume();
      const { status, error } = account.memoryRefusal(gathered.exceeded ?? "principal");
      return { status, refusal: errorResponse(undefined, error) };
    }
    case "too large":
      // The rest is discarded, and the connection stays open.
      request.resume();
      return refused(413, `A message has at most ${most} bytes.`);
    case "too slow":
      drainAndClose(request, clock);
      return refused(408, "The message came too slowly.");
    case "broken off":
    case "unwanted":
      // The client has disconnected, and receives no response.
      return refused(400, "The message broke off.");
    default:
      return outcome satisfies never;
  }
}

function decodeBody(text: string, bytes: number, limits: Limits): Body {
  const decoded = parseJson(text, limits);
  return "refusal" in decoded ? { status: 400, refusal: decoded.refusal } : { value: decoded.value, bytes };
}

/** The received part of a body. */
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
