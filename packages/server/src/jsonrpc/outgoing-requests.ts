/**
 * Requests of the server to its client that await a response: questions and pings. `resolve` passes a response to the handler of
 * its request.
 *
 *   1. The caller chooses the id, a string.
 *   2. Cancelling a request sends `notifications/cancelled`, and drops its response.
 *   3. Closing the connection ends every request with `ConnectionClosed`.
 *
 * Callbacks, called once, instead of promises: thousands of questions may be open for days, and a promise retains its waiters.
 */
import { CompactMap } from "../util/compact-map.ts";
import type {
  ErrorResponse,
  Notification,
  Params,
  Request,
  RequestId,
  Response,
  JsonObject,
} from "./messages.ts";

/** Longer error messages of a client are cut: they go into logs. */
const MAX_ERROR_LENGTH = 500;

/** The client has responded with an error. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: number;

  constructor({ code, message }: ErrorResponse["error"]) {
    super(message.length > MAX_ERROR_LENGTH ? `${message.slice(0, MAX_ERROR_LENGTH)}…` : message);
    this.code = code;
  }
}

export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";

  constructor() {
    super("The client has closed the connection.");
  }
}

export interface ResponseHandler {
  /** A question counts toward `limits.asksPerSession`, and its response as memory of `about`. A ping does neither. */
  readonly countsAsQuestion: boolean;
  /** The client's request that the server's request belongs to. */
  readonly about?: RequestId;
  onResult(result: JsonObject): void;
  /** The client has responded with an error or disconnected, or the request could not be sent. */
  onError(error: Error): void;
}

export interface OutgoingRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: Params;
}

interface Connection {
  send(message: Request | Notification, about?: RequestId): void | Promise<void>;
}

export class OutgoingRequests {
  readonly #waiting = new CompactMap<RequestId, ResponseHandler>();
  /** A counter, because it is read for every question. */
  #questions = 0;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** How many questions are open. */
  get size(): number {
    return this.#questions;
  }

  send({ id, method, params }: OutgoingRequest, handler: ResponseHandler): void {
    this.#waiting.set(id, handler);
    if (handler.countsAsQuestion) this.#questions += 1;
    try {
      void this.#connection.send(
        params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params },
        handler.about,
      );
    } catch (error) {
      this.#remove(id);
      handler.onError(new Error("The question could not be sent.", { cause: error }));
    }
  }

  /** The handler that awaits the response to a request. */
  handlerOf(id: RequestId | undefined): ResponseHandler | undefined {
    return id === undefined ? undefined : this.#waiting.get(id);
  }

  /** Another process awaits the response: calls no callback, and sends no cancellation. */
  detach(id: RequestId): void {
    this.#remove(id);
  }

  /** Sends a cancellation, and calls no callback. */
  cancel({ id }: Pick<OutgoingRequest, "id">): void {
    const handler = this.#remove(id);
    if (handler === undefined) return;
    const params = { requestId: id, reason: "No longer wanted." };
    void this.#connection.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, handler.about);
  }

  /** Calls the handler of a response. Drops a response whose request is not open. */
  resolve(response: Response): void {
    // Removed before the callback, so that re-entrant code does not see it as pending.
    const handler = this.#remove(response.id);
    if ("result" in response) handler?.onResult(response.result);
    else handler?.onError(new ClientError(response.error));
  }

  close(): void {
    // A callback may cancel another request.
    for (const [id] of this.#waiting.entries()) this.#remove(id)?.onError(new ConnectionClosed());
  }

  #remove(id: RequestId | undefined): ResponseHandler | undefined {
    const handler = this.handlerOf(id);
    if (id === undefined || handler === undefined) return undefined;
    this.#waiting.delete(id);
    if (handler.countsAsQuestion) this.#questions -= 1;
    return handler;
  }
}
