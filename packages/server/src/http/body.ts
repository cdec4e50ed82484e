import type { IncomingMessage } from "node:http";
import { decode } from "../rpc/decode.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../rpc/errors.ts";
import type { ErrorResponse } from "../rpc/message.ts";

/** What a request carries, parsed; or the status and the answer to whoever sent it. */
export type Body = { readonly value: unknown } | { readonly status: number; readonly refusal: ErrorResponse };

/** Reads the JSON that a request carries, up to a size. A body that somebody else has parsed already is taken as it is. */
export async function readBody(
  request: IncomingMessage & { readonly body?: unknown },
  most: number,
): Promise<Body> {
  if (request.body !== undefined) return { value: request.body };
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    return refused(415, "A message is sent as application/json.");
  if (request.headers["content-encoding"] !== undefined)
    return refused(415, "A message is sent uncompressed.");
  const text = await readText(request, most);
  if (text === undefined) return refused(413, `A message has at most ${most} bytes.`);
  const decoded = decode(text);
  return "refusal" in decoded ? { status: 400, refusal: decoded.refusal } : decoded;
}

async function readText(request: IncomingMessage, most: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function refused(status: number, sentence: string): Body {
  return { status, refusal: errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)) };
}
