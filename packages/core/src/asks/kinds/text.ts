/** `ask.text`: a line of text. `ask.secret`: a text that only the tool sees. */
import { isPattern } from "../../schema/check-schema.ts";
import { FORMATS } from "../../schema/error-messages.ts";
import { Secret } from "../../secrets.ts";
import { describeValue } from "../../util/describe-value.ts";
import { omitUndefined } from "../../util/json.ts";
import { mapMaybeAsync } from "../../util/platform.ts";
import {
  type AskBase,
  type AskKindDescriptor,
  countsProblem,
  describeRange,
  type FieldKindDescriptor,
} from "../ask-kind.ts";
import { checkAgainstSchema, ofType } from "../flat-schema.ts";

/** What a text must be. */
export type TextFormat = "email" | "uri" | "date" | "date-time";

/** A line of text. */
export interface TextAsk extends AskBase<"text", string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression. The server checks it, and no client shows it. */
  readonly pattern?: string;
  /** Describes the pattern to the person, as the end of a sentence: "must be a ticket like ABC-12". */
  readonly patternMessage?: string;
  readonly format?: TextFormat;
}

/** A text that only the tool sees. Never asked for in a form. */
export interface SecretAsk extends Omit<AskBase<"secret", string, Secret>, "default"> {
  readonly minLength?: number;
  readonly maxLength?: number;
}

export const text: FieldKindDescriptor<TextAsk, string> = {
  kind: "text",
  isField: true,
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
    if (format !== undefined && !Object.hasOwn(FORMATS, format))
      return `its format is ${describeValue(format)}; it may be email, uri, date or date-time`;
    return pattern === undefined || isPattern(pattern)
      ? undefined
      : `its pattern ${JSON.stringify(pattern)} is not a regular expression`;
  },
  answerSchema: ({ minLength, maxLength, pattern, patternMessage, format }) =>
    ofType("string", { minLength, maxLength, pattern, patternMessage, format }),
  optionsFromField: ({ minLength, maxLength, pattern, patternMessage, format }) =>
    omitUndefined({
      minLength,
      maxLength,
      pattern,
      patternMessage,
      format: format === "email" || format === "uri" ? format : undefined,
    }),
  extraKeywords: { pattern: isPattern, patternMessage: (value) => typeof value === "string" },
  annotations: ["patternMessage"],
  expectedAnswer: ({ format, minLength, maxLength, patternMessage }) => [
    format && FORMATS[format],
    describeRange(minLength, maxLength, "character"),
    patternMessage,
  ],
};

export const secret: AskKindDescriptor<SecretAsk, Secret> = {
  kind: "secret",
  options: { minLength: true, maxLength: true },
  checkOptions: ({ minLength, maxLength }) => countsProblem("length", minLength, maxLength),
  answerSchema: ({ minLength, maxLength }) => ofType("string", { minLength, maxLength }),
  checkAnswer: (ask, value) =>
    mapMaybeAsync(checkAgainstSchema<string>(secret.answerSchema(ask), value), (verdict) =>
      "problem" in verdict ? verdict : { value: new Secret(verdict.value) },
    ),
  expectedAnswer: ({ minLength, maxLength }) => [describeRange(minLength, maxLength, "character")],
};
