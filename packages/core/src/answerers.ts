/**
 * Who may answer before anybody is asked.
 *
 * Answers given up front come first, then the hooks of the embedding program by
 * priority, highest first. Each gives a reply or nothing. One that throws is
 * reported, and the next is tried.
 */
import type { OpenQuestion, Reply } from "./effects.ts";
import type { Signal } from "./platform.ts";
import { checkReplies } from "./reply.ts";

/** What an answerer knows of the run that asks. */
export interface Asker {
  readonly run: string;
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
  answer(question: OpenQuestion, asker: Asker): Reply | undefined | Promise<Reply | undefined>;
}

/** Answers given up front, by key. Each is given once: an answer that does not fit is not given again. */
export function givenAnswers(answers: { readonly [key: string]: unknown }): Answerer {
  return {
    name: "answers given up front",
    priority: Number.POSITIVE_INFINITY,
    answer: ({ key, attempt }) =>
      attempt === 1 && Object.hasOwn(answers, key) ? { action: "accept", value: answers[key] } : undefined,
  };
}

/** The first reply that an answerer gives, if any does. */
export async function answerBy(
  answerers: readonly Answerer[],
  question: OpenQuestion,
  asker: Asker,
  report: (error: unknown) => void,
): Promise<Reply | undefined> {
  const isDangerous = question.emit === "ask" && question.ask === "confirm" && question.dangerous === true;
  for (const answerer of byPriority(answerers)) {
    if (asker.signal.aborted) return undefined;
    if (isDangerous && answerer.person !== true) continue;
    try {
      const reply = await answerer.answer(question, asker);
      if (reply !== undefined) return checkReplies({ [question.key]: reply })[question.key];
    } catch (error) {
      report(new Error(`The answerer ${answerer.name} failed at ${question.key}.`, { cause: error }));
    }
  }
  return undefined;
}

function byPriority(answerers: readonly Answerer[]): readonly Answerer[] {
  // Not a subtraction: infinity less infinity is no number.
  return answerers.toSorted(({ priority: a = 0 }, { priority: b = 0 }) => (a === b ? 0 : a > b ? -1 : 1));
}
