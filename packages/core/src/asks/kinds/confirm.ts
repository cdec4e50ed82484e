/** `ask.confirm`: yes or no. Only an accepted `true` is a yes; a decline is `false`. */
import type { Answers, ConfirmAsk } from "../../ask-types.ts";
import { mapMaybeAsync } from "../../util/platform.ts";
import {
  type AskKindDescriptor,
  checkAgainstSchema,
  flagProblem,
  ofType,
  type Options,
} from "../ask-kind.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";

export const confirmKind: AskKindDescriptor<ConfirmAsk> = {
  kind: "confirm",
  options: { default: true, dangerous: true },
  checkOptions({ dangerous, fallback = {} }) {
    const isNo = Object.values(fallback).every((value) => value === false);
    return (
      flagProblem("dangerous", dangerous) ??
      (isNo ? undefined : "a confirm falls back to false only; yes is said by a person")
    );
  },
  answerSchema: () => ofType("boolean"),
  parseAnswer: (_, given) => (typeof given === "string" ? yesOrNo(given) : given),
  checkAnswer: (ask, value) =>
    mapMaybeAsync(checkAgainstSchema(confirmKind.answerSchema(ask), value), (verdict) =>
      // A program that sends the text "yes" gets the problem of the schema: it should send `true`. Any other text is a person's.
      typeof value === "string" && typeof yesOrNo(value) !== "boolean"
        ? { problem: "must be yes or no" }
        : verdict,
    ),
};

/** `true` only where a person accepted with yes; declined is `false`. */
export function confirm(
  message: string,
  options: Options<ConfirmAsk> = {},
): Yieldable<ConfirmAsk, Answers["confirm"]> {
  return makeAsk(confirmKind, message, options);
}

/** True or false, where a text says yes or no; otherwise the text. */
export function yesOrNo(text: string): unknown {
  const trimmed = text.trim();
  if (/^(?:y|yes|true)$/i.test(trimmed)) return true;
  return /^(?:n|no|false)$/i.test(trimmed) ? false : trimmed;
}
