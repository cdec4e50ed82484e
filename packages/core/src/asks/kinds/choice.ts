/** `ask.select` and `ask.multiselect`: one, or several, of the options that the author gives. */
import { InvalidAsk } from "../../errors.ts";
import type { JsonSchema } from "../../schema/schema.ts";
import { describeValue } from "../../util/describe-value.ts";
import { isPlainObject, jsonFrom, omitUndefined } from "../../util/json.ts";
import {
  type AskBase,
  type AskOptions,
  countsProblem,
  describeRange,
  type FieldKindDescriptor,
  makeAsk,
} from "../ask-kind.ts";
import type { Yieldable } from "../yieldable.ts";

/** An option of a select or multiselect. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly title: string;
  readonly description?: string;
}

/** Asks the user to choose one option. */
export interface SelectAsk<Value extends string = string> extends AskBase<"select", Value> {
  readonly options: readonly Choice<Value>[];
}

/** Asks the user to choose several options. */
export interface MultiselectAsk<Value extends string = string> extends AskBase<
  "multiselect",
  readonly Value[]
> {
  readonly options: readonly Choice<Value>[];
  readonly min?: number;
  readonly max?: number;
}

const parseOptions = ({ options }: { readonly options?: unknown }, message: string): object => ({
  options: parseChoices(options, message),
});

export const select: FieldKindDescriptor<SelectAsk, string> & { readonly create: typeof createSelect } = {
  kind: "select",
  isField: true,
  create: createSelect,
  options: { default: true, options: true },
  parseOptions,
  answerSchema: ({ options }) => ({ type: "string", enum: options.map(({ value }) => value) }),
  fieldSchema: ({ options }) => ({ type: "string", oneOf: constantsOf(options) }),
  optionsFromField(schema) {
    const options = schema.type === "array" ? [] : choicesIn(schema);
    return options.length === 0 ? undefined : { options };
  },
  parseAnswer: ({ options }, given) => (typeof given === "string" ? optionFrom(options, given) : given),
};

export const multiselect: FieldKindDescriptor<MultiselectAsk, string[]> & {
  readonly create: typeof createMultiselect;
} = {
  kind: "multiselect",
  isField: true,
  create: createMultiselect,
  options: { default: true, options: true, min: true, max: true },
  parseOptions,
  checkOptions: ({ min, max, options }) =>
    min !== undefined && min > options.length
      ? `its min (${min}) is above its number of options (${options.length})`
      : countsProblem("number of options", min, max),
  answerSchema: (ask) => listOf({ type: "string", enum: ask.options.map(({ value }) => value) }, ask),
  fieldSchema: (ask) => listOf({ anyOf: constantsOf(ask.options) }, ask),
  optionsFromField: (schema) =>
    schema.type === "array"
      ? omitUndefined({ options: choicesIn(schema), min: schema["minItems"], max: schema["maxItems"] })
      : undefined,
  parseAnswer({ options }, given) {
    if (typeof given === "string") return optionsFrom(options, given);
    if (!Array.isArray(given)) return given;
    return given.map((one: unknown) => (typeof one === "string" ? optionFrom(options, one) : one));
  },
  expectedAnswer: ({ min, max }) => [describeRange(min, max, "of them", "of them")],
};

const listOf = (items: JsonSchema, { min, max }: MultiselectAsk): JsonSchema =>
  omitUndefined({ type: "array", items, uniqueItems: true, minItems: min, maxItems: max });

const constantsOf = (options: readonly Choice[]): readonly JsonSchema[] =>
  options.map(({ value, title, description }) => omitUndefined({ const: value, title, description }));

/** The choices of a field for one or several: constants with titles, or values with `enumNames`. */
export function choicesIn(schema: JsonSchema): readonly Choice[] {
  const source = isPlainObject(schema["items"]) ? schema["items"] : schema;
  const { enum: values, enumNames: names, oneOf, anyOf } = source;
  const constants: unknown = oneOf ?? anyOf;
  if (Array.isArray(constants)) {
    const choices = constants.filter(isPlainObject).filter((one) => typeof one["const"] === "string");
    // Branches without a constant are not choices.
    if (choices.length < constants.length) return [];
    return choices.map(({ const: value, title = value, description }) => ({
      value: String(value),
      title: String(title),
      ...(typeof description === "string" ? { description } : {}),
    }));
  }
  if (!Array.isArray(values)) return [];
  return values.map((value: unknown, index) => {
    const name: unknown = Array.isArray(names) ? names[index] : undefined;
    return { value: String(value), title: typeof name === "string" ? name : String(value) };
  });
}

interface ChoiceLike {
  readonly value: string;
  readonly title?: string;
  readonly label?: string;
  readonly description?: string;
}

/** The choices that an author gives: values, values with titles, or a record from value to title. */
export type ChoicesLike =
  | readonly (string | ChoiceLike)[]
  | { readonly [value: string]: string | { readonly title: string; readonly description?: string } };

/** The values of choices. */
export type ValueIn<Choices extends ChoicesLike> = Choices extends readonly (infer One)[]
  ? One extends { readonly value: infer Value extends string }
    ? Value
    : One & string
  : keyof Choices & string;

function createSelect<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<ValueIn<Choices>> = {},
): Yieldable<SelectAsk<ValueIn<Choices>>, ValueIn<Choices>> {
  const made: unknown = makeAsk(select, message, { ...options, options: choices });
  // The choices determine the type of the answer.
  return made as ReturnType<typeof createSelect<Choices>>;
}

function createMultiselect<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<readonly ValueIn<Choices>[]> & { readonly min?: number; readonly max?: number } = {},
): Yieldable<MultiselectAsk<ValueIn<Choices>>, ValueIn<Choices>[]> {
  const made: unknown = makeAsk(multiselect, message, { ...options, options: choices });
  // The choices determine the type of the answer.
  return made as ReturnType<typeof createMultiselect<Choices>>;
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
function optionFrom(options: readonly Choice[], text: string): string {
  const trimmed = text.trim();
  const wanted = trimmed.toLowerCase();
  const found =
    options.find(({ value }) => value === trimmed) ??
    options.find(({ title }) => title.toLowerCase() === wanted) ??
    options.find(({ value }) => value.toLowerCase() === wanted);
  return found?.value ?? trimmed;
}

/** Several values: as JSON, or with commas between them. */
function optionsFrom(options: readonly Choice[], text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const whole = optionFrom(options, trimmed);
  if (options.some(({ value }) => value === whole)) return [whole];
  const list = trimmed.startsWith("[") ? jsonFrom(trimmed) : undefined;
  if (Array.isArray(list)) return list.map((one: unknown) => optionFrom(options, String(one)));
  return trimmed.split(",").map((one) => optionFrom(options, one));
}
