/** Several messages in one, which 2025-03-26 has: they are answered in one. */
import { INVALID_REQUEST, OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { RequestId, Response } from "../rpc/message.ts";

/** Takes what a message is answered with: nothing, where it needs no answer. `about` is the request it answers. */
export type Answer = (response: Response | undefined, about?: RequestId) => void;

/** Collects the answers to so many messages, and gives them back when the last is there; nothing where there are none. */
export function collect(
  count: number,
  done: (responses: readonly Response[], about: RequestId | undefined) => void,
): Answer {
  const responses: Response[] = [];
  let left = count;
  return (response, about) => {
    if (response !== undefined) responses.push(response);
    left -= 1;
    // The last to be answered is a request, if there is one: nothing else takes time.
    if (left === 0 && responses.length > 0) done(responses, about);
  };
}

/** What is wrong with a batch of so many messages, where batches are taken or not, and at most so many. */
export function batchProblem(count: number, takes: boolean, most: number): RpcError | undefined {
  if (!takes) return new RpcError(INVALID_REQUEST, "There are no batches here; send one message at a time.");
  if (count === 0) return new RpcError(INVALID_REQUEST, "A batch has at least one message.");
  return count > most ? new RpcError(OVER_LIMIT, `A batch has at most ${most} messages.`) : undefined;
}
