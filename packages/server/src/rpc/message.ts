/** JSON-RPC 2.0 messages, as MCP uses them. */
export type RequestId = string | number;

/** An object on the wire, whatever is in it. */
export type Wire = { readonly [name: string]: unknown };

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
  readonly result: Wire;
}

export interface ErrorResponse {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Response = ResultResponse | ErrorResponse;
export type Message = Request | Notification | Response;

/** Deeper messages are refused: reading, comparing or copying them would use up the stack. */
export const DEEPEST = 500;
/** Ids are kept, compared and sent back, also of requests that are refused. UUIDs have 36 characters. */
const LONGEST_ID = 256;

/** What came in, once it is known what it is. */
export type Incoming =
  | { readonly kind: "request"; readonly message: Request }
  | { readonly kind: "notification"; readonly message: Notification }
  | { readonly kind: "response"; readonly message: Response }
  | { readonly kind: "garbage"; readonly id: RequestId | undefined; readonly problem: string };

/**
 * Tells what a parsed value is. Total: whatever is no message is garbage, with a sentence.
 *
 * Its casts: every field was looked at, except `_meta`, which whoever reads it looks at again.
 */
export function readMessage(value: unknown): Incoming {
  if (!isRecord(value)) return garbage(undefined, "a message is an object");
  const { id, method, params } = value;
  if (value["jsonrpc"] !== "2.0") return garbage(id, 'a message has jsonrpc: "2.0"');
  if (isDeeperThan(DEEPEST, value))
    return garbage("method" in value ? id : undefined, `a message is nested at most ${DEEPEST} levels deep`);
  if ("method" in value) {
    if (typeof method !== "string") return garbage(id, "a method is a text");
    if (params !== undefined && !isRecord(params)) return garbage(id, "params are an object");
    if (!("id" in value)) return { kind: "notification", message: value as unknown as Notification };
    if (!isRequestId(id)) return garbage(undefined, "an id is a text or a whole number");
    if (typeof id === "string" && id.length > LONGEST_ID)
      return garbage(id, `an id has at most ${LONGEST_ID} characters`);
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
  // What JSON-RPC calls `null` is no id: nobody knows which request it answers.
  const answer = id === null ? { ...value, id: undefined } : value;
  if (isResult || isError) return { kind: "response", message: answer as unknown as Response };
  return garbage(undefined, "a message has a method, a result or an error");
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // By name: a list of its members would be made and thrown away for every object of every message.
  for (const name in value) {
    // Its own names, as they came out of JSON.
    if (isDeeperThan(levels - 1, (value as Wire)[name])) return true;
  }
  return false;
}

function garbage(id: unknown, problem: string): Incoming {
  return { kind: "garbage", id: isRequestId(id) ? id : undefined, problem };
}

/** Whether nobody answers it. */
export function isNotification(message: Message | readonly Message[]): message is Notification {
  return "method" in message && !("id" in message);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
}

export function isRecord(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
