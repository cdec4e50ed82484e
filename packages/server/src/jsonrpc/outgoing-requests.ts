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
import { Roster } from "../util/compact-map.ts";
import type { ErrorResponse, Notification, Params, Request, RequestId, Response, Wire } from "./messages.ts";

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
export class LineClosed extends Error {
  override readonly name = "LineClosed";

  constructor() {
    super("The client has hung up.");
  }
}

/** Whoever sent a request, and waits for its answer. */
export interface Asker {
  /** Whether it asks somebody something, and is counted. A ping does not. */
  readonly isQuestion: boolean;
  /** The request of the client's that it belongs to, where its answer is kept as long as that. */
  readonly about?: RequestId | undefined;
  /** Takes the result, whatever it is: a client cannot reply twice. */
  answered(result: Wire): void;
  /** There will be no answer: the client says so, or is gone, or could not be asked. */
  failed(error: Error): void;
}

export interface Asking {
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

export class Requests {
  readonly #waiting = new Roster<RequestId, Asker>();
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
  ask({ id, method, params, about }: Asking, asker: Asker): void {
    this.#remember(id, asker);
    try {
      void this.#line.send(
        params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params },
        about,
      );
    } catch (error) {
      // What cannot be sent is not waited for.
      this.#forget(id, asker);
      asker.failed(new Error("The question could not be sent.", { cause: error }));
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
  giveAway(id: RequestId): void {
    const asker = this.#waiting.get(id);
    if (asker !== undefined) this.#forget(id, asker);
  }

  /** The answer is no longer wanted: whoever asked is not called back any more. */
  takeBack({ id, about }: Pick<Asking, "id" | "about">): void {
    const asker = this.#waiting.get(id);
    if (asker === undefined) return;
    this.#forget(id, asker);
    const params = { requestId: id, reason: "No longer wanted." };
    void this.#line.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, about);
  }

  /** Takes an answer; one to nothing is dropped. */
  settle(response: Response): void {
    const { id } = response;
    const asker = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || asker === undefined) return;
    // Before whoever asked goes on: what is answered is not open any more.
    this.#forget(id, asker);
    if ("result" in response) asker.answered(response.result);
    else asker.failed(new ClientError(response.error));
  }

  /** The line is gone. */
  close(): void {
    for (const [id, asker] of this.#waiting.entries()) {
      // What fails one may take back another.
      if (this.#forget(id, asker)) asker.failed(new LineClosed());
    }
  }

  #remember(id: RequestId, asker: Asker): void {
    this.#waiting.set(id, asker);
    if (asker.isQuestion) this.#questions += 1;
  }

  /** Whether it was waited for. */
  #forget(id: RequestId, asker: Asker): boolean {
    const isWaiting = this.#waiting.delete(id);
    if (isWaiting && asker.isQuestion) this.#questions -= 1;
    return isWaiting;
  }
}

/** The answer is no longer wanted. */
export class TakenBack extends Error {
  override readonly name = "TakenBack";

  constructor() {
    super("The question was taken back.");
  }
}

/**
 * The answer to a question, for whoever waits for something else as well; it is wanted until the signal is aborted.
 * `read` turns a result into what is wanted.
 */
export function answerTo<T>(
  asking: Asking,
  requests: Pick<Requests, "ask" | "takeBack">,
  signal: AbortSignal,
  read: (result: Wire) => T,
): Promise<T> {
  if (signal.aborted) return Promise.reject(new TakenBack());
  return new Promise((resolve, reject) => {
    const takeBack = (): void => {
      requests.takeBack(asking);
      reject(new TakenBack());
    };
    signal.addEventListener("abort", takeBack, { once: true });
    requests.ask(asking, {
      isQuestion: true,
      about: asking.about,
      answered: (result) => resolve(read(result)),
      failed: reject,
    });
  });
}
