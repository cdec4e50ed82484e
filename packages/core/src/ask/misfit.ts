/**
 * Whether a suggested value fits a flat schema: one value, or one field of a form.
 *
 * For defaults, which are checked where a question is made, before ajv has been
 * loaded. Answers are checked by ajv.
 */
import { isPlainObject } from "../json.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

const SHAPES: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i,
};

/** What is wrong with a value, if anything: "is below 1". */
export function misfit(schema: JsonSchema, value: unknown): string | undefined {
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
  if (typeof format === "string" && !hasFormat(text, format)) return `is no ${format}`;
  if (typeof formatMinimum === "string" && Date.parse(text) < Date.parse(formatMinimum))
    return `is before ${formatMinimum}`;
  if (typeof formatMaximum === "string" && Date.parse(text) > Date.parse(formatMaximum))
    return `is after ${formatMaximum}`;
  return undefined;
}

function hasFormat(text: string, format: string): boolean {
  const isDate = format === "date" || format === "date-time";
  return SHAPES[format]?.test(text) !== false && !(isDate && Number.isNaN(Date.parse(text)));
}

function numberMisfit({ type, minimum, maximum }: JsonSchema, value: number): string | undefined {
  if (type === "integer" && !Number.isInteger(value)) return "is not a whole number";
  if (typeof minimum === "number" && value < minimum) return `is below ${minimum}`;
  return typeof maximum === "number" && value > maximum ? `is above ${maximum}` : undefined;
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
