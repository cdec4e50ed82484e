/** `ask.select` and `ask.multiselect`: one, or several, of the options that the author gives. */
import type { AskOptions, Choice, MultiselectAsk, SelectAsk } from "../../ask-types.ts";
import { InvalidAsk } from "../../errors.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { describeValue } from "../../util/describe-value.ts";
import { isPlainObject, jsonFrom, omitUndefined } from "../../util/json.ts";
import { type AskKindDescriptor, countsProblem } from "../ask-kind.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";

const parseOptions = ({ options }: { readonly options?: unknown }, message: string): object => ({
  options: parseChoices(options, message),
});

export const selectKind: AskKindDescriptor<SelectAsk> = {
  kind: "select",
  options: { default: true, options: true },
  parseOptions,
  answerSchema: ({ options }) => ({ type: "string", enum: options.map(({ value }) => value) }),
  fieldSchema: ({ options }) => ({ type: "string", oneOf: constantsOf(options) }),
  parseAnswer: ({ options }, given) => (typeof given === "string" ? optionFrom(options, given) : given),
};

export const multiselectKind: AskKindDescriptor<MultiselectAsk> = {
  kind: "multiselect",
  options: { default: true, options: true, min: true, max: true },
  parseOptions,
  checkOptions: ({ min, max, options }) =>
    min !== undefined && min > options.length
      ? `it wants ${min} of only ${options.length} options`
      : countsProblem("number of options", min, max),
  answerSchema: (ask) => listOf({ type: "string", enum: ask.options.map(({ value }) => value) }, ask),
  fieldSchema: (ask) => listOf({ anyOf: constantsOf(ask.options) }, ask),
  parseAnswer({ options }, given) {
    if (typeof given === "string") return optionsFrom(options, given);
    if (!Array.isArray(given)) return given;
    return given.map((one: unknown) => (typeof one === "string" ? optionFrom(options, one) : one));
  },
};

const listOf = (items: JsonSchema, { min, max }: MultiselectAsk): JsonSchema =>
  omitUndefined({ type: "array", items, uniqueItems: true, minItems: min, maxItems: max });

const constantsOf = (options: readonly Choice[]): readonly JsonSchema[] =>
  options.map(({ value, title, description }) => omitUndefined({ const: value, title, description }));

interface ChoiceLike {
  readonly value: string;
  readonly title?: string;
  readonly label?: string;
  readonly description?: string;
}

/** What to choose from: values, values with titles, or a record from value to title. */
export type ChoicesLike =
  | readonly (string | ChoiceLike)[]
  | { readonly [value: string]: string | { readonly title: string; readonly description?: string } };

/** The values there are to choose from. */
export type ValueIn<Choices extends ChoicesLike> = Choices extends readonly (infer One)[]
  ? One extends { readonly value: infer Value extends string }
    ? Value
    : One & string
  : keyof Choices & string;

export function select<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<ValueIn<Choices>> = {},
): Yieldable<SelectAsk<ValueIn<Choices>>, ValueIn<Choices>> {
  const made: unknown = makeAsk(selectKind, message, { ...options, options: choices });
  // Its values are those of the choices it was made of.
  return made as ReturnType<typeof select<Choices>>;
}

export function multiselect<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<readonly ValueIn<Choices>[]> & { readonly min?: number; readonly max?: number } = {},
): Yieldable<MultiselectAsk<ValueIn<Choices>>, ValueIn<Choices>[]> {
  const made: unknown = makeAsk(multiselectKind, message, { ...options, options: choices });
  // Its values are those of the choices it was made of.
  return made as ReturnType<typeof multiselect<Choices>>;
}

/** Parses the choices of an author, in the order given. */
function parseChoices(given: unknown, question: string): readonly Choice[] {
  const choices = Array.isArray(given)
    ? given.map((one: unknown) => parseChoice(one, question))
    : isPlainObject(given)
      ? Object.entries(given).map(([value, title]) => parseTitled(value, title, question))
      : refuse(given, question);
  const values = new Set(choices.map(({ value }) => value));
  if (choices.length === 0) throw new InvalidAsk(question, "it has no options");
  if (values.size < choices.length) throw new InvalidAsk(question, "two of its options have the same value");
  return Object.freeze(choices);
}

function parseChoice(given: unknown, question: string): Choice {
  if (typeof given === "string") return Object.freeze({ value: given, title: given });
  if (!isPlainObject(given) || typeof given["value"] !== "string") return refuse(given, question);
  const title = given["title"] ?? given["label"] ?? given["value"];
  return parseTitled(given["value"], { ...given, title }, question);
}

function parseTitled(value: string, given: unknown, question: string): Choice {
  if (typeof given === "string") return Object.freeze({ value, title: given });
  if (!isPlainObject(given) || typeof given["title"] !== "string") return refuse(given, question);
  const { title, description } = given;
  return Object.freeze({ value, title, ...(typeof description === "string" ? { description } : {}) });
}

function refuse(given: unknown, question: string): never {
  throw new InvalidAsk(
    question,
    `its options are strings, { value, title } or a record from value to title, not ${describeValue(given)}`,
  );
}

/** The value of an option, by its value or its title. */
export function optionFrom(options: readonly Choice[], text: string): string {
  const trimmed = text.trim();
  const wanted = trimmed.toLowerCase();
  const found =
    options.find(({ value }) => value === trimmed) ??
    options.find(({ title }) => title.toLowerCase() === wanted) ??
    options.find(({ value }) => value.toLowerCase() === wanted);
  return found?.value ?? trimmed;
}

/** Several values: as JSON, or with commas between them. */
export function optionsFrom(options: readonly Choice[], text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const whole = optionFrom(options, trimmed);
  if (options.some(({ value }) => value === whole)) return [whole];
  const list = trimmed.startsWith("[") ? jsonFrom(trimmed) : undefined;
  if (Array.isArray(list)) return list.map((one: unknown) => optionFrom(options, String(one)));
  return trimmed.split(",").map((one) => optionFrom(options, one));
}
