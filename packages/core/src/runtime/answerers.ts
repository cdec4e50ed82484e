/**
 * Answerers reply to questions before the host is asked. Also `askWithDeadline`, with which hosts ask.
 *
 *   1. Preset answers come first, then the others by priority, highest first. The first reply counts.
 *   2. An answerer that throws is reported, and the next one is asked.
 *   3. A dangerous confirm is accepted only by an answerer behind which there is a person.
 */
import type { Clock } from "../util/time.ts";
import { isDangerous, type OpenQuestion, type Replies, type Reply, type Round } from "../effects.ts";
import { AnswererFailed } from "../errors.ts";
import { createAbortController, type Signal } from "../util/platform.ts";
import { parseReplies } from "./replies.ts";
import { Cancellation } from "./cancellation.ts";
import type { RunEnvironment } from "./environment.ts";

/** The call whose question an answerer is asked. */
export interface AskContext {
  readonly runId: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly input: unknown;
  readonly signal: Signal;
}

/** Answers questions before the host is asked: a policy, a record of earlier answers, or a person. */
export interface Answerer {
  readonly name: string;
  /** A higher one is asked earlier. Default: 0. */
  readonly priority?: number;
  /** Whether its answers come from a person. Only then may it accept a dangerous confirm. */
  readonly person?: boolean;
  /** Whether it never accepts. Then it is asked dangerous confirms as well; if it accepts one, that is ignored. */
  readonly denyOnly?: boolean;
  answer(question: OpenQuestion, context: AskContext): Reply | undefined | Promise<Reply | undefined>;
}

/** The reply to a question that the host was not asked. */
export interface AutoAnswer {
  readonly runId: string;
  readonly question: OpenQuestion;
  readonly reply: Reply;
  /** The name of the answerer; undefined if the question timed out before one replied. */
  readonly answerer?: string;
}

/** Answers known in advance, by key. Each is given once: if it does not fit, the host is asked. */
export function presetAnswers(answers: { readonly [key: string]: unknown }): Answerer {
  return {
    name: "answers given up front",
    priority: Number.POSITIVE_INFINITY,
    answer: ({ key, attempt }) =>
      attempt === 1 && Object.hasOwn(answers, key) ? { action: "accept", value: answers[key] } : undefined,
  };
}

/** The answerers of one run, and their replies until the rest of the round is answered. */
export class AnswererChain {
  readonly #answerers: readonly Answerer[];
  readonly #environment: RunEnvironment;
  readonly #call: Pick<AskContext, "tool" | "input">;
  /** Aborted when the run is closed or detached. */
  readonly #stopped = createAbortController();
  /** The questions that the answerers were asked: `key@attempt`. */
  readonly #askedAttempts = new Set<string>();
  #replies: Replies = {};

  constructor(
    answerers: readonly Answerer[],
    environment: RunEnvironment,
    call: Pick<AskContext, "tool" | "input">,
  ) {
    // Not a subtraction: Infinity - Infinity is NaN.
    this.#answerers = answerers.toSorted(({ priority: a = 0 }, { priority: b = 0 }) =>
      a === b ? 0 : a > b ? -1 : 1,
    );
    this.#environment = environment;
    this.#call = call;
  }

  /** Asks each question of a round once per attempt. Resolves to the questions that got no reply. */
  async ask(round: Round): Promise<Round> {
    const replies: Record<string, Reply> = {};
    for (const question of Object.values(round)) {
      const attempt = `${question.key}@${question.attempt}`;
      if (this.#stopped.signal.aborted) break;
      if (this.#askedAttempts.has(attempt)) continue;
      this.#askedAttempts.add(attempt);
      const reply = await this.#askOne(question);
      if (reply !== undefined) replies[question.key] = reply;
    }
    this.#replies = replies;
    return Object.fromEntries(Object.entries(round).filter(([key]) => !Object.hasOwn(replies, key)));
  }

  /** Later replies of answerers are dropped. */
  stop(reason: unknown): void {
    this.#stopped.abort(reason);
  }

  /** Adds the replies of the answerers to those of the host. */
  merge(replies: Replies): Replies {
    const merged = { ...replies, ...this.#replies };
    this.#replies = {};
    return merged;
  }

  /** The reply of the first answerer that has one, or `timeout`. */
  async #askOne(question: OpenQuestion): Promise<Reply | undefined> {
    const { signal } = this.#stopped;
    const { clock, runId } = this.#environment;
    let first: { readonly reply: Reply; readonly answerer: string } | undefined;
    const ask: AskHandler = async (open, asking) =>
      (first = await this.#firstReply(open, asking.signal))?.reply;
    const reply = await askWithDeadline(question, clock, ask, signal);
    if (reply === undefined || signal.aborted) return reply;
    const by = first?.reply === reply ? { answerer: first.answerer } : {};
    this.#environment.onAnswered({ runId, question, reply, ...by });
    return reply;
  }

  async #firstReply(
    question: OpenQuestion,
    signal: Signal,
  ): Promise<{ readonly reply: Reply; readonly answerer: string } | undefined> {
    const context = { runId: this.#environment.runId, ...this.#call, signal };
    for (const answerer of this.#answerers) {
      if (signal.aborted) return undefined;
      const mayAccept = !isDangerous(question) || answerer.person === true;
      if (!mayAccept && answerer.denyOnly !== true) continue;
      try {
        const given = await answerer.answer(question, context);
        if (given === undefined || (!mayAccept && given.action === "accept")) continue;
        // Throws if it is malformed.
        parseReplies({ [question.key]: given });
        return { reply: given, answerer: answerer.name };
      } catch (error) {
        this.#environment.report(new AnswererFailed(answerer.name, question.key, { cause: error }));
      }
    }
    return undefined;
  }
}

/** Asks one question. The signal is aborted when the answer is no longer needed. */
export type AskHandler = (
  question: OpenQuestion,
  asking: { readonly signal: Signal },
) => Reply | undefined | Promise<Reply | undefined>;

/** Shared, because an `AbortController` that is aborted without a reason creates an error with a stack each time. */
const NOT_NEEDED = new Error("The answer is no longer needed.");

/** Asks one question. Replies `timeout` when its deadline passes, and `cancel` when the signal is aborted. */
export async function askWithDeadline(
  question: OpenQuestion,
  clock: Clock,
  askOne: AskHandler,
  signal?: Signal,
): Promise<Reply | undefined> {
  if (signal?.aborted === true) return { action: "cancel" };
  const left = question.deadline === undefined ? question.wait : question.deadline - clock.now();
  if (left !== undefined && left <= 0) return { action: "timeout" };
  const asking = new Cancellation();
  let stopTimer: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  try {
    return await new Promise<Reply | undefined>((resolve, reject) => {
      cancel = () => resolve({ action: "cancel" });
      signal?.addEventListener("abort", cancel, { once: true });
      if (left !== undefined) stopTimer = clock.after(left, () => resolve({ action: "timeout" }));
      Promise.resolve(askOne(question, asking)).then(resolve, reject);
    });
  } finally {
    stopTimer?.();
    if (cancel !== undefined) signal?.removeEventListener("abort", cancel);
    asking.cancel(NOT_NEEDED);
  }
}

/** Asks the first question of a round; without an answer, it is cancelled. The next round has the remaining questions. */
export async function askNext(
  round: Round,
  clock: Clock,
  askOne: AskHandler,
  signal?: Signal,
): Promise<Replies> {
  const [first] = Object.values(round);
  if (first === undefined) return {};
  return { [first.key]: (await askWithDeadline(first, clock, askOne, signal)) ?? { action: "cancel" } };
}
