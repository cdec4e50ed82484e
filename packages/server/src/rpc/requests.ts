/**
 * The requests that a server has sent to its client, until they are answered.
 *
 *   1. An id is a text that the caller makes; it is never 0.
 *   2. A request that is no longer wanted is cancelled on the wire, and its answer dropped.
 *   3. When the line goes, every request ends.
 */
import type { ErrorResponse, Notification, Params, Request, RequestId, Response } from "./message.ts";

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

type Result = { readonly [name: string]: unknown };

interface Waiting {
  readonly accept: (result: Result) => string | undefined;
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
  readonly #send: (message: Request | Notification, about?: RequestId) => void;

  constructor(send: (message: Request | Notification, about?: RequestId) => void) {
    this.#send = send;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Sends a request. `read` turns the result into what is wanted, or says what is wrong with it; then it is still waited for. */
  ask<T>(
    asking: Asking,
    read: (result: Result) => { readonly value: T } | { readonly problem: string },
  ): Promise<T> {
    const { id, method, params, about, signal } = asking;
    return new Promise<T>((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(id);
        signal.removeEventListener("abort", cancel);
      };
      const cancel = (): void => {
        done();
        this.#send(
          {
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            params: { requestId: id, reason: "No longer wanted." },
          },
          about,
        );
        reject(new LineClosed());
      };
      const fail = (error: Error): void => {
        done();
        reject(error);
      };
      const accept = (result: Result): string | undefined => {
        const verdict = read(result);
        if ("problem" in verdict) return verdict.problem;
        done();
        resolve(verdict.value);
        return undefined;
      };
      this.#waiting.set(id, { accept, fail });
      signal.addEventListener("abort", cancel, { once: true });
      try {
        this.#send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }, about);
      } catch (error) {
        // What cannot be sent is not waited for.
        fail(error as Error);
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

  /** The line is gone. */
  close(): void {
    for (const waiting of this.#waiting.values()) waiting.fail(new LineClosed());
  }
}
