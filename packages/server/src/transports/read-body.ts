/** The message that an HTTP request carries. */
import type { IncomingMessage } from "node:http";
import type { Account, Exceeded } from "../accounts.ts";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { discard, pour, type Sink } from "../pages/pour.ts";
import { decode, type ErrorResponse } from "../jsonrpc/messages.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";

/** How long nothing may come, and how long all of a message may take, in milliseconds. */
const IDLE = 10_000;
const TOTAL = 60_000;

/** What a request carries, parsed; or the status and the answer to whoever sent it. */
export type Body =
  | { readonly value: unknown; readonly bytes: number }
  | { readonly status: number; readonly refusal: ErrorResponse };

/**
 * Reads the JSON that a request carries, up to a size. What has come of it counts as memory of its sender's principal until it
 * is whole. A body that somebody else has parsed is not parsed again.
 */
export async function readBody(
  request: IncomingMessage & { readonly body?: unknown },
  { limits, clock }: Pick<Settings, "limits" | "clock">,
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
  const gathered = new Gathered(account);
  const poured = await pour(request, gathered, { clock, bytes: most, idle: IDLE, total: TOTAL });
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
      discard(request, clock);
      return refused(408, "The message came too slowly.");
    case "broken off":
    case "unwanted":
      // Whoever sent it is gone, and hears no answer.
      return refused(400, "The message broke off.");
    default:
      return poured satisfies never;
  }
}

function decodeBody(text: string, bytes: number, limits: Settings["limits"]): Body {
  const decoded = decode(text, limits);
  return "refusal" in decoded ? { status: 400, refusal: decoded.refusal } : { value: decoded.value, bytes };
}

/** What has come of a body. It is never full, nor drained. */
class Gathered implements Sink {
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
