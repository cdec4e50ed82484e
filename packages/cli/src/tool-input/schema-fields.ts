/** The fields of an input schema, with `$ref` and null resolved. Pure. */
import type { JsonSchema } from "@photon/core";
import { isRecord } from "../is-record.ts";

export interface InputField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** In the order of the schema. */
export function fieldsOf(schema: JsonSchema, root: JsonSchema = schema): readonly InputField[] {
  const whole = resolved(schema, root);
  return Object.entries(whole.properties ?? {}).map(([name, property]) => ({
    name,
    schema: resolved(property, root),
    isRequired: whole.required?.includes(name) === true,
  }));
}

/** Follows `$ref`, and takes the other branch of a schema that allows null. */
export function resolved(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref: reference } = schema;
  if (depth > 20) return schema;
  if (typeof reference === "string") {
    const found = referredTo(reference, root);
    if (found === undefined) return schema;
    const { $ref: _, ...beside } = schema;
    return { ...resolved(found, root, depth + 1), ...beside };
  }
  const branches: unknown = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(branches)) return schema;
  const solid = branches.filter(isRecord).filter((branch) => branch["type"] !== "null");
  const [only] = solid;
  if (solid.length !== 1 || only === undefined) return schema;
  const { anyOf: _, oneOf: __, ...beside } = schema;
  return { ...resolved(only, root, depth + 1), ...beside };
}

/** The schema at "#/$defs/name". */
function referredTo(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isRecord(found) ? found : undefined;
}

/** The types that a schema allows; empty if it does not say. */
export function typesOf({ type, enum: values, const: constant }: JsonSchema): readonly string[] {
  if (typeof type === "string") return [type];
  if (type !== undefined) return type;
  const known: readonly unknown[] = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  return [...new Set(known.map((value) => (value === null ? "null" : typeof value)))];
}
