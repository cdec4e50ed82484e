import type { JsonSchema } from "@photon/core";
import type { Read } from "./scope.ts";

/** One of several: literals become an enum, `undefined` makes it optional. */
export function unionOf(parts: readonly Read[]): Read {
  const isOptional = parts.some((part) => part.isOptional);
  // `not: {}` lets nothing through: what is left of `undefined`.
  const schemas = parts.map(({ schema }) => schema).filter((schema) => !isNothing(schema));
  const flat = schemas.flatMap(alternativesOf);
  const literals = flat.flatMap(literalsOf);
  const others = flat.filter((schema) => literalsOf(schema).length === 0);
  const merged = [...enumsOf(literals), ...others];
  const distinct = merged.filter(
    (schema, index) =>
      merged.findIndex((other) => JSON.stringify(other) === JSON.stringify(schema)) === index,
  );
  const [only, ...more] = distinct;
  if (only === undefined) return { schema: { not: {} }, isOptional };
  return { schema: more.length === 0 ? only : { anyOf: distinct }, isOptional };
}

/** The values of a schema that lists them. */
export function literalsOf(schema: JsonSchema): readonly unknown[] {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

const isNothing = (schema: JsonSchema): boolean => JSON.stringify(schema) === '{"not":{}}';

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, ...rest } = schema;
  // Made by this function, from schemas.
  return Array.isArray(anyOf) && Object.keys(rest).length === 0 ? (anyOf as JsonSchema[]) : [schema];
}

/** One enum for each type of literal; `true | false` is a boolean. */
function enumsOf(literals: readonly unknown[]): readonly JsonSchema[] {
  const types = [...new Set(literals.map((value) => typeof value))];
  return types.map((type) => {
    const values = [...new Set(literals.filter((value) => typeof value === type))];
    if (type === "boolean" && values.length === 2) return { type };
    return values.length === 1 ? { type, const: values[0] } : { type, enum: values };
  });
}

/** The schema that lists values. */
export const enumOf = (values: readonly unknown[]): JsonSchema =>
  unionOf(values.map((value) => ({ schema: { type: typeof value, const: value }, isOptional: false })))
    .schema;
