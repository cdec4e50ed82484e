/**
 * A schema as the form library makes the best form of it: choices as such, with names, and names for alternatives.
 * What fits it is what fits the schema that was given.
 */
import type { JsonSchema } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";
import { typeWords } from "./problem-words.ts";

const INNER = new Set(["items", "additionalProperties", "not", "if", "then", "else"]);
const INNER_LISTS = new Set(["oneOf", "anyOf", "allOf"]);
const INNER_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions"]);

export function formSchemaOf(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(
    ([keyword, value]) => [keyword, innerOf(keyword, value)] as const,
  );
  const { oneOf, anyOf, ...rest } = Object.fromEntries(entries);
  const constants = constantsIn(oneOf ?? anyOf);
  if (constants !== undefined)
    return { type: constants.type, ...rest, enum: constants.values, enumNames: constants.names };
  return {
    ...rest,
    ...(oneOf === undefined ? {} : { oneOf: Array.isArray(oneOf) ? oneOf.map(named) : oneOf }),
    ...(anyOf === undefined ? {} : { anyOf: Array.isArray(anyOf) ? anyOf.map(named) : anyOf }),
  };
}

function innerOf(keyword: string, value: unknown): unknown {
  if (INNER.has(keyword)) return isRecord(value) ? formSchemaOf(value) : value;
  if (INNER_LISTS.has(keyword) && Array.isArray(value))
    return value.map((inner: unknown) => (isRecord(inner) ? formSchemaOf(inner) : inner));
  if (!INNER_MAPS.has(keyword) || !isRecord(value)) return value;
  const inner = Object.entries(value).map(
    ([name, one]) => [name, isRecord(one) ? formSchemaOf(one) : one] as const,
  );
  return Object.fromEntries(inner);
}

/** Alternatives that are constants of one type. As such the library would choose the first of them by itself. */
function constantsIn(
  alternatives: unknown,
):
  | { readonly type: string; readonly values: readonly unknown[]; readonly names: readonly string[] }
  | undefined {
  if (!Array.isArray(alternatives) || !alternatives.every((one) => isRecord(one) && "const" in one))
    return undefined;
  const constants = alternatives.filter(isRecord);
  const [type, ...others] = new Set(constants.map(({ const: value }) => typeof value));
  if (type === undefined || type === "object" || others.length > 0) return undefined;
  return {
    type,
    values: constants.map(({ const: value }) => value),
    names: constants.map(({ const: value, title }) => String(title ?? value)),
  };
}

/** An alternative without a name is named after its type: "a text", "a list". */
function named(alternative: unknown): unknown {
  if (!isRecord(alternative) || alternative["title"] !== undefined || alternative["type"] === undefined)
    return alternative;
  return { ...alternative, title: typeWords(alternative["type"]) };
}
