/** `ask.confirm`: yes or no. */
import { mapMaybeAsync } from "../../util/platform.ts";
import { type AskBase, type FieldKindDescriptor, flagProblem } from "../ask-kind.ts";
import { checkAgainstSchema, ofType } from "../flat-schema.ts";

/** Yes or no. Only an accepted `true` is a yes; a decline is a no. */
export interface ConfirmAsk extends AskBase<"confirm", boolean, false> {
  /** A yes does harm. It is shown as dangerous, models cannot pass on its answer, and only an answerer with `person: true` may accept it. */
  readonly dangerous?: boolean;
}

export const confirm: FieldKindDescriptor<ConfirmAsk, boolean> = {
  kind: "confirm",
  isField: true,
  options: { default: true, dangerous: true },
  checkOptions({ dangerous, fallback = {} }) {
    const isNo = Object.values(fallback).every((value) => value === false);
    return (
      flagProblem("dangerous", dangerous) ??
      (isNo ? undefined : "the fallback of a confirm can only be false: only a person says yes")
    );
  },
  answerSchema: () => ofType("boolean"),
  optionsFromField: ({ type }) => (type === "boolean" ? {} : undefined),
  parseAnswer: (_, given) => (typeof given === "string" ? yesOrNo(given) : given),
  checkAnswer: (ask, value) =>
    mapMaybeAsync(checkAgainstSchema<boolean>(confirm.answerSchema(ask), value), (verdict) =>
      // A program that sends the text "yes" gets the problem of the schema: it should send `true`. Any other text is a person's.
      typeof value === "string" && typeof yesOrNo(value) !== "boolean"
        ? { problem: "must be yes or no" }
        : verdict,
    ),
  expectedAnswer: () => ["yes or no"],
};

/** True or false if a text says yes or no; otherwise the text. */
export function yesOrNo(text: string): unknown {
  const trimmed = text.trim();
  if (/^(?:y|yes|true)$/i.test(trimmed)) return true;
  return /^(?:n|no|false)$/i.test(trimmed) ? false : trimmed;
}
