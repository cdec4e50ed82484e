/**
 * The requests that a server has sent to its client, until they are answered.
 *
 *   1. An id is a text that the caller makes; it is never 0.
 *   2. A request that is no longer wanted is cancelled on the wire, and its answer dropped.
 *   3. When the line goes, every request ends.
 */
import type { ErrorResponse, Notification, Params, Request, RequestId, Response, Wire } from "./message.ts";

/** The client answered with an error. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: number;

  constructor({ code, message }: ErrorResponse["error"]) {
    super(message);
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

/** The answer is no longer wanted. */
export class TakenBack extends Error {
  override readonly name = "TakenBack";

  constructor() {
    super("The question was taken back.");
  }
}

interface Waiting {
  readonly about: RequestId | undefined;
  readonly accept: (result: Wire) => string | undefined;
  readonly takeBack: () => void;
  readonly fail: (error: Error) => void;
}

export interface Asking {
  readonly id: string;
  readonly method: string;
  readonly params?: Params;
  /** The request of the client's that this one belongs to. */
  readonly about?: RequestId;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export class Requests {
  readonly #waiting = new Map<RequestId, Waiting>();
  /** Counted as they come and go: whoever looks does so for every question. */
  #questions = 0;
  readonly #send: (message: Request | Notification, about?: RequestId) => void;

  constructor(send: (message: Request | Notification, about?: RequestId) => void) {
    this.#send = send;
  }

  /** How many questions are open. A ping is none. */
  get size(): number {
    return this.#questions;
  }

  /** Sends a request. `read` turns the result into what is wanted, or says what is wrong with it; then it is still waited for. */
  ask<T>(
    asking: Asking,
    read: (result: Wire) => { readonly value: T } | { readonly problem: string },
  ): Promise<T> {
    const { id, method, params, about, signal } = asking;
    if (signal.aborted) return Promise.reject(new TakenBack());
    return new Promise<T>((resolve, reject) => {
      const counts = method === "ping" ? 0 : 1;
      const done = (): void => {
        if (this.#waiting.delete(id)) this.#questions -= counts;
        signal.removeEventListener("abort", takeBack);
      };
      const takeBack = (): void => {
        done();
        this.#send(
          {
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            params: { requestId: id, reason: "No longer wanted." },
          },
          about,
        );
        reject(new TakenBack());
      };
      const fail = (error: Error): void => {
        done();
        reject(error);
      };
      const accept = (result: Wire): string | undefined => {
        const verdict = read(result);
        if ("problem" in verdict) return verdict.problem;
        done();
        resolve(verdict.value);
        return undefined;
      };
      this.#waiting.set(id, { about, accept, takeBack, fail });
      this.#questions += counts;
      signal.addEventListener("abort", takeBack, { once: true });
      try {
        this.#send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }, about);
      } catch (error) {
        // What cannot be sent is not waited for.
        fail(new Error("The question could not be sent.", { cause: error }));
      }
    });
  }

  /** Takes an answer. Gives back what is wrong with it, if it is no legal answer; one to nothing is dropped. */
  settle(response: Response): string | undefined {
    const waiting = response.id === undefined ? undefined : this.#waiting.get(response.id);
    if (waiting === undefined) return undefined;
    if ("result" in response) return waiting.accept(response.result);
    waiting.fail(new ClientError(response.error));
    return undefined;
  }

  /** Takes back whatever was asked on behalf of a request of the client's. */
  takeBack(about: RequestId): void {
    for (const waiting of this.#waiting.values()) if (waiting.about === about) waiting.takeBack();
  }

  /** The line is gone. */
  close(): void {
    for (const waiting of this.#waiting.values()) waiting.fail(new LineClosed());
  }
}
