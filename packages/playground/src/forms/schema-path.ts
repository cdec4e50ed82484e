/** Where in a schema, and where in a value, a validator has found something. */
import type { JsonSchema } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";

/** The names along a JSON pointer such as `#/rooms/0/guest`. */
export function namesAlong(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is in a value at a place. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** What a schema says at a place; where it refers to another of its places, what is said there. */
export function saidAt(schema: JsonSchema, pointer: string): unknown {
  let said: unknown = schema;
  for (const name of namesAlong(pointer)) {
    if (name === "$ref") said = isRecord(said) ? referredBy(schema, said) : undefined;
    else if (Array.isArray(said)) said = said[Number(name)];
    else said = isRecord(said) ? said[name] : undefined;
  }
  return said;
}

/** A schema, or the one that it stands for. Only references into the same document are followed. */
export function referredBy(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const found = $ref.startsWith("#") && !$ref.includes("$ref") ? saidAt(root, $ref) : undefined;
  return isRecord(found) ? found : {};
}
