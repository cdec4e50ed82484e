/** JSON-RPC 2.0 messages as MCP uses them: their types, and parsing them. */
import type { Limits } from "../limits.ts";
import { errorResponse, INVALID_REQUEST, OVER_LIMIT, PARSE_ERROR, RpcError } from "./errors.ts";
import { countInText, MAX_DEPTH } from "./message-size.ts";

/** The id of a request, which its response repeats. */
export type RequestId = string | number;

/** A JSON object whose fields are not checked yet. */
export type JsonObject = { readonly [name: string]: unknown };

/** The parameters of a request or notification. */
export interface Params {
  readonly _meta?:
    | { readonly progressToken?: RequestId | undefined; readonly [name: string]: unknown }
    | undefined;
  readonly [name: string]: unknown;
}

/** A message that gets a response. */
export interface Request {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params | undefined;
}

/** A message that gets no response. */
export interface Notification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params | undefined;
}

/** A response with a result. */
export interface ResultResponse {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: JsonObject;
}

/** A response with an error. */
export interface ErrorResponse {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The response to a request. */
export type Response = ResultResponse | ErrorResponse;
/** A message of JSON-RPC. */
export type Message = Request | Notification | Response;

/** Ids are kept, compared and sent back, also those of refused requests. UUIDs have 36 characters. */
const MAX_ID_LENGTH = 256;

export type ParsedMessage =
  | { readonly kind: "request"; readonly message: Request }
  | { readonly kind: "notification"; readonly message: Notification }
  | { readonly kind: "response"; readonly message: Response }
  | { readonly kind: "invalid"; readonly refusal: ErrorResponse };

/**
 * Classifies a parsed value. Never throws: a value that is not a message is "invalid", with the response that refuses it.
 *
 * The casts: every field was checked, except `_meta`, which is checked where it is read.
 */
export function parseMessage(value: unknown): ParsedMessage {
  if (!isRecord(value)) return invalidMessage(undefined, "a message must be an object");
  const { id, method, params } = value;
  if (value["jsonrpc"] !== "2.0") return invalidMessage(id, 'a message must have jsonrpc: "2.0"');
  if (isDeeperThan(MAX_DEPTH, value))
    return invalidMessage(
      "method" in value ? id : undefined,
      `a message is nested at most ${MAX_DEPTH} levels deep`,
    );
  if ("method" in value) {
    if (typeof method !== "string") return invalidMessage(id, "a method must be a text");
    if (params !== undefined && !isRecord(params)) return invalidMessage(id, "params must be an object");
    if (!("id" in value)) return { kind: "notification", message: value as unknown as Notification };
    if (!isRequestId(id)) return invalidMessage(undefined, "an id must be a text or a whole number");
    if (typeof id === "string" && id.length > MAX_ID_LENGTH)
      return invalidMessage(id, `an id has at most ${MAX_ID_LENGTH} characters`);
    return { kind: "request", message: value as unknown as Request };
  }
  const { result, error } = value;
  const isResult = isRecord(result) && !("error" in value) && isRequestId(id);
  const isError =
    isRecord(error) &&
    typeof error["code"] === "number" &&
    typeof error["message"] === "string" &&
    !("result" in value) &&
    (id === undefined || id === null || isRequestId(id));
  if (!isResult && !isError)
    return invalidMessage(undefined, "a message must have a method, a result or an error");
  // JSON-RPC has `null` for an unknown request.
  const response = id === null ? { ...value, id: undefined } : value;
  return { kind: "response", message: response as unknown as Response };
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // `for in`, because `Object.values` would allocate a list for every object of every message. Parsed JSON has own names only.
  for (const name in value) {
    if (isDeeperThan(levels - 1, (value as JsonObject)[name])) return true;
  }
  return false;
}

function invalidMessage(id: unknown, problem: string): ParsedMessage {
  const error = new RpcError(INVALID_REQUEST, `Invalid message: ${problem}.`);
  return { kind: "invalid", refusal: errorResponse(isRequestId(id) ? id : undefined, error) };
}

export function isNotification(message: Message | readonly Message[]): message is Notification {
  return "method" in message && !("id" in message);
}

/** Whether a message to the client is a response, or an array of the responses to a batch. */
export function isResponse(message: Message | readonly Message[]): message is Response | readonly Response[] {
  return !("method" in message);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The requests in a message or batch; none in a batch that is refused because it is longer than `maxBatch`. */
export function requestsIn(value: unknown, maxBatch: number): readonly Request[] {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (messages.length > maxBatch && Array.isArray(value)) return [];
  return messages.flatMap((one) => {
    const parsed = parseMessage(one);
    return parsed.kind === "request" ? [parsed.message] : [];
  });
}

/** Parses JSON, or returns the response that refuses it. */
export function parseJson(
  text: string,
  limits: Limits,
): { readonly value: unknown } | { readonly refusal: ErrorResponse } {
  const refusal = overLimit(text, limits);
  if (refusal !== undefined) return { refusal };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { refusal: errorResponse(undefined, new RpcError(PARSE_ERROR, "The message is not JSON.")) };
  }
}

/** The refusal of a text with too many values or keys, with the id of its request. */
function overLimit(text: string, { messageValues, messageKeys }: Limits): ErrorResponse | undefined {
  // A value takes two characters at least, and a key five.
  if (text.length <= Math.min(2 * messageValues, 5 * messageKeys)) return undefined;
  const { values, keys, id } = countInText(text);
  if (values <= messageValues && keys <= messageKeys) return undefined;
  const limit = values > messageValues ? `${messageValues} values` : `${messageKeys} keys`;
  return errorResponse(
    id,
    new RpcError(OVER_LIMIT, `A message has at most ${limit}, in all its objects and lists.`),
  );
}
