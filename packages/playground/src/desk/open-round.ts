/** One round of questions of a run over 2026-07-28, and what has been said to it so far. */
import type { Fields } from "../wire/record.ts";
import { isForPage } from "./driver.ts";
import type { Answer, Question } from "./question.ts";
import { responseTo } from "./responses.ts";

export class OpenRound {
  readonly questions: readonly Question[];
  readonly #answers: Map<string, Answer>;
  /** Those whose time was over. */
  readonly #late = new Set<string>();

  /** `answers`: what was said before to what is asked once more. */
  constructor(questions: readonly Question[] = [], answers: Iterable<readonly [string, Answer]> = []) {
    this.questions = questions;
    this.#answers = new Map(answers);
  }

  /** Whether there is something left to be said to a question. Whoever has gone to a page may think better of it. */
  takes({ id, key }: Question, { action }: Answer): boolean {
    const question = this.questions.find((one) => one.id === id);
    if (question === undefined || this.#late.has(key)) return false;
    return !this.#answers.has(key) || (this.isVisited(question) && action !== "accept");
  }

  give({ key }: Question, answer: Answer): void {
    this.#answers.set(key, answer);
  }

  answerTo({ key }: Question): Answer | undefined {
    return this.#answers.get(key);
  }

  /** Whether somebody has gone to a page to answer it. */
  isVisited(question: Question): boolean {
    return isForPage(question) && this.answerTo(question)?.action === "accept";
  }

  get isAnswered(): boolean {
    return this.#open.length === 0;
  }

  /** When the next question stops being open. */
  get nextDeadline(): number | undefined {
    const deadlines = this.#open.flatMap((question) => deadlineOf(question) ?? []);
    return deadlines.length === 0 ? undefined : Math.min(...deadlines);
  }

  /** Gives up the questions whose time is over. */
  expire(now: number): readonly Question[] {
    const expired = this.#open.filter(
      (question) => (deadlineOf(question) ?? Number.POSITIVE_INFINITY) <= now,
    );
    for (const { key } of expired) this.#late.add(key);
    return expired;
  }

  /** What is sent back. What nothing was said to is left out. */
  get responses(): Fields {
    const entries = this.questions.flatMap((question) => {
      const answer = this.answerTo(question);
      const response = answer === undefined ? undefined : responseTo(question, answer);
      return response === undefined ? [] : [[question.key, response] as const];
    });
    return Object.fromEntries(entries);
  }

  get #open(): readonly Question[] {
    return this.questions.filter(({ key }) => !this.#answers.has(key) && !this.#late.has(key));
  }
}

/** One that was over when it was asked is the server's to judge: its clock is behind ours. */
function deadlineOf({ since, details: { deadline } }: Question): number | undefined {
  return deadline !== undefined && deadline > since ? deadline : undefined;
}
