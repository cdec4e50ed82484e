/** Several messages in one, which 2025-03-26 has: they are answered in one. */
import type { Account } from "../accounts.ts";
import { errorResponse, INVALID_REQUEST, OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { RequestId, Response } from "../rpc/message.ts";
import { weightOf } from "../rpc/weight.ts";

/** Takes what a message is answered with: nothing, where it needs no answer. `about` is the request it answers. */
export type Answer = (response: Response | undefined, about?: RequestId) => void;

/**
 * The answers to the messages of a batch, until the last of them is there. They are counted as memory of the client's principal
 * meanwhile: one call that asks can keep the answers to all others waiting.
 */
export class Batch {
  readonly #account: Account;
  readonly #done: (responses: readonly Response[], about: RequestId | undefined) => void;
  readonly #responses: Response[] = [];
  #left: number;
  #reserved = 0;
  #isReleased = false;

  /** `done` is given the answers to so many messages, or none where none of them needs an answer. */
  constructor(
    count: number,
    account: Account,
    done: (responses: readonly Response[], about: RequestId | undefined) => void,
  ) {
    this.#left = count;
    this.#account = account;
    this.#done = done;
  }

  readonly answer: Answer = (response, about) => {
    if (response !== undefined) this.#responses.push(this.#counted(response));
    this.#left -= 1;
    if (this.#left > 0) return;
    // The last to be answered is a request, if there is one: nothing else takes time.
    this.#done(this.#responses, about);
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
    const weight = weightOf(response);
    const exceeded = this.#account.reserveRequest(weight);
    if (exceeded === undefined) {
      this.#reserved += weight;
      return response;
    }
    const refusal = errorResponse(response.id, this.#account.memoryRefusal(exceeded).error);
    const least = weightOf(refusal);
    this.#account.overdraw(least);
    this.#reserved += least;
    return refusal;
  }
}

/** What is wrong with a batch of so many messages, where batches are taken or not, and at most so many. */
export function batchProblem(count: number, takes: boolean, most: number): RpcError | undefined {
  if (!takes) return new RpcError(INVALID_REQUEST, "There are no batches here; send one message at a time.");
  if (count === 0) return new RpcError(INVALID_REQUEST, "A batch has at least one message.");
  return count > most ? new RpcError(OVER_LIMIT, `A batch has at most ${most} messages.`) : undefined;
}
