/** JSON-RPC, as it is written and as it is read. Reading never throws: what is no message is garbage. */
import { isRecord } from "../is-record.ts";
import type { Fields } from "./record.ts";

export type RequestId = string | number;

/** What a request is answered with when it fails. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface Request {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Fields;
}

interface Notification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Fields;
}

interface Reply {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result?: Fields;
  readonly error?: Fault;
}

export type Outgoing = Request | Notification | Reply;

export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly kind: "notification"; readonly method: string; readonly params: Fields }
  | { readonly kind: "response"; readonly id: RequestId; readonly result: Fields }
  | { readonly kind: "error"; readonly id: RequestId | undefined; readonly fault: Fault }
  | { readonly kind: "garbage" };

/** A request among what is sent, by which others are told apart. */
export function isRequest(message: Outgoing): message is Request {
  return "method" in message && "id" in message;
}

export function readIncoming(text: string): Incoming {
  const message = parsed(text);
  if (!isRecord(message) || message["jsonrpc"] !== "2.0") return { kind: "garbage" };
  const { method, result, error } = message;
  const id = isRequestId(message["id"]) ? message["id"] : undefined;
  if (typeof method === "string") {
    const params = isRecord(message["params"]) ? message["params"] : {};
    return id === undefined
      ? { kind: "notification", method, params }
      : { kind: "request", id, method, params };
  }
  if (isRecord(error)) return { kind: "error", id, fault: faultIn(error) };
  if (isRecord(result) && id !== undefined) return { kind: "response", id, result };
  return { kind: "garbage" };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}

function faultIn({ code, message, data }: Fields): Fault {
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "The server did not say what went wrong.",
    ...(data === undefined ? {} : { data }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
