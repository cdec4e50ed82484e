/** Several messages in one, which 2025-03-26 has: they are answered in one. */
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
