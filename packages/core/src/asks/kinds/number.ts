/** `ask.number`. */
import { describeValue } from "../../util/describe-value.ts";
import { omitUndefined } from "../../util/json.ts";
import {
  type AskBase,
  describeRange,
  type FieldKindDescriptor,
  flagProblem,
  reversedProblem,
} from "../ask-kind.ts";
import { ofType } from "../flat-schema.ts";

/** Asks the user for a number. */
export interface NumberAsk extends AskBase<"number", number> {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}

const isNumber = (bound: unknown): boolean => typeof bound === "number";

export const number: FieldKindDescriptor<NumberAsk, number> = {
  kind: "number",
  isField: true,
  options: { default: true, min: true, max: true, integer: true },
  checkOptions({ min, max, integer }) {
    const notBoolean = flagProblem("integer", integer);
    if (notBoolean !== undefined) return notBoolean;
    const infinite = [min, max].find((bound) => bound !== undefined && !Number.isFinite(bound));
    if (infinite !== undefined) return `${describeValue(infinite)} is not a bound for a number`;
    const isEmpty =
      integer === true && min !== undefined && max !== undefined && Math.ceil(min) > Math.floor(max);
    return (
      reversedProblem(min, max) ??
      (isEmpty ? `there is no whole number between ${min} and ${max}` : undefined)
    );
  },
  answerSchema: ({ integer, min, max }) =>
    ofType(integer === true ? "integer" : "number", { minimum: min, maximum: max }),
  optionsFromField: ({ type, minimum: min, maximum: max }) =>
    type === "number" || type === "integer"
      ? omitUndefined({ integer: type === "integer", min, max })
      : undefined,
  extraKeywords: { exclusiveMinimum: isNumber, exclusiveMaximum: isNumber },
  parseAnswer: (_, given) => (typeof given === "string" ? numberFrom(given) : given),
  expectedAnswer: ({ integer, min, max }) => [
    integer === true ? "a whole number" : "a number",
    // zod gives every whole number the limits of JavaScript, which say nothing to a person.
    describeRange(
      min === Number.MIN_SAFE_INTEGER ? undefined : min,
      max === Number.MAX_SAFE_INTEGER ? undefined : max,
    ),
  ],
};

/** Parses a text as a number. Returns the text if it is not a number. */
export function numberFrom(text: string): unknown {
  const trimmed = text.trim();
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed;
}
