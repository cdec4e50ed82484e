/** Responses: as JSON text, and over HTTP for the transports and the router. Helpers for request headers. */
import type { Duplex } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Account, type Refusal, UNCOUNTED_OUTPUT_BYTES } from "../accounts.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import { isResponse, type Message, type Response } from "../jsonrpc/messages.ts";

/** A response as JSON. A long one becomes an error if its principal has no memory left. */
export function formatResponse(response: Response | readonly Response[], account: Account): string {
  const text = JSON.stringify(response);
  const refusal = text.length > UNCOUNTED_OUTPUT_BYTES ? account.overLimitRefusal() : undefined;
  if (refusal === undefined) return text;
  const { error } = refusal;
  return JSON.stringify(
    "jsonrpc" in response
      ? errorResponse(response.id, error)
      : response.map(({ id }) => errorResponse(id, error)),
  );
}

export const formatMessage = (message: Message | readonly Message[], account: Account): string =>
  isResponse(message) ? formatResponse(message, account) : JSON.stringify(message);

/** Refuses an HTTP upgrade. */
export function rejectUpgrade(
  socket: Duplex,
  status: string,
  sentence = "",
  headers: { readonly [name: string]: string } = {},
): void {
  const head = [
    `HTTP/1.1 ${status}`,
    "Connection: close",
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(sentence)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Without a listener, a client that has disconnected would crash the process.
  socket.on("error", () => {});
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${sentence}`);
}

type Headers = Record<string, string | number>;

/**
 * Writes the head with `Vary: Origin`: a cache must not give the response to a page of another origin. If the app around the router
 * has set Vary, `cors` has appended to it. Changes `headers`.
 */
export function writeHead(response: ServerResponse, status: number, headers: Headers): ServerResponse {
  if (!response.hasHeader("vary")) headers["vary"] = "Origin";
  return response.writeHead(status, headers);
}

export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string,
  headers?: Readonly<Headers>,
): void {
  if (response.headersSent || response.destroyed) return;
  const length = Buffer.byteLength(text);
  writeHead(response, status, { "content-type": "application/json", "content-length": length, ...headers });
  response.end(text);
}

/** Sends a result, which may be long: its unread part counts as memory of the principal. */
export function sendResult(
  response: ServerResponse,
  status: number,
  text: string,
  account: Account,
  headers?: Readonly<Headers>,
): void {
  sendJsonText(response, status, text, headers);
  const unread = response.writableLength;
  if (unread <= UNCOUNTED_OUTPUT_BYTES || response.destroyed) return;
  account.reserveOverLimit(unread);
  response.once("close", () => account.release(unread));
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers?: Readonly<Headers>,
): void {
  sendJsonText(response, status, JSON.stringify(value), headers);
}

export function sendError(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers?: Readonly<Headers>,
): void {
  sendJson(response, status, errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)), headers);
}

/** Refuses a request over a limit, with Retry-After. */
export function sendUnavailable(response: ServerResponse, { error, status }: Refusal): void {
  sendJson(response, status, errorResponse(undefined, error), { "retry-after": "10" });
}

/** 202, without a body. */
export function sendAccepted(response: ServerResponse): void {
  writeHead(response, 202, { "content-length": 0 }).end();
}

/** The first value of a header. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether the Accept header has a media type, or a range that includes it. MCP requires the header: without it, nothing is accepted. */
export function accepts({ headers: { accept = "" } }: IncomingMessage, type: string): boolean {
  if (accept.includes(type) || accept.includes("*/*")) return true;
  return accept.includes(`${type.slice(0, type.indexOf("/"))}/*`);
}
