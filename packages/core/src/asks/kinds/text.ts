/** `ask.text`: a line of text. `ask.secret`: a text that only the tool sees. */
import type { Answers, SecretAsk, TextAsk } from "../../ask-types.ts";
import { isPattern } from "../../schema/check-schema.ts";
import { Secret } from "../../secrets.ts";
import { describeValue } from "../../util/describe-value.ts";
import { mapMaybeAsync } from "../../util/platform.ts";
import {
  type AskKindDescriptor,
  checkAgainstSchema,
  countsProblem,
  ofType,
  type Options,
} from "../ask-kind.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";

export const textKind: AskKindDescriptor<TextAsk> = {
  kind: "text",
  options: {
    default: true,
    minLength: true,
    maxLength: true,
    pattern: true,
    patternMessage: true,
    format: true,
  },
  checkOptions({ minLength, maxLength, pattern, format }) {
    const problem = countsProblem("length", minLength, maxLength);
    if (problem !== undefined) return problem;
    if (format !== undefined && !["email", "uri", "date", "date-time"].includes(format))
      return `its format is ${describeValue(format)}; it may be email, uri, date or date-time`;
    return pattern === undefined || isPattern(pattern)
      ? undefined
      : `its pattern ${JSON.stringify(pattern)} is no regular expression`;
  },
  answerSchema: ({ minLength, maxLength, pattern, patternMessage, format }) =>
    ofType("string", { minLength, maxLength, pattern, patternMessage, format }),
};

export function text(message: string, options: Options<TextAsk> = {}): Yieldable<TextAsk, Answers["text"]> {
  return makeAsk(textKind, message, options);
}

export const secretKind: AskKindDescriptor<SecretAsk> = {
  kind: "secret",
  options: { minLength: true, maxLength: true },
  checkOptions: ({ minLength, maxLength }) => countsProblem("length", minLength, maxLength),
  answerSchema: ({ minLength, maxLength }) => ofType("string", { minLength, maxLength }),
  checkAnswer: (ask, value) =>
    mapMaybeAsync(checkAgainstSchema(secretKind.answerSchema(ask), value), (verdict) =>
      // The schema has just found it to be a text.
      "problem" in verdict ? verdict : { value: new Secret(verdict.value as string) },
    ),
};

export function secret(
  message: string,
  options: Options<SecretAsk> = {},
): Yieldable<SecretAsk, Answers["secret"]> {
  return makeAsk(secretKind, message, options);
}
