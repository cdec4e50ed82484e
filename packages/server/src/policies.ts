/** Answerers that answer or forbid some questions without a person. Core accepts no answer of theirs to a dangerous confirm. */
import type { Answerer, AskContext, OpenQuestion } from "@photon/core";

/** The questions that a rule applies to: all that match each given property. */
export interface Rule {
  readonly tool?: string;
  /** The key of the question. */
  readonly ask?: string;
  /** Whether it applies to a question of a call with an input. */
  readonly when?: (question: OpenQuestion, input: unknown) => boolean;
}

/** Answers the questions that a rule applies to with its answer. All others are asked. */
export function allow(rules: readonly (Rule & { readonly answer: unknown })[]): Answerer {
  return {
    name: "allowed answers",
    answer(question, call) {
      const rule = rules.find((one) => appliesTo(one, question, call));
      // An answer that did not fit is not given again.
      return rule === undefined || question.attempt > 1
        ? undefined
        : { action: "accept", value: rule.answer };
    },
  };
}

/** Makes the questions that a rule applies to unsupported, with its reason. Comes before `allow`. */
export function deny(rules: readonly (Rule & { readonly reason: string })[]): Answerer {
  return {
    name: "denied questions",
    priority: 1,
    denyOnly: true,
    answer(question, call) {
      const rule = rules.find((one) => appliesTo(one, question, call));
      return rule === undefined ? undefined : { action: "unsupported", reason: rule.reason };
    },
  };
}

/** Answers every question with its default, and declines a question without one. For unattended runs. */
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

function appliesTo({ tool, ask, when }: Rule, question: OpenQuestion, call: AskContext): boolean {
  return (
    (tool === undefined || tool === call.tool) &&
    (ask === undefined || ask === question.key) &&
    (when === undefined || when(question, call.input))
  );
}
