/**
 * Reads request bodies, with limits of size and time.
 *
 * A refused body is still read for a while: a browser shows the response only once it could send its whole request.
 */
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";
import { runAfterTick, type AfterTick } from "../util/timers.ts";
import type { Account, Refusal } from "../accounts.ts";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { parseJson, type ErrorResponse } from "../jsonrpc/messages.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Limits } from "../limits.ts";

interface BodyLimits {
  readonly clock: Clock;
  readonly maxBytes: number;
  /** How long no bytes may arrive. */
  readonly idleMs: number;
  /** How many bytes must arrive in every `idleMs`. */
  readonly minBytesPerIdle?: number;
  /** How long the whole body may take. Without it, only the two limits above apply. */
  readonly totalMs?: number;
  /** Stops reading. */
  readonly signal?: AbortSignal | undefined;
}

/** A Writable, or an object with these methods. */
interface BodySink {
  /** Returns false to pause until `drain`, and "refused" to stop reading. */
  write(chunk: Buffer): boolean | "refused";
  end(): unknown;
  once(event: "drain", listener: () => void): unknown;
}

export type ReadOutcome = "complete" | "too large" | "refused" | "too slow" | "disconnected" | "aborted";

/** How long the rest of a refused body is read before the connection is closed. */
const LINGER_MS = 10_000;

/** Resolves when the body was read, or reading has failed. Ends the sink only if the body is complete. */
export function readInto(request: IncomingMessage, sink: BodySink, limits: BodyLimits): Promise<ReadOutcome> {
  return new Promise((resolve) => {
    new BodyReader(request, sink, limits, resolve).start();
  });
}

class BodyReader implements AfterTick {
  isOver = false;
  readonly #request: IncomingMessage;
  readonly #sink: BodySink;
  readonly #limits: BodyLimits;
  readonly #resolve: (outcome: ReadOutcome) => void;
  readonly #startedAt: number;
  #lastChunkAt: number;
  #size = 0;
  /** When the current `idleMs` began, and how many bytes had arrived by then. */
  #windowStart: number;
  #sizeAtWindowStart = 0;
  #stopTimer: (() => void) | undefined;
  readonly #onAbort = (): void => this.#end("aborted");

  constructor(
    request: IncomingMessage,
    sink: BodySink,
    limits: BodyLimits,
    resolve: (outcome: ReadOutcome) => void,
  ) {
    this.#request = request;
    this.#sink = sink;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#startedAt = this.#lastChunkAt = this.#windowStart = limits.clock.now();
  }

  start(): void {
    const { maxBytes, signal } = this.#limits;
    const request = this.#request;
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return this.#end("too large");
    if (request.readableEnded) return this.#end("complete");
    if (signal?.aborted === true) return this.#end("aborted");
    request.on("data", (chunk: Buffer) => this.#onChunk(chunk));
    // A request emits `close` after `end` too; the first of them decides.
    request.on("end", () => this.#end("complete")).on("close", () => this.#end("disconnected"));
    signal?.addEventListener("abort", this.#onAbort);
    runAfterTick(this);
  }

  /** Checks the time limits, and again when the next of them could be exceeded. */
  onNextTick(): void {
    const { clock, idleMs, totalMs = Infinity, minBytesPerIdle = 0 } = this.#limits;
    const now = clock.now();
    const isWindowOver = now >= this.#windowStart + idleMs;
    if (isWindowOver && this.#size - this.#sizeAtWindowStart >= minBytesPerIdle) {
      this.#windowStart = now;
      this.#sizeAtWindowStart = this.#size;
    }
    const idleUntil = Math.min(this.#lastChunkAt, this.#windowStart) + idleMs;
    const until = Math.min(idleUntil, this.#startedAt + totalMs);
    if (now >= until) return this.#end("too slow");
    this.#stopTimer = clock.after(until - now, () => this.onNextTick());
  }

  #onChunk(chunk: Buffer): void {
    if (this.isOver) return;
    this.#lastChunkAt = this.#limits.clock.now();
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBytes) return this.#end("too large");
    const written = this.#sink.write(chunk);
    if (written === "refused") return this.#end("refused");
    if (written) return;
    this.#request.pause();
    this.#sink.once("drain", () => {
      if (!this.isOver) this.#request.resume();
    });
  }

  #end(outcome: ReadOutcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#stopTimer?.();
    this.#limits.signal?.removeEventListener("abort", this.#onAbort);
    if (outcome === "complete") this.#sink.end();
    this.#resolve(outcome);
  }
}

