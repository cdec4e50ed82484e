/**
 * JSON-RPC error codes, and the conversion of thrown errors.
 *
 * An `RpcError` is sent to the client as it is. Any other error is reported in the log, and the client receives INTERNAL_ERROR.
 */
import type { ErrorResponse, RequestId, Response } from "./messages.ts";
import { PhotonError } from "@photon/core";
import { RunMoved } from "../errors.ts";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const RESOURCE_NOT_FOUND = -32002;
/** 2025-11-25: the user must open a URL first. */
export const URL_ELICITATION_REQUIRED = -32042;
/** 2026-07-28: a header differs from the body. */
export const HEADER_MISMATCH = -32020;
/** 2026-07-28: the client did not declare a capability. */
export const MISSING_CAPABILITY = -32021;
/** 2026-07-28: the revision of a request is not supported. */
export const UNSUPPORTED_VERSION = -32022;
/** A limit of this server. Outside of the codes that JSON-RPC and MCP reserve. */
export const OVER_LIMIT = -31001;

/** An error that is sent to the client as it is. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;
  /** The error for the server's log, if it concerns the operator. */
  readonly reported?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error for a request with the id of a request that is in flight. */
export const idInUse = (id: RequestId): RpcError =>
  new RpcError(
    INVALID_REQUEST,
    `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
  );

/** Without an id if the request is unknown: JSON-RPC has `null` there, which the schemas of MCP and clients of the SDK reject. */
export function errorResponse(id: RequestId | undefined, error: RpcError): ErrorResponse {
  const { code, message, data } = error;
  return {
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}

/** Converts an error for the client, and reports it. */
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

/** The HTTP status of an error in 2026-07-28, if it has its own. */
export const httpStatusOf = ({ code }: RpcError): number | undefined => STATUSES[code];

/**
 * Calls `use`, which serialises a response or batch. If that throws because a tool returned a value that is not JSON, calls it again with
 * an error in place of each response that is not JSON.
 */
export function withSerializationErrors<Given extends Response | readonly Response[], Result>(
  response: Given,
  report: (error: unknown) => void,
  use: (response: Given) => Result,
): Result {
  try {
    return use(response);
  } catch (error) {
    const problem = toRpcError(error, report);
    const replace = (one: Response): Response => (isJson(one) ? one : errorResponse(one.id, problem));
    const replaced = "jsonrpc" in response ? replace(response) : response.map(replace);
    // A response is replaced by a response, and a batch by a batch.
    return use(replaced as Response | readonly Response[] as Given);
  }
}

export function isJson(response: Response): boolean {
  try {
    return JSON.stringify(response) !== "";
  } catch {
    return false;
  }
}

/** Errors that stop a run in this process without ending it. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "RUN_MOVED",
  "RUN_DETACHED",
  "STORE_UNAVAILABLE",
  "RECORDS_UNREADABLE",
]);

/** A run was stopped without a result: the client may send the request again. */
export class RetryableError extends RpcError {
  override readonly reported: unknown;

  constructor(cause: PhotonError) {
    super(INTERNAL_ERROR, `${cause.message} This request has no result; it may be sent again.`);
    this.cause = cause;
    // A run that has moved or was detached is not an error for the operator.
    this.reported = cause.code === "RUN_MOVED" || cause.code === "RUN_DETACHED" ? undefined : cause;
  }
}

const causeOf = (error: unknown): unknown => (error instanceof RetryableError ? error.cause : error);

/** Whether an error says that another process has continued the run. */
export const isMoved = (error: unknown): boolean => causeOf(error) instanceof RunMoved;

/** Whether an error says that another process has continued the run because its client has resumed it there. */
export function hasClientElsewhere(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof RunMoved && cause.hasClientElsewhere;
}

/** The error for the client if the run was stopped without a result; otherwise undefined. */
export function asRetryable(error: unknown): RetryableError | undefined {
  if (error instanceof RetryableError) return error;
  return error instanceof PhotonError && RETRYABLE_CODES.has(error.code)
    ? new RetryableError(error)
    : undefined;
}
