import type { ServerResponse } from "node:http";
import { errorResponse, INVALID_REQUEST, RpcError } from "../rpc/errors.ts";

/** Answers a request with JSON. */
export function answerJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Refuses a request, with a sentence. */
export function refuse(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  answerJson(response, status, errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)), headers);
}

/** Says that a message was taken, and nothing else. */
export function accepted(response: ServerResponse): void {
  response.writeHead(202).end();
}