/** Discards the rest of a request that is answered already, and closes the connection if it takes too long. */
export function drainAndClose(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  request.on("error", () => {});
  const stop = clock.after(LINGER_MS, () => request.destroy());
  request.once("end", stop).once("close", stop).resume();
}

/** The time limits of a JSON message, and of a form without a file. */
export const MESSAGE_TIMES = { idleMs: 10_000, totalMs: 60_000 } as const;

/** A body as text. While it is read, its memory counts for the account. */
export class TextSink implements BodySink {
  readonly #buffer = new GrowingBuffer();
  readonly #account: Account | undefined;
  #reserved = 0;
  size = 0;
  /** Why the last part was not admitted. */
  refusal: Refusal | undefined;

  constructor(account?: Account) {
    this.#account = account;
  }

  write(chunk: Buffer): boolean | "refused" {
    if (this.#account !== undefined) {
      const memory = this.#buffer.memoryWith(chunk.length);
      this.refusal = this.#account.reserveUnfinished(memory - this.#reserved);
      if (this.refusal !== undefined) return "refused";
      this.#reserved = memory;
    }
    this.#buffer.append(chunk);
    this.size += chunk.length;
    return true;
  }

  release(): void {
    this.#account?.release(this.#reserved);
  }

  toString(): string {
    return this.#buffer.toString();
  }

  end(): void {}
  once(): void {}
}

/** Whether the Content-Type is a media type, with or without parameters. */
export const hasMediaType = ({ headers }: IncomingMessage, type: string): boolean =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() === type;

export const isCompressed = ({ headers }: IncomingMessage): boolean =>
  headers["content-encoding"] !== undefined;

/** The parsed body, or the response that refuses it. */
type Body =
  | { readonly value: unknown; readonly bytes: number }
  | { readonly status: number; readonly refusal: ErrorResponse };

/** Reads a JSON body, unless the app around the router has read it already. */
export async function readBody(
  request: IncomingMessage & { readonly body?: unknown },
  { limits, clock }: { readonly limits: Limits; readonly clock: Clock },
  account: Account,
): Promise<Body> {
  const maxBytes = limits.messageBytes;
  if (!hasMediaType(request, "application/json"))
    return refused(415, "Send the message as application/json.");
  if (isCompressed(request)) return refused(415, "Send the message uncompressed.");
  if (request.body !== undefined) {
    const size = Number(request.headers["content-length"] ?? 0);
    if (size > maxBytes) return refused(413, `A message has at most ${maxBytes} bytes.`);
    const isText = typeof request.body === "string" || Buffer.isBuffer(request.body);
    return isText ? parseBody(String(request.body), size, limits) : { value: request.body, bytes: size };
  }
  const text = new TextSink(account);
  const outcome = await readInto(request, text, { clock, maxBytes, ...MESSAGE_TIMES });
  text.release();
  const { refusal } = text;
  switch (outcome) {
    case "complete":
      return parseBody(text.toString(), text.size, limits);
    case "too large":
    case "refused":
      // The rest is discarded, and the connection stays open.
      request.resume();
      return refusal === undefined
        ? refused(413, `A message has at most ${maxBytes} bytes.`)
        : { status: refusal.status, refusal: errorResponse(undefined, refusal.error) };
    case "too slow":
      drainAndClose(request, clock);
      return refused(408, "The message arrived too slowly.");
    case "disconnected":
    case "aborted":
      // The client receives no response.
      return refused(400, "The message is incomplete.");
    default:
      return outcome satisfies never;
  }
}

function parseBody(text: string, bytes: number, limits: Limits): Body {
  const parsed = parseJson(text, limits);
  return "refusal" in parsed ? { status: 400, refusal: parsed.refusal } : { value: parsed.value, bytes };
}

function refused(status: number, sentence: string): Exclude<Body, { value: unknown }> {
  return { status, refusal: errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)) };
}
