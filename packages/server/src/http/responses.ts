import type { Duplex } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account, Refusal } from "../accounts.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import { UNCOUNTED_BYTES } from "./unread-output.ts";

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
 * Writes the head, with `Vary: Origin`: the answer depends on the Origin, and a cache must not give it to another. If the app around
 * the router has set Vary, `cors` has appended to it. Changes `headers`, to save a copy for every response.
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
  const usual: Headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  writeHead(response, status, headers === undefined ? usual : { ...usual, ...headers });
  response.end(text);
}

/** The same for a result, which may be long: its unread part counts as memory of the principal. */
export function sendResult(
  response: ServerResponse,
  status: number,
  text: string,
  account: Account,
  headers?: Readonly<Headers>,
): void {
  sendJsonText(response, status, text, headers);
  const waiting = response.writableLength;
  if (waiting <= UNCOUNTED_BYTES || response.destroyed) return;
  account.overdraw(waiting);
  response.once("close", () => account.release(waiting));
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value));
}

export function sendError(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers?: Readonly<Headers>,
): void {
  const refusal = errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence));
  sendJsonText(response, status, JSON.stringify(refusal), headers);
}

/** Refuses a request over a limit, with Retry-After. */
export function sendUnavailable(response: ServerResponse, { error, status }: Refusal): void {
  sendJsonText(response, status, JSON.stringify(errorResponse(undefined, error)), { "retry-after": "10" });
}

/** 202, without a body. */
export function sendAccepted(response: ServerResponse): void {
  writeHead(response, 202, { "content-length": 0 }).end();
}

/** A header of a request; the first, where it was sent twice. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Whether a client accepts a media type, by its name or a range that it is in. A client that sends no Accept accepts nothing: MCP
 * requires it to say what it takes.
 */
export function accepts({ headers: { accept = "" } }: IncomingMessage, type: string): boolean {
  if (accept.includes(type) || accept.includes("*/*")) return true;
  return accept.includes(`${type.slice(0, type.indexOf("/"))}/*`);
}

/** Whether a client knows events without data: since 2025-11-25. */
export const supportsPrimingEvent = (request: IncomingMessage): boolean =>
  (header(request, "mcp-protocol-version") ?? "") >= "2025-11-25";
