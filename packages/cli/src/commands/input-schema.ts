/** The parts of a tool's input schema, as flags name them. Pure. */
import type { JsonSchema } from "@photon/core";
import { isRecord } from "../is-record.ts";

/** One thing of a tool's input. */
export interface InputField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** What an object schema has, in its own order. */
export function fieldsOf(schema: JsonSchema, root: JsonSchema = schema): readonly InputField[] {
  const whole = resolved(schema, root);
  return Object.entries(whole.properties ?? {}).map(([name, property]) => ({
    name,
    schema: resolved(property, root),
    isRequired: whole.required?.includes(name) === true,
  }));
}

/** The schema itself where one refers to another, and the one thing it may be where null is the other. */
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

/** What "#/$defs/name" stands for. */
function referredTo(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isRecord(found) ? found : undefined;
}

/** The types a schema lets through; none where it does not say. */
export function typesOf({ type, enum: values, const: constant }: JsonSchema): readonly string[] {
  if (typeof type === "string") return [type];
  if (type !== undefined) return type;
  const known: readonly unknown[] = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  return [...new Set(known.map((value) => (value === null ? "null" : typeof value)))];
}
