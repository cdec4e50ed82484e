/**
 * Refuses questions that nobody could answer, where they are made.
 *
 * No ajv here: a constructor cannot wait for it to load. What is checked is what
 * makes a question impossible, not everything an answer is checked for later.
 */
import { durationProblem, isDay } from "../util/time.ts";
import { InvalidAsk } from "../errors.ts";
import { isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";
import type { Ask, Choice, DateAsk, FormAsk, NumberAsk, TextAsk } from "../ask-types.ts";
import { answerSchema } from "./answer-schema.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { isPattern } from "../schema/check-schema.ts";

const OUTCOMES = new Set(["decline", "cancel", "timeout", "unsupported"]);

export function assertValidAsk(ask: Ask): void {
  const problem = commonProblem(ask) ?? kindProblem(ask) ?? defaultProblem(ask);
  if (problem !== undefined) throw new InvalidAsk(ask.message, problem);
}

/** What is wrong with an id, wherever one is given. */
export function idProblem(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "")
    return `its id is ${describeValue(id)}; an id is a text that is not empty`;
  if (id.includes("#")) return `its id ${JSON.stringify(id)} contains "#", which Photon uses itself`;
  return id === "__proto__" ? `its id is ${JSON.stringify(id)}, which no record can hold` : undefined;
}

/** What is wrong with what any question may say, of a person or of a client. */
export function optionsProblem(given: {
  readonly id?: unknown;
  readonly timeout?: unknown;
  readonly retries?: unknown;
  readonly fallback?: unknown;
}): string | undefined {
  const { id, timeout, retries, fallback } = given;
  if (id !== undefined) {
    const problem = idProblem(id);
    if (problem !== undefined) return problem;
  }
  if (timeout !== undefined) {
    const problem = timeoutProblem(timeout);
    if (problem !== undefined) return problem;
  }
  if (retries !== undefined && !(typeof retries === "number" && Number.isInteger(retries) && retries >= 0)) {
    return `its retries are ${describeValue(retries)}; give a whole number`;
  }
  if (fallback === undefined) return undefined;
  if (!isPlainObject(fallback))
    return `its fallback is ${describeValue(fallback)}; give { decline?, cancel?, timeout?, unsupported? }`;
  const unknown = Object.keys(fallback).find((outcome) => !OUTCOMES.has(outcome));
  return unknown === undefined
    ? undefined
    : `its fallback names ${JSON.stringify(unknown)}; it may name ${[...OUTCOMES].join(", ")}`;
}

function timeoutProblem(timeout: unknown): string | undefined {
  const problem = timeout === "none" ? undefined : durationProblem(timeout);
  return problem === undefined ? undefined : `its timeout ${problem}`;
}

function commonProblem(ask: Ask): string | undefined {
  if (typeof ask.message !== "string" || ask.message.trim() === "") return "it has no message";
  for (const name of ["label", "description", "patternMessage"] as const) {
    const words: unknown = Reflect.get(ask, name);
    if (words !== undefined && typeof words !== "string")
      return `its ${name} is ${describeValue(words)}; it is a text`;
  }
  return optionsProblem(ask);
}

function kindProblem(ask: Ask): string | undefined {
  switch (ask.ask) {
    case "text":
      return lengthProblem(ask) ?? patternProblem(ask);
    case "secret":
      return lengthProblem(ask);
    case "number":
      return flagProblem("integer", ask.integer) ?? numberProblem(ask);
    case "multiselect":
      return countProblem(ask.min, ask.max, ask.options);
    case "date":
      return flagProblem("time", ask.time) ?? rangeOfDates(ask);
    case "confirm":
      return flagProblem("dangerous", ask.dangerous) ?? yesProblem(Object.values(ask.fallback ?? {}));
    case "file":
      return fileProblem(ask.accept, ask.maxBytes);
    case "url":
      return isAddress(ask.url) ? undefined : `${JSON.stringify(ask.url)} is no http or https address`;
    case "select":
    case "form":
      return undefined;
    default:
      return ask satisfies never;
  }
}

function yesProblem(falls: readonly unknown[]): string | undefined {
  return falls.every((value) => value === false)
    ? undefined
    : "a confirm falls back to false only; yes is said by a person";
}

