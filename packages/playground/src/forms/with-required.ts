import type { JsonSchema } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";
import { referredBy } from "./schema-path.ts";

/**
 * An input with the objects that have to be there, also where nobody touched them: what is missing is then what is in
 * them. `within`: the schemas around it, so that one that needs itself has an end.
 */
export function withRequired(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema = schema,
  within: readonly JsonSchema[] = [],
): unknown {
  if (Array.isArray(value)) {
    const items = isRecord(schema["items"]) ? referredBy(root, schema["items"]) : {};
    return value.map((item) => withRequired(items, item, root, [...within, schema]));
  }
  if (!isRecord(value)) return value;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const filled = Object.entries(properties).flatMap(([name, field]) => {
    const inner = isRecord(field) ? referredBy(root, field) : {};
    const isMissing = !Object.hasOwn(value, name);
    const isObject = inner["type"] === "object" && isRecord(inner["properties"]) && !within.includes(inner);
    if (isMissing && !(required.includes(name) && isObject)) return [];
    const given = isMissing ? {} : value[name];
    return [[name, withRequired(inner, given, root, [...within, schema])] as const];
  });
  return { ...value, ...Object.fromEntries(filled) };
}
