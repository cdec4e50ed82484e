/**
 * What goes back when something goes wrong: one table of codes, one mapper.
 *
 * Errors of the protocol are `RpcError`s. Everything else that reaches the edge
 * is ours to hide: the client is told that it happened, the log is told what.
 */
import type { ErrorResponse, RequestId } from "./message.ts";

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
export const FULL = "This server has as many sessions as it takes; come back later.";

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
export function rpcErrorOf(thrown: unknown, report: (error: unknown) => void): RpcError {
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
export const statusOf = ({ code }: RpcError): number | undefined => STATUSES[code];
