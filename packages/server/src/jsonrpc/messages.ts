import type { Limits } from "../limits.ts";
import { errorResponse, OVER_LIMIT, PARSE_ERROR, RpcError } from "./errors.ts";

/** JSON-RPC 2.0 messages, as MCP uses them. */
export type RequestId = string | number;

/** An object on the wire, whatever is in it. */
export type JsonObject = { readonly [name: string]: unknown };

export interface Params {
  readonly _meta?:
    | { readonly progressToken?: RequestId | undefined; readonly [name: string]: unknown }
    | undefined;
  readonly [name: string]: unknown;
}

export interface Request {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params | undefined;
}

export interface Notification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params | undefined;
}

export interface ResultResponse {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: JsonObject;
}

export interface ErrorResponse {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Response = ResultResponse | ErrorResponse;
export type Message = Request | Notification | Response;

/** Deeper messages are refused: reading, comparing or copying them would use up the stack. */
export const MAX_DEPTH = 500;
/** Ids are kept, compared and sent back, also of requests that are refused. UUIDs have 36 characters. */
const MAX_ID_LENGTH = 256;

/** What came in, once it is known what it is. */
export type ParsedMessage =
  | { readonly kind: "request"; readonly message: Request }
  | { readonly kind: "notification"; readonly message: Notification }
  | { readonly kind: "response"; readonly message: Response }
  | { readonly kind: "invalid"; readonly id: RequestId | undefined; readonly problem: string };

/**
 * Classifies a parsed value. Never throws: a value that is no message is "invalid", with a sentence.
 *
 * The casts: every field was checked, except `_meta`, which is checked where it is read.
 */
export function parseMessage(value: unknown): ParsedMessage {
  if (!isRecord(value)) return invalidMessage(undefined, "a message is an object");
  const { id, method, params } = value;
  if (value["jsonrpc"] !== "2.0") return invalidMessage(id, 'a message has jsonrpc: "2.0"');
  if (isDeeperThan(MAX_DEPTH, value))
    return invalidMessage(
      "method" in value ? id : undefined,
      `a message is nested at most ${MAX_DEPTH} levels deep`,
    );
  if ("method" in value) {
    if (typeof method !== "string") return invalidMessage(id, "a method is a text");
    if (params !== undefined && !isRecord(params)) return invalidMessage(id, "params are an object");
    if (!("id" in value)) return { kind: "notification", message: value as unknown as Notification };
    if (!isRequestId(id)) return invalidMessage(undefined, "an id is a text or a whole number");
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
  // JSON-RPC has `null` for an unknown request.
  const answer = id === null ? { ...value, id: undefined } : value;
  if (isResult || isError) return { kind: "response", message: answer as unknown as Response };
  return invalidMessage(undefined, "a message has a method, a result or an error");
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // By name: a list of its members would be made and thrown away for every object of every message.
  for (const name in value) {
    // Its own names, as they came out of JSON.
    if (isDeeperThan(levels - 1, (value as JsonObject)[name])) return true;
  }
  return false;
}

function invalidMessage(id: unknown, problem: string): ParsedMessage {
  return { kind: "invalid", id: isRequestId(id) ? id : undefined, problem };
}

export function isNotification(message: Message | readonly Message[]): message is Notification {
  return "method" in message && !("id" in message);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The requests in what came in: one message, or several. Of more than so many there are none: they are refused as a whole. */
export function requestsIn(value: unknown, most: number): readonly Request[] {
  if (Array.isArray(value) && value.length > most) return [];
  const requests: Request[] = [];
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const incoming = parseMessage(one);
    if (incoming.kind === "request") requests.push(incoming.message);
  }
  return requests;
}

// Values and keys are counted before parsing: parsing and checking 4 MiB of empty lists, or of keys, takes seconds, counting 10 ms.
type SizeLimits = Pick<Limits, "messageValues" | "messageKeys">;

/** Parses JSON, or returns the response that refuses it. */
export function parseJson(
  text: string,
  limits: SizeLimits,
): { readonly value: unknown } | { readonly refusal: ErrorResponse } {
  const refusal = overLimit(text, limits);
  if (refusal !== undefined) return { refusal };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { refusal: errorResponse(undefined, new RpcError(PARSE_ERROR, "That is not JSON.")) };
  }
}

/** The refusal of a text with too many values or keys, under the id of the request where it is one. */
function overLimit(text: string, { messageValues, messageKeys }: SizeLimits): ErrorResponse | undefined {
  // A value takes two characters at least, and a key five.
  if (text.length <= Math.min(2 * messageValues, 5 * messageKeys)) return undefined;
  const { values, keys, id } = count(text);
  const most =
    values > messageValues
      ? `${messageValues} values`
      : keys > messageKeys
        ? `${messageKeys} keys`
        : undefined;
  if (most === undefined) return undefined;
  return errorResponse(
    id,
    new RpcError(OVER_LIMIT, `A message has at most ${most}, in all its objects and lists.`),
  );
}

interface Counted {
  readonly values: number;
  readonly keys: number;
  /** The id of a request. Clients of the SDK write it last. */
  readonly id: RequestId | undefined;
}

/** Counts what a text would be parsed to. Of a text that is no JSON, the counts mean nothing. */
function count(text: string): Counted {
  let values = 1;
  let keys = 0;
  let depth = 0;
  let id: RequestId | undefined;
  let isRequest = false;
  /** Whether nothing has come since a list or an object was opened. */
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at);
        if (depth === 1 && end - at < 8) {
          const name = text.slice(at, end + 1);
          if (name === '"id"') id = idAfter(text, end + 1) ?? id;
          if (name === '"method"') isRequest = true;
        }
        at = end;
        break;
      }
      case "[":
      case "{":
        depth += 1;
        values += 1;
        isEmpty = true;
        continue;
      case "]":
      case "}":
        depth -= 1;
        if (isEmpty) values -= 1;
        break;
      case ",":
        values += 1;
        break;
      case ":":
        keys += 1;
        break;
      case " ":
      case "\n":
      case "\r":
      case "\t":
        continue;
    }
    isEmpty = false;
  }
  return { values, keys, id: isRequest ? id : undefined };
}

/** Where a string ends that begins at a quote. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text[escapes - 1] === "\\") escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** Nothing where it is no id, or a longer text than any id is. */
function idAfter(text: string, from: number): RequestId | undefined {
  const [, spelled] = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/.exec(text.slice(from, from + 1000)) ?? [];
  try {
    // As the pattern has it, a text or a whole number.
    return spelled === undefined ? undefined : (JSON.parse(spelled) as RequestId);
  } catch {
    return undefined;
  }
}
