import type { Clock } from "./clock.ts";
import type { OpenQuestion, Replies, Reply, Round } from "./effects.ts";
import { newController, type Signal } from "./platform.ts";

/** Puts one question to somebody. The signal is aborted when the answer is no longer wanted. */
export type AskOne = (
  question: OpenQuestion,
  signal: Signal,
) => Reply | undefined | Promise<Reply | undefined>;

/**
 * The host's part in deadlines, the same for every host: asks one question, and
 * replies `timeout` where nobody does in time, `cancel` where the run is closed.
 */
export async function askInTime(
  question: OpenQuestion,
  clock: Clock,
  askOne: AskOne,
  closed?: Signal,
): Promise<Reply | undefined> {
  const controller = newController();
  const stops: (() => void)[] = [() => controller.abort()];
  const given = new Promise<Reply>((resolve) => {
    const cancel = (): void => resolve({ action: "cancel" });
    closed?.addEventListener("abort", cancel, { once: true });
    stops.push(() => closed?.removeEventListener("abort", cancel));
    if (closed?.aborted === true) cancel();
    if (question.wait !== undefined)
      stops.push(clock.after(question.wait, () => resolve({ action: "timeout" })));
  });
  try {
    return await Promise.race([given, askOne(question, controller.signal)]);
  } finally {
    for (const stop of stops) stop();
  }
}

/** Asks the first question of a round; nothing said is `cancel`. What is left of the round comes again. */
export async function askFirst(
  round: Round,
  clock: Clock,
  askOne: AskOne,
  closed?: Signal,
): Promise<Replies> {
  const [first] = Object.values(round);
  if (first === undefined) return {};
  return { [first.key]: (await askInTime(first, clock, askOne, closed)) ?? { action: "cancel" } };
}
