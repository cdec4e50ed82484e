/** `ask.number`. */
import type { Answers, NumberAsk } from "../../ask-types.ts";
import { describeValue } from "../../util/describe-value.ts";
import { type AskKindDescriptor, flagProblem, ofType, type Options, reversedProblem } from "../ask-kind.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";

export const numberKind: AskKindDescriptor<NumberAsk> = {
  kind: "number",
  options: { default: true, min: true, max: true, integer: true },
  checkOptions({ min, max, integer }) {
    const notBoolean = flagProblem("integer", integer);
    if (notBoolean !== undefined) return notBoolean;
    const infinite = [min, max].find((bound) => bound !== undefined && !Number.isFinite(bound));
    if (infinite !== undefined) return `${describeValue(infinite)} is no bound for a number`;
    const isEmpty =
      integer === true && min !== undefined && max !== undefined && Math.ceil(min) > Math.floor(max);
    return (
      reversedProblem(min, max) ??
      (isEmpty ? `there is no whole number between ${min} and ${max}` : undefined)
    );
  },
  answerSchema: ({ integer, min, max }) =>
    ofType(integer === true ? "integer" : "number", { minimum: min, maximum: max }),
  parseAnswer: (_, given) => (typeof given === "string" ? numberFrom(given) : given),
};

export function number(
  message: string,
  options: Options<NumberAsk> = {},
): Yieldable<NumberAsk, Answers["number"]> {
  return makeAsk(numberKind, message, options);
}

/** The number that a text is; the text where it is none. */
export function numberFrom(text: string): unknown {
  const trimmed = text.trim();
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed;
}
