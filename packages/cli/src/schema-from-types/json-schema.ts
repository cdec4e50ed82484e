/** Schemas of objects, enums and unions, put together from schemas of their parts. */
import type { JsonSchema } from "@photon/core";

export type Properties = Readonly<Record<string, JsonSchema>>;
export type ObjectSchema = JsonSchema & { readonly properties: Properties };

/** A type as a schema. */
export interface TypeSchema {
  readonly schema: JsonSchema;
  /** `undefined` is one of its values: a property of this type may be left out. */
  readonly isOptional: boolean;
}

/** An object with these properties and no others, unless `rest` is the schema of those. */
export function objectOf(
  properties: Properties,
  required: readonly string[],
  rest?: JsonSchema,
): ObjectSchema & { readonly type: "object" } {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: rest ?? false,
  };
}

/** Whether it is an object whose properties are known. */
export const isObjectSchema = (schema: JsonSchema): schema is ObjectSchema =>
  schema.type === "object" && schema.properties !== undefined;

/** The properties of both; where both have one, that of the later one. */
export function overlay(before: ObjectSchema, after: ObjectSchema): JsonSchema {
  const kept = (before.required ?? []).filter((name) => !Object.hasOwn(after.properties, name));
  const rest = [after, before].map((schema) => schema["additionalProperties"]).find((one) => one !== false);
  return objectOf(
    { ...before.properties, ...after.properties },
    [...kept, ...(after.required ?? [])],
    // Made by `objectOf`.
    rest as JsonSchema | undefined,
  );
}

const NEVER = '{"not":{}}';

/** `undefined` alone: it allows no JSON. */
export const UNDEFINED: TypeSchema = { schema: { not: {} }, isOptional: true };

/** Literals become an enum, and `undefined` makes the union optional. */
export function unionOf(parts: readonly TypeSchema[]): TypeSchema {
  const isOptional = parts.some((part) => part.isOptional);
  const schemas = parts.flatMap(({ schema }) => alternativesOf(schema));
  const literals = schemas.flatMap(literalsOf);
  const others = schemas.filter((one) => literalsOf(one).length === 0 && JSON.stringify(one) !== NEVER);
  const distinct = new Map([...enumsOf(literals), ...others].map((one) => [JSON.stringify(one), one]));
  const [only, ...more] = distinct.values();
  if (only === undefined) return { ...UNDEFINED, isOptional };
  return { schema: more.length === 0 ? only : { anyOf: [only, ...more] }, isOptional };
}

/** The values of a schema that lists them. */
export function literalsOf(schema: JsonSchema): readonly unknown[] {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, ...rest } = schema;
  // Made by `unionOf`, of schemas.
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
