/** Answerers for programs that decide some questions by themselves. Dangerous ones are never theirs to confirm. */
import type { Answerer, OpenQuestion } from "@photon/core";

/** Which questions a rule is about: by tool, by key, or by a test of both. */
export interface Rule {
  readonly tool?: string;
  /** The key of the question. */
  readonly ask?: string;
  /** Whether it is about this question of a call with this input. */
  readonly when?: (question: OpenQuestion, input: unknown) => boolean;
}

/** Answers the questions that a rule allows with the answer that stands with it; all others go on to a person. */
export function allow(rules: readonly (Rule & { readonly answer: unknown })[]): Answerer {
  return {
    name: "allowed answers",
    answer(question, { tool, input }) {
      const rule = rules.find((one) => isAbout(one, tool, question, input));
      // An answer that did not fit is not given again.
      return rule === undefined || question.attempt > 1
        ? undefined
        : { action: "accept", value: rule.answer };
    },
  };
}

/** Refuses the questions that a rule forbids, and says why: they cannot be asked here. Before what is allowed. */
export function deny(rules: readonly (Rule & { readonly reason: string })[]): Answerer {
  return {
    name: "denied questions",
    priority: 1,
    denyOnly: true,
    answer(question, { tool, input }) {
      const rule = rules.find((one) => isAbout(one, tool, question, input));
      return rule === undefined ? undefined : { action: "unsupported", reason: rule.reason };
    },
  };
}

/** Answers every question with its default, and declines a question without one: for unattended runs. */
export function answerDefaults(): Answerer {
  return {
    name: "defaults",
    priority: -1,
    answer(question) {
      const hasDefault = question.emit === "ask" && "default" in question && question.default !== undefined;
      return hasDefault && question.attempt === 1
        ? { action: "accept", value: question.default }
        : { action: "decline" };
    },
  };
}

function isAbout({ tool, ask, when }: Rule, called: string, question: OpenQuestion, input: unknown): boolean {
  return (
    (tool === undefined || tool === called) &&
    (ask === undefined || ask === question.key) &&
    (when === undefined || when(question, input))
  );
}
