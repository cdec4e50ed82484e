/** What an HTTP request is answered with, where that is no stream. */
import type { ServerResponse } from "node:http";
import type { Account, Refusal } from "../accounts.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import { UNCOUNTED } from "./unread.ts";

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

/** The same for a result, which may be long: what its client does not read counts as memory of its principal. */
export function answerResult(
  response: ServerResponse,
  status: number,
  text: string,
  account: Account,
  headers?: Readonly<Headers>,
): void {
  answerText(response, status, text, headers);
  const waiting = response.writableLength;
  if (waiting <= UNCOUNTED || response.destroyed) return;
  account.overdraw(waiting);
  response.once("close", () => account.release(waiting));
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

/** Refuses what is over a limit, for now. */
export function refuseForNow(response: ServerResponse, { error, status }: Refusal): void {
  answerText(response, status, JSON.stringify(errorResponse(undefined, error)), { "retry-after": "10" });
}

/** Says that a message was taken, and nothing else. */
export function accepted(response: ServerResponse): void {
  begin(response, 202, { "content-length": 0 }).end();
}
