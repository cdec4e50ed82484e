/**
 * Who may answer before anybody is asked.
 *
 * Answers given up front come first, then the hooks of the embedding program by
 * priority, highest first. Each gives a reply or nothing. One that throws is
 * reported, and the next is tried.
 */
import type { Clock } from "../util/time.ts";
import type { OpenQuestion, Replies, Reply, Round } from "../effects.ts";
import { AnswererFailed } from "../errors.ts";
import { newController, type Signal, notifySafely } from "../util/platform.ts";
import { checkReplies } from "./replies.ts";
import { Cancellation } from "./cancellation.ts";

/** What an answerer knows of the run that asks. */
export interface AskContext {
  readonly runId: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly input: unknown;
  readonly signal: Signal;
}

export interface Answerer {
  readonly name: string;
  /** Higher is asked earlier: 0. */
  readonly priority?: number;
  /** Whether a person is behind it. Only then is it asked to confirm what is dangerous. */
  readonly person?: boolean;
  /** Whether it only ever refuses. Then it is asked what is dangerous as well; a yes of its own is no answer to that. */
  readonly refuses?: boolean;
  answer(question: OpenQuestion, asker: AskContext): Reply | undefined | Promise<Reply | undefined>;
}

/** What became of a question before it was put to the host. */
export interface AutoAnswer {
  readonly runId: string;
  readonly question: OpenQuestion;
  readonly reply: Reply;
  /** The answerer that said it; none, where the question expired meanwhile. */
  readonly answerer?: string;
}

/** What is heard of answerers: how they failed, and what they have said that counts. */
interface AnswererEvents {
  readonly report: (error: unknown) => void;
  readonly answered: (early: AutoAnswer) => void;
}

/** What an answerer has said. */
interface AnswererReply {
  readonly reply: Reply;
  readonly answerer: string;
}

/** Answers given up front, by key. Each is given once: an answer that does not fit is not given again. */
export function presetAnswers(answers: { readonly [key: string]: unknown }): Answerer {
  return {
    name: "answers given up front",
    priority: Number.POSITIVE_INFINITY,
    answer: ({ key, attempt }) =>
      attempt === 1 && Object.hasOwn(answers, key) ? { action: "accept", value: answers[key] } : undefined,
  };
}

/** Asks the answerers of one run, and keeps what they said until the rest of the round is answered. */
export class AnswererChain {
  readonly #answerers: readonly Answerer[];
  readonly #asker: Omit<AskContext, "signal">;
  readonly #clock: Clock;
  /** Aborted when the run is closed or detached. */
  readonly #stopped = newController();
  readonly #ears: AnswererEvents;
  /** The questions they have seen, by key and attempt. */
  readonly #seen = new Set<string>();
  #said: Replies = {};

  constructor(
    answerers: readonly Answerer[],
    asker: Omit<AskContext, "signal">,
    clock: Clock,
    ears: AnswererEvents,
  ) {
    this.#answerers = byPriority(answerers);
    this.#asker = asker;
    this.#clock = clock;
    this.#ears = ears;
  }

  /** Puts a round to the answerers, each question once an attempt; gives back what they leave of it. */
  async ask(round: Round): Promise<Round> {
    const said: Record<string, Reply> = {};
    for (const question of Object.values(round)) {
      const asking = `${question.key}@${question.attempt}`;
      if (this.#stopped.signal.aborted) break;
      if (this.#seen.has(asking)) continue;
      this.#seen.add(asking);
      const reply = await this.#replyTo(question);
      if (reply !== undefined) said[question.key] = reply;
    }
    this.#said = said;
    return Object.fromEntries(Object.entries(round).filter(([key]) => !Object.hasOwn(said, key)));
  }

  /** Stops asking: what the answerers say from now on is dropped. */
  stop(reason: unknown): void {
    this.#stopped.abort(reason);
  }

  /** What a host replied, together with what the answerers have said. */
  merge(replies: Replies): Replies {
    const complete = { ...replies, ...this.#said };
    this.#said = {};
    return complete;
  }

  /** What they say to a question in time, if anything; whoever listens is told. */
  async #replyTo(question: OpenQuestion): Promise<Reply | undefined> {
    let said: AnswererReply | undefined;
    const ask = async (
      open: OpenQuestion,
      { signal }: { readonly signal: Signal },
    ): Promise<Reply | undefined> => {
      said = await this.#ask(open, signal);
      return said?.reply;
    };
    const reply = await askWithDeadline(question, this.#clock, ask, this.#stopped.signal);
    if (reply === undefined || this.#stopped.signal.aborted) return reply;
    const by = said?.reply === reply ? { answerer: said.answerer } : {};
    const { answered, report } = this.#ears;
    void notifySafely(() => answered({ runId: this.#asker.runId, question, reply, ...by }), report);
    return reply;
  }

  /** The first reply that an answerer gives, if any does. */
  async #ask(question: OpenQuestion, signal: Signal): Promise<AnswererReply | undefined> {
    const isDangerous = question.emit === "ask" && question.ask === "confirm" && question.dangerous === true;
    for (const answerer of this.#answerers) {
      if (signal.aborted) return undefined;
      const mayConfirm = !isDangerous || answerer.person === true;
      if (!mayConfirm && answerer.refuses !== true) continue;
      try {
        const given = await answerer.answer(question, { ...this.#asker, signal });
        if (given === undefined || (!mayConfirm && given.action === "accept")) continue;
        const reply = checkReplies({ [question.key]: given })[question.key];
        if (reply !== undefined) return { reply, answerer: answerer.name };
      } catch (error) {
        this.#ears.report(new AnswererFailed(answerer.name, question.key, { cause: error }));
      }
    }
    return undefined;
  }
}

function byPriority(answerers: readonly Answerer[]): readonly Answerer[] {
  // Not a subtraction: infinity less infinity is no number.
  return answerers.toSorted(({ priority: a = 0 }, { priority: b = 0 }) => (a === b ? 0 : a > b ? -1 : 1));
}

/** Puts one question to somebody. The signal is aborted when the answer is no longer wanted. */
export type AskHandler = (
  question: OpenQuestion,
  asking: { readonly signal: Signal },
) => Reply | undefined | Promise<Reply | undefined>;

/** Made once: an `AbortController` without a reason makes an error of its own each time. */
const OVER = new Error("The answer is no longer wanted.");

/**
 * The host's part in deadlines, the same for every host: asks one question, and
 * replies `timeout` where nobody does in time, `cancel` where the run is closed.
 */
export async function askWithDeadline(
  question: OpenQuestion,
  clock: Clock,
  askOne: AskHandler,
  signal?: Signal,
): Promise<Reply | undefined> {
  if (signal?.aborted === true) return { action: "cancel" };
  const left = question.deadline === undefined ? question.wait : question.deadline - clock.now();
  if (left !== undefined && left <= 0) return { action: "timeout" };
  const over = new Cancellation();
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
    over.cancel(OVER);
  }
}

/** Asks the first question of a round; nothing said is `cancel`. What is left of the round comes again. */
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
