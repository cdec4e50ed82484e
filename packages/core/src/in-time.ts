import type { Clock } from "./util/time.ts";
import { Closing } from "./closing.ts";
import type { OpenQuestion, Replies, Reply, Round } from "./effects.ts";
import type { Signal } from "./util/platform.ts";

/** Puts one question to somebody. The signal is aborted when the answer is no longer wanted. */
export type AskOne = (
  question: OpenQuestion,
  asking: { readonly signal: Signal },
) => Reply | undefined | Promise<Reply | undefined>;

/** Made once: an `AbortController` without a reason makes an error of its own each time. */
const OVER = new Error("The answer is no longer wanted.");

/**
 * The host's part in deadlines, the same for every host: asks one question, and
 * replies `timeout` where nobody does in time, `cancel` where the run is closed.
 */
export async function askInTime(
  question: OpenQuestion,
  clock: Clock,
  askOne: AskOne,
  signal?: Signal,
): Promise<Reply | undefined> {
  if (signal?.aborted === true) return { action: "cancel" };
  const left = question.deadline === undefined ? question.wait : question.deadline - clock.now();
  if (left !== undefined && left <= 0) return { action: "timeout" };
  const over = new Closing();
  let stop: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  try {
    return await new Promise<Reply | undefined>((resolve, reject) => {
      cancel = () => resolve({ action: "cancel" });
      signal?.addEventListener("abort", cancel, { once: true });
      if (left !== undefined) stop = clock.after(left, () => resolve({ action: "timeout" }));
      Promise.resolve(askOne(question, over)).then(resolve, reject);
    });
  } finally {
    stop?.();
    if (cancel !== undefined) signal?.removeEventListener("abort", cancel);
    over.close(OVER);
  }
}

/** Asks the first question of a round; nothing said is `cancel`. What is left of the round comes again. */
export async function askFirst(
  round: Round,
  clock: Clock,
  askOne: AskOne,
  signal?: Signal,
): Promise<Replies> {
  const [first] = Object.values(round);
  if (first === undefined) return {};
  return { [first.key]: (await askInTime(first, clock, askOne, signal)) ?? { action: "cancel" } };
}
