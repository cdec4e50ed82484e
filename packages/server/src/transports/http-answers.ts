/** What an HTTP request is answered with, where that is no stream. */
import type { ServerResponse } from "node:http";
import { errorResponse, FULL, INVALID_REQUEST, OVER_LIMIT, RpcError } from "../rpc/errors.ts";

type Headers = Record<string, string | number>;

/**
 * Says how an answer begins. Whoever asks is looked at by their Origin, and a cache must not give the answer of one to
 * another; where the app around us has said by what its answers differ, ours has been added to that. The headers are
 * given away: a copy of them would be made for every answer.
 */
export function begin(response: ServerResponse, status: number, headers: Headers): ServerResponse {
  if (!response.hasHeader("vary")) headers["vary"] = "Origin";
  return response.writeHead(status, headers);
}

/** Answers a request with JSON that is text already. */
export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers?: Readonly<Headers>,
): void {
  if (response.headersSent || response.destroyed) return;
  const usual: Headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  begin(response, status, headers === undefined ? usual : { ...usual, ...headers });
  response.end(text);
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  answerText(response, status, JSON.stringify(value));
}

/** Refuses a request, with a sentence. */
export function refuse(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers?: Readonly<Headers>,
): void {
  const refusal = errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence));
  answerText(response, status, JSON.stringify(refusal), headers);
}

/** Says that nobody new is let in. */
export function refuseForNow(response: ServerResponse): void {
  const refusal = errorResponse(undefined, new RpcError(OVER_LIMIT, FULL));
  answerText(response, 503, JSON.stringify(refusal), { "retry-after": "10" });
}

/** Says that a message was taken, and nothing else. */
export function accepted(response: ServerResponse): void {
  begin(response, 202, { "content-length": 0 }).end();
}