/** A flag that is neither true nor false would be taken for false: of `dangerous`, that is the wrong way. */
function flagProblem(name: string, flag: unknown): string | undefined {
  return flag === undefined || typeof flag === "boolean"
    ? undefined
    : `its ${name} is ${describeValue(flag)}; it is true or false`;
}

function lengthProblem(ask: {
  readonly minLength?: number;
  readonly maxLength?: number;
}): string | undefined {
  return boundsProblem("length", ask.minLength, ask.maxLength);
}

function boundsProblem(what: string, min: number | undefined, max: number | undefined): string | undefined {
  for (const bound of [min, max]) {
    if (bound !== undefined && !(Number.isInteger(bound) && bound >= 0))
      return `${describeValue(bound)} is no ${what}; give a whole number from 0`;
  }
  return reversed(min, max);
}

function patternProblem({ pattern, format }: TextAsk): string | undefined {
  if (format !== undefined && !["email", "uri", "date", "date-time"].includes(format)) {
    return `its format is ${describeValue(format)}; it may be email, uri, date or date-time`;
  }
  return pattern === undefined || isPattern(pattern)
    ? undefined
    : `its pattern ${JSON.stringify(pattern)} is no regular expression`;
}

function numberProblem({ min, max, integer }: NumberAsk): string | undefined {
  for (const bound of [min, max]) {
    if (bound !== undefined && !Number.isFinite(bound))
      return `${describeValue(bound)} is no bound for a number`;
  }
  const none = integer === true && min !== undefined && max !== undefined && Math.ceil(min) > Math.floor(max);
  return reversed(min, max) ?? (none ? `there is no whole number between ${min} and ${max}` : undefined);
}

function countProblem(
  min: number | undefined,
  max: number | undefined,
  options: readonly Choice[],
): string | undefined {
  if (min !== undefined && min > options.length) return `it wants ${min} of only ${options.length} options`;
  return boundsProblem("number of options", min, max);
}

function rangeOfDates(ask: DateAsk): string | undefined {
  for (const bound of [ask.min, ask.max]) {
    const problem =
      bound === undefined
        ? undefined
        : schemaViolation({ type: "string", format: ask.time === true ? "date-time" : "date" }, bound);
    if (problem !== undefined) return `its bound ${JSON.stringify(bound)} ${problem}`;
  }
  return ask.min !== undefined && ask.max !== undefined && Date.parse(ask.min) > Date.parse(ask.max)
    ? `its min (${ask.min}) is after its max (${ask.max})`
    : undefined;
}

function isAddress(url: unknown): boolean {
  // The address as far as a browser needs it: a scheme, a host that is whole, nothing blank.
  return (
    typeof url === "string" &&
    /^https?:\/\/(?:[^\s/?#[\]@]+@)?(?:[^\s/?#[\]@]+|\[[0-9a-f:.]+\](?::\d+)?)(?:[/?#]\S*)?$/i.test(url)
  );
}

function fileProblem(accept: readonly unknown[] | undefined, maxBytes: unknown): string | undefined {
  if (accept !== undefined && (!Array.isArray(accept) || accept.length === 0))
    return "it accepts no kind of file";
  const odd: unknown = accept?.find((type) => typeof type !== "string");
  if (odd !== undefined) return `it accepts ${describeValue(odd)}; give media types and endings`;
  const isSize = maxBytes === undefined || (typeof maxBytes === "number" && maxBytes > 0);
  return isSize ? undefined : `its maxBytes is ${describeValue(maxBytes)}; give a number above 0`;
}

function reversed(min: number | undefined, max: number | undefined): string | undefined {
  return min !== undefined && max !== undefined && min > max
    ? `its min (${min}) is above its max (${max})`
    : undefined;
}

function defaultProblem(ask: Ask): string | undefined {
  const suggestion: unknown = "default" in ask ? ask.default : undefined;
  if (suggestion === undefined) return undefined;
  const problem =
    ask.ask === "form"
      ? fieldsMisfit(ask.schema, suggestion)
      : schemaViolation(answerSchema(ask), suggestion);
  return problem === undefined ? undefined : `its default ${describeValue(suggestion)} ${problem}`;
}

function fieldsMisfit({ properties }: FormAsk["schema"], suggestion: unknown): string | undefined {
  if (!isPlainObject(suggestion)) return "is not an object of its fields";
  for (const [name, value] of Object.entries(suggestion)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) return `has a field ${JSON.stringify(name)}, which is none of its fields`;
    const problem = schemaViolation(field, value);
    if (problem !== undefined) return `has a field ${JSON.stringify(name)} that ${problem}`;
  }
  return undefined;
}

/**
 * Whether a suggested value fits a flat schema: one value, or one field of a form.
 *
 * For defaults, which are checked where a question is made, before ajv has been
 * loaded. Answers are checked by ajv.
 */

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LABEL}$`, "i");

/** The formats, as strict as the check of an answer will be. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => EMAIL.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:(?:[^\s<>"{}|\\^`%]|%[0-9a-f]{2})+$/i.test(text),
  date: isDay,
  "date-time": (text) =>
    /^\d{4}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
    isDay(text.slice(0, 10)),
};

