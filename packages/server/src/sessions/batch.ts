/** Several messages in one, which 2025-03-26 has: they are answered in one. */
import type { Account } from "../accounts.ts";
import { errorResponse, INVALID_REQUEST, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { RequestId, Response } from "../jsonrpc/messages.ts";
import { weightOf } from "../jsonrpc/message-size.ts";

/** Takes what a message is answered with: nothing, where it needs no answer. `about` is the request it answers. */
export type Answer = (response: Response | undefined, about?: RequestId) => void;

/** How many requests of a batch are begun before other clients have a turn. */
export const MAX_REQUESTS_PER_TURN = 50;

/**
 * The answers to the messages of a batch, until the last of them is there. They are counted as memory of the client's principal
 * meanwhile: one call that asks can keep the answers to all others waiting. Together they take no more than one client may
 * leave unread: they are written in one go, in which no other client is answered.
 */
export class Batch {
  readonly #account: Account;
  readonly #done: (responses: readonly Response[], about: RequestId | undefined) => void;
  readonly #responses: Response[] = [];
  readonly #most: number;
  #left: number;
  #reserved = 0;
  #isFull = false;
  /** The last request that was answered: its id selects the stream for all the answers. */
  #about: RequestId | undefined;
  #isReleased = false;

  /** `done` receives the answers to `count` messages, of at most `most` bytes; an empty list if none needs an answer. */
  constructor(
    count: number,
    most: number,
    account: Account,
    done: (responses: readonly Response[], about: RequestId | undefined) => void,
  ) {
    this.#left = count;
    this.#most = most;
    this.#account = account;
    this.#done = done;
  }

  readonly answer: Answer = (response, about) => {
    if (response !== undefined) this.#responses.push(this.#counted(response));
    this.#about = about ?? this.#about;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#done(this.#responses, this.#about);
    this.release();
  };

  /** Nothing of it is counted any more: it was answered, or its session is over. */
  release(): void {
    this.#isReleased = true;
    this.#account.release(this.#reserved);
    this.#reserved = 0;
  }

  /** The answer, or an error where there is no memory for it; that is counted in any case. */
  #counted(response: Response): Response {
    if (this.#isReleased) return response;
    // What comes after the first that is too much is not looked at: that would take as long as to send it.
    const weight = this.#isFull ? Number.POSITIVE_INFINITY : weightOf(response);
    this.#isFull = this.#reserved + weight > this.#most;
    const exceeded = this.#isFull ? undefined : this.#account.reserveRequest(weight);
    if (!this.#isFull && exceeded === undefined) {
      this.#reserved += weight;
      return response;
    }
    const error = exceeded === undefined ? tooMuch(this.#most) : this.#account.memoryRefusal(exceeded).error;
    const refusal = errorResponse(response.id, error);
    const least = weightOf(refusal);
    this.#account.overdraw(least);
    this.#reserved += least;
    return refusal;
  }
}

const tooMuch = (most: number): RpcError =>
  new RpcError(
    OVER_LIMIT,
    `The answers to a batch take at most ${most} bytes of memory together; send fewer requests in one batch.`,
  );

/** What is wrong with a batch of so many messages, where batches are taken or not, and at most so many. */
export function batchProblem(count: number, takes: boolean, most: number): RpcError | undefined {
  if (!takes) return new RpcError(INVALID_REQUEST, "There are no batches here; send one message at a time.");
  if (count === 0) return new RpcError(INVALID_REQUEST, "A batch has at least one message.");
  return count > most ? new RpcError(OVER_LIMIT, `A batch has at most ${most} messages.`) : undefined;
}
