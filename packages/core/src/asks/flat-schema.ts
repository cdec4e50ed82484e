/**
 * Schemas of answers and of the fields of a form, and whether a value fits one.
 *
 * ajv checks answers. Defaults are checked when an ask is made, before ajv is loaded: `schemaViolation` checks them.
 */
import type { JsonSchema } from "../schema/schema.ts";
import { findProblem, type Verdict } from "../schema/validator.ts";
import { getOwn, isPlainObject, omitUndefined } from "../util/json.ts";
import { mapMaybeAsync } from "../util/platform.ts";
import { isDay } from "../util/time.ts";

type BareType = "string" | "number" | "integer" | "boolean";

const BARE: { readonly [Type in BareType]: JsonSchema } = {
  string: Object.freeze({ type: "string" }),
  number: Object.freeze({ type: "number" }),
  integer: Object.freeze({ type: "integer" }),
  boolean: Object.freeze({ type: "boolean" }),
};

/** A schema of a type and its bounds. Without bounds it is always the same object, so that its validator is found by identity. */
export function ofType(type: BareType, bounds: JsonSchema = {}): JsonSchema {
  for (const name in bounds) if (bounds[name] !== undefined) return omitUndefined({ type, ...bounds });
  return BARE[type];
}

/** Checks an answer with ajv. The caller's schema lets only values of type `Answer` through. */
export function checkAgainstSchema<Answer>(
  schema: JsonSchema,
  value: unknown,
): Verdict<Answer> | Promise<Verdict<Answer>> {
  if (value === undefined) return { problem: "needs a value" };
  return mapMaybeAsync(findProblem(schema, value), (problem) =>
    problem === undefined ? { value: value as Answer } : { problem },
  );
}

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LABEL}$`, "i");

/** As strict as the formats of ajv. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => EMAIL.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:(?:[^\s<>"{}|\\^`%]|%[0-9a-f]{2})+$/i.test(text),
  date: isDay,
  "date-time": (text) =>
    /^\d{4}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
    isDay(text.slice(0, 10)),
};

/** The problem of a value, as a phrase: "is below 1". */
export function schemaViolation(schema: JsonSchema, value: unknown): string | undefined {
  if (schema["const"] !== undefined && value !== schema["const"])
    return `is not ${JSON.stringify(schema["const"])}`;
  switch (schema.type) {
    case "string":
      return typeof value === "string" ? textViolation(schema, value) : "is not text";
    case "integer":
    case "number":
      return typeof value === "number" && Number.isFinite(value)
        ? numberViolation(schema, value)
        : "is not a number";
    case "boolean":
      return typeof value === "boolean" ? undefined : "is not true or false";
    case "array":
      return Array.isArray(value) ? listViolation(schema, value) : "is not a list";
    default:
      return isPlainObject(value) ? fieldsViolation(schema.properties ?? {}, value) : "is not an object";
  }
}

function fieldsViolation(
  properties: { readonly [name: string]: JsonSchema },
  values: { readonly [name: string]: unknown },
): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    const field = getOwn(properties, name);
    if (field === undefined) return `has the unknown field ${JSON.stringify(name)}`;
    const problem = schemaViolation(field, value);
    if (problem !== undefined) return `has a field ${JSON.stringify(name)} that ${problem}`;
  }
  return undefined;
}

/** Whether a value has the type that a schema asks for, and is one of its choices; its bounds do not count. */
export function hasSchemaType(schema: JsonSchema, value: unknown): boolean {
  const { type, items } = schema;
  const bare: JsonSchema = omitUndefined({ type, items, enum: choicesOf(schema) });
  return value !== undefined && schemaViolation(bare, value) === undefined;
}

/** The values of an enumeration, plain or as `{ const, title }`; undefined if a schema has none. */
export function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const choices: unknown = schema["enum"] ?? schema["oneOf"] ?? schema["anyOf"];
  return Array.isArray(choices)
    ? choices.map((one: unknown): unknown => (isPlainObject(one) ? one["const"] : one))
    : undefined;
}

function textViolation(schema: JsonSchema, text: string): string | undefined {
  const length = [...text].length;
  const { minLength, maxLength, pattern, format, formatMinimum, formatMaximum } = schema;
  if (choicesOf(schema)?.includes(text) === false) return "is not one of its options";
  if (typeof minLength === "number" && length < minLength) return `has fewer than ${minLength} characters`;
  if (typeof maxLength === "number" && length > maxLength) return `has more than ${maxLength} characters`;
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(text)) return `does not match ${pattern}`;
  if (typeof format === "string" && FORMATS[format]?.(text) === false) return `is not a valid ${format}`;
  if (typeof formatMinimum === "string" && Date.parse(text) < Date.parse(formatMinimum))
    return `is before ${formatMinimum}`;
  if (typeof formatMaximum === "string" && Date.parse(text) > Date.parse(formatMaximum))
    return `is after ${formatMaximum}`;
  return undefined;
}

function numberViolation(schema: JsonSchema, value: number): string | undefined {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (type === "integer" && !Number.isInteger(value)) return "is not a whole number";
  if (typeof minimum === "number" && value < minimum) return `is below ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `is above ${maximum}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `is not above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return `is not below ${exclusiveMaximum}`;
  return typeof multipleOf === "number" && !Number.isInteger(value / multipleOf)
    ? `is not a multiple of ${multipleOf}`
    : undefined;
}

function listViolation(
  { items, minItems, maxItems }: JsonSchema,
  values: readonly unknown[],
): string | undefined {
  const choices = isPlainObject(items) ? choicesOf(items) : undefined;
  if (new Set(values).size < values.length) return "names an option twice";
  if (values.some((value) => choices?.includes(value) === false)) return "is not among its options";
  if (typeof minItems === "number" && values.length < minItems) return `has fewer than ${minItems}`;
  return typeof maxItems === "number" && values.length > maxItems ? `has more than ${maxItems}` : undefined;
}
