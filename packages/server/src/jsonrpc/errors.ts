/**
 * What goes back when something goes wrong: one table of codes, one mapper.
 *
 * Errors of the protocol are `RpcError`s. Everything else that reaches the edge
 * is ours to hide: the client is told that it happened, the log is told what.
 */
import type { ErrorResponse, RequestId, Response } from "./messages.ts";
import { PhotonError } from "@photon/core";
import { RunMoved } from "../errors.ts";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Something is not there: a resource that nobody has. */
export const RESOURCE_NOT_FOUND = -32002;
/** A step outside of the conversation is needed first (2025-11-25). */
export const URL_ELICITATION_REQUIRED = -32042;
/** A header does not say what the body says (2026-07-28). */
export const HEADER_MISMATCH = -32020;
/** The client did not declare what is needed (2026-07-28). */
export const MISSING_CAPABILITY = -32021;
/** A request is of a revision that is not spoken here (2026-07-28). */
export const UNSUPPORTED_VERSION = -32022;
/** More than a limit of this server allows. Outside of what JSON-RPC and MCP reserve. */
export const OVER_LIMIT = -31001;
/** Why nobody new is let in. */
export const SERVER_FULL = "This server has as many sessions as it takes; come back later.";

/** An error that is told to the client as it is. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;
  /** What the log of the server is told of it, where that concerns whoever runs it. */
  readonly reported?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * An answer that says what went wrong with a request; without an id where it could not be told which request it was.
 * JSON-RPC has `null` there, which no schema of MCP has: a client built on the SDK could not read it.
 */
export function errorResponse(id: RequestId | undefined, error: RpcError): ErrorResponse {
  const { code, message, data } = error;
  return {
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}

/** The one mapper at the edge: anything that was thrown, as an error for the client. */
export function toRpcError(thrown: unknown, report: (error: unknown) => void): RpcError {
  if (thrown instanceof RpcError) {
    if (thrown.reported !== undefined) report(thrown.reported);
    return thrown;
  }
  report(thrown);
  return new RpcError(INTERNAL_ERROR, "Something went wrong in the server; its log says what.");
}

const STATUSES: Readonly<Record<number, number>> = {
  [METHOD_NOT_FOUND]: 404,
  [HEADER_MISMATCH]: 400,
  [MISSING_CAPABILITY]: 400,
  [UNSUPPORTED_VERSION]: 400,
};

/** The HTTP status that an error has of its own, if it has one (2026-07-28). */
export const httpStatusOf = ({ code }: RpcError): number | undefined => STATUSES[code];

/** The same answers, with an error in the place of each that is no JSON because an author made it so. */
export function withSerializationErrors(
  answers: Response | readonly Response[],
  problem: RpcError,
): Response | readonly Response[] {
  const mend = (one: Response): Response => (isJson(one) ? one : errorResponse(one.id, problem));
  return "jsonrpc" in answers ? mend(answers) : answers.map(mend);
}

export function isJson(response: Response): boolean {
  try {
    return JSON.stringify(response) !== "";
  } catch {
    return false;
  }
}

/** What stops a run here and is not its end: it goes on elsewhere, or later. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "RUN_MOVED",
  "RUN_DETACHED",
  "STORE_UNAVAILABLE",
  "RECORDS_UNREADABLE",
]);

/** A run was stopped in the middle, and nothing has come of it: the same request may come again. */
export class RetryableError extends RpcError {
  override readonly reported: unknown;

  constructor(why: PhotonError) {
    super(INTERNAL_ERROR, `${why.message} Nothing has come of this request; it may be sent again.`);
    this.cause = why;
    // That a run goes on elsewhere is as it should be.
    this.reported = why.code === "RUN_MOVED" || why.code === "RUN_DETACHED" ? undefined : why;
  }
}

/** Whether an error says that another process has continued the run. */
export const isMoved = (error: unknown): boolean => asRetryable(error)?.cause instanceof RunMoved;

/** Whether an error says that another process has continued the run because its client has come back there. */
export function hasClientElsewhere(error: unknown): boolean {
  const cause = asRetryable(error)?.cause;
  return cause instanceof RunMoved && cause.hasClientElsewhere;
}

/** An error as an interruption, if it is one. */
export function asRetryable(error: unknown): RetryableError | undefined {
  if (error instanceof RetryableError) return error;
  return error instanceof PhotonError && RETRYABLE_CODES.has(error.code)
    ? new RetryableError(error)
    : undefined;
}