/** What is wrong with a value, if anything: "is below 1". */
export function schemaViolation(schema: JsonSchema, value: unknown): string | undefined {
  if (schema["const"] !== undefined && value !== schema["const"])
    return `is not ${JSON.stringify(schema["const"])}`;
  switch (schema.type) {
    case "string":
      return typeof value === "string" ? textMisfit(schema, value) : "is not text";
    case "integer":
    case "number":
      return typeof value === "number" && Number.isFinite(value)
        ? numberMisfit(schema, value)
        : "is not a number";
    case "boolean":
      return typeof value === "boolean" ? undefined : "is not true or false";
    case "array":
      return Array.isArray(value) ? listMisfit(schema, value) : "is not a list";
    default:
      return isPlainObject(value) ? undefined : "is not an object";
  }
}

/** Whether a value may stand in a field's place at all: of its type, and where there are choices one of them. */
export function hasSchemaType(schema: JsonSchema, value: unknown): boolean {
  const { type, items } = schema;
  const choices = choicesOf(schema);
  const bare = { type, items, ...(choices === undefined ? {} : { enum: choices }) };
  return value !== undefined && schemaViolation(bare as JsonSchema, value) === undefined;
}

/** The texts a schema lets choose from, plain or as `{ const, title }`; nothing where it lets write freely. */
export function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const choices: unknown = schema["enum"] ?? schema["oneOf"] ?? schema["anyOf"];
  return Array.isArray(choices)
    ? choices.map((one: unknown): unknown => (isPlainObject(one) ? one["const"] : one))
    : undefined;
}

function textMisfit(schema: JsonSchema, text: string): string | undefined {
  const length = [...text].length;
  const { minLength, maxLength, pattern, format, formatMinimum, formatMaximum } = schema;
  if (choicesOf(schema)?.includes(text) === false) return "is not one of its options";
  if (typeof minLength === "number" && length < minLength) return `has fewer than ${minLength} characters`;
  if (typeof maxLength === "number" && length > maxLength) return `has more than ${maxLength} characters`;
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(text)) return `does not match ${pattern}`;
  if (typeof format === "string" && FORMATS[format]?.(text) === false) return `is no ${format}`;
  if (typeof formatMinimum === "string" && Date.parse(text) < Date.parse(formatMinimum))
    return `is before ${formatMinimum}`;
  if (typeof formatMaximum === "string" && Date.parse(text) > Date.parse(formatMaximum))
    return `is after ${formatMaximum}`;
  return undefined;
}

function numberMisfit(schema: JsonSchema, value: number): string | undefined {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (type === "integer" && !Number.isInteger(value)) return "is not a whole number";
  if (typeof minimum === "number" && value < minimum) return `is below ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `is above ${maximum}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `is not above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return `is not below ${exclusiveMaximum}`;
  return typeof multipleOf === "number" && !Number.isInteger(value / multipleOf)
    ? `is no multiple of ${multipleOf}`
    : undefined;
}

function listMisfit(
  { items, minItems, maxItems }: JsonSchema,
  values: readonly unknown[],
): string | undefined {
  const choices = isPlainObject(items) ? choicesOf(items) : undefined;
  if (new Set(values).size < values.length) return "names an option twice";
  if (values.some((value) => choices?.includes(value) === false)) return "is not among its options";
  if (typeof minItems === "number" && values.length < minItems) return `has fewer than ${minItems}`;
  return typeof maxItems === "number" && values.length > maxItems ? `has more than ${maxItems}` : undefined;
}
