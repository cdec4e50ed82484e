/** Batches (2025-03-26): several messages in one, whose responses are sent in one. */
import type { Account } from "../accounts.ts";
import { errorResponse, INVALID_REQUEST, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { RequestId, Response } from "../jsonrpc/messages.ts";
import type { Respond } from "./in-flight-calls.ts";

export function batchProblem(count: number, isSupported: boolean, maxCount: number): RpcError | undefined {
  if (!isSupported)
    return new RpcError(INVALID_REQUEST, "There are no batches here; send one message at a time.");
  if (count === 0) return new RpcError(INVALID_REQUEST, "A batch has at least one message.");
  return count > maxCount ? new RpcError(OVER_LIMIT, `A batch has at most ${maxCount} messages.`) : undefined;
}

/**
 * Collects the responses to a batch until the last one. One call that asks delays all the others, so meanwhile they count as memory of
 * the client's principal. They are written at once, so together they take at most `limits.queueBytes`.
 */
export class Batch {
  readonly #account: Account;
  readonly #send: (responses: readonly Response[], about: RequestId | undefined) => void;
  readonly #responses: Response[] = [];
  readonly #maxBytes: number;
  #left: number;
  #reserved = 0;
  #isFull = false;
  /** The last request that was answered: its id selects the stream for all responses. */
  #about: RequestId | undefined;
  #isReleased = false;

  /** `send` gets the responses to `count` messages; an empty list if none of them has a response. */
  constructor(
    count: number,
    maxBytes: number,
    account: Account,
    send: (responses: readonly Response[], about: RequestId | undefined) => void,
  ) {
    this.#left = count;
    this.#maxBytes = maxBytes;
    this.#account = account;
    this.#send = send;
  }

  readonly respond: Respond = (response, about) => {
    if (response !== undefined) this.#responses.push(this.#reserve(response));
    this.#about = about ?? this.#about;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#send(this.#responses, this.#about);
    this.release();
  };

  /** Releases the memory: the batch was answered, or its session has ended. */
  release(): void {
    this.#isReleased = true;
    this.#account.release(this.#reserved);
    this.#reserved = 0;
  }

  /** Reserves memory for a response. Without memory, returns an error in its place, which is counted in any case. */
  #reserve(response: Response): Response {
    if (this.#isReleased) return response;
    // Once the batch is full, responses are not measured any more: that takes as long as to send them.
    const bytes = this.#isFull ? Number.POSITIVE_INFINITY : estimateBytes(response);
    this.#isFull = this.#reserved + bytes > this.#maxBytes;
    const error = this.#isFull
      ? new RpcError(
          OVER_LIMIT,
          `The answers to a batch take at most ${this.#maxBytes} bytes of memory together; send fewer requests in one batch.`,
        )
      : this.#account.reserveRequest(bytes)?.error;
    if (error === undefined) {
      this.#reserved += bytes;
      return response;
    }
    const refusal = errorResponse(response.id, error);
    const refusalBytes = estimateBytes(refusal);
    this.#account.reserveOverLimit(refusalBytes);
    this.#reserved += refusalBytes;
    return refusal;
  }
}
