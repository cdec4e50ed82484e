/**
 * The requests that a server has sent to its client, until they are answered.
 *
 *   1. An id is a text that the caller makes; it is never 0.
 *   2. A request that is no longer wanted is cancelled on the wire, and its answer dropped.
 *   3. When the line goes, every request ends.
 *
 * Whoever asks is called back, once: a question may be open for days, among thousands, and a promise would hold on to
 * everybody who waits for it.
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

/** The longest text of a client's error that is kept: it goes into logs, and a client writes as many as it likes. */
const MAX_MESSAGE = 500;

/** The client answered with an error. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: number;

  constructor({ code, message }: ErrorResponse["error"]) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.code = code;
  }
}

/** The client is gone. */
export class ConnectionClosed extends Error {
  override readonly name = "LineClosed";

  constructor() {
    super("The client has hung up.");
  }
}

/** Whoever sent a request, and waits for its answer. */
export interface ResponseHandler {
  /** Whether it asks somebody something, and is counted. A ping does not. */
  readonly countsAsQuestion: boolean;
  /** The request of the client's that it belongs to, where its answer is kept as long as that. */
  readonly about?: RequestId | undefined;
  /** Takes the result, whatever it is: a client cannot reply twice. */
  onResult(result: JsonObject): void;
  /** There will be no answer: the client says so, or is gone, or could not be asked. */
  onError(error: Error): void;
}

export interface OutgoingRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: Params;
  /** The request of the client's that this one belongs to. */
  readonly about?: RequestId;
}

/** Where requests are sent. */
interface Sending {
  send(message: Request | Notification, about?: RequestId): void | Promise<void>;
}

export class OutgoingRequests {
  readonly #waiting = new CompactMap<RequestId, ResponseHandler>();
  /** Counted as they come and go: whoever looks does so for every question. */
  #questions = 0;
  readonly #line: Sending;

  constructor(line: Sending) {
    this.#line = line;
  }

  /** How many questions are open. */
  get size(): number {
    return this.#questions;
  }

  /** Sends a request. */
  send({ id, method, params, about }: OutgoingRequest, asker: ResponseHandler): void {
    this.#remember(id, asker);
    try {
      void this.#line.send(
        params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params },
        about,
      );
    } catch (error) {
      // What cannot be sent is not waited for.
      this.#forget(id, asker);
      asker.onError(new Error("The question could not be sent.", { cause: error }));
    }
  }

  /** Whether an answer to this is waited for. */
  has(id: RequestId): boolean {
    return this.#waiting.has(id);
  }

  /** The request of the client's that an answer to this is kept for. */
  aboutOf(id: RequestId | undefined): RequestId | undefined {
    return id === undefined ? undefined : this.#waiting.get(id)?.about;
  }

  /** Somebody else waits for the answer now: whoever asked is not called back any more, and the client is not told. */
  detach(id: RequestId): void {
    const asker = this.#waiting.get(id);
    if (asker !== undefined) this.#forget(id, asker);
  }

  /** The answer is no longer wanted: whoever asked is not called back any more. */
  cancel({ id, about }: Pick<OutgoingRequest, "id" | "about">): void {
    const asker = this.#waiting.get(id);
    if (asker === undefined) return;
    this.#forget(id, asker);
    const params = { requestId: id, reason: "No longer wanted." };
    void this.#line.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, about);
  }

  /** Takes an answer; one to nothing is dropped. */
  resolve(response: Response): void {
    const { id } = response;
    const asker = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || asker === undefined) return;
    // Before whoever asked goes on: what is answered is not open any more.
    this.#forget(id, asker);
    if ("result" in response) asker.onResult(response.result);
    else asker.onError(new ClientError(response.error));
  }

  /** The line is gone. */
  close(): void {
    for (const [id, asker] of this.#waiting.entries()) {
      // What fails one may take back another.
      if (this.#forget(id, asker)) asker.onError(new ConnectionClosed());
    }
  }

  #remember(id: RequestId, asker: ResponseHandler): void {
    this.#waiting.set(id, asker);
    if (asker.countsAsQuestion) this.#questions += 1;
  }

  /** Whether it was waited for. */
  #forget(id: RequestId, asker: ResponseHandler): boolean {
    const isWaiting = this.#waiting.delete(id);
    if (isWaiting && asker.countsAsQuestion) this.#questions -= 1;
    return isWaiting;
  }
}

/** The answer is no longer wanted. */
export class RequestCancelled extends Error {
  override readonly name = "TakenBack";

  constructor() {
    super("The question was taken back.");
  }
}

/**
 * The answer to a question, for whoever waits for something else as well; it is wanted until the signal is aborted.
 * `read` turns a result into what is wanted.
 */
export function requestWithSignal<T>(
  asking: OutgoingRequest,
  requests: Pick<OutgoingRequests, "send" | "cancel">,
  signal: AbortSignal,
  read: (result: JsonObject) => T,
): Promise<T> {
  if (signal.aborted) return Promise.reject(new RequestCancelled());
  return new Promise((resolve, reject) => {
    const takeBack = (): void => {
      requests.cancel(asking);
      reject(new RequestCancelled());
    };
    signal.addEventListener("abort", takeBack, { once: true });
    requests.send(asking, {
      countsAsQuestion: true,
      about: asking.about,
      onResult: (result) => resolve(read(result)),
      onError: reject,
    });
  });
}
