import type { JsonSchema } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";
import { referredBy } from "./schema-path.ts";

/**
 * An input without what nobody filled in: fields that are undefined, and objects and lists that have nothing in them and
 * need not be there. A form makes such objects and lists for its own use.
 */
export function withoutEmpty(schema: JsonSchema, value: unknown, root: JsonSchema = schema): unknown {
  if (Array.isArray(value)) {
    const items = isRecord(schema["items"]) ? referredBy(root, schema["items"]) : {};
    return value.map((item) => withoutEmpty(items, item, root));
  }
  if (!isRecord(value)) return value;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const field = properties[name];
    const rest = withoutEmpty(isRecord(field) ? referredBy(root, field) : {}, inner, root);
    const empty = rest === undefined || isHollow(rest);
    const asked = rest !== undefined && (required.includes(name) || field === undefined);
    return empty && !asked ? [] : [[name, rest] as const];
  });
  return Object.fromEntries(kept);
}

/** An empty list is an answer; one of items that are no values is what a form makes of a list of a given length. */
function isHollow(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => (item ?? null) === null);
  return isRecord(value) && Object.keys(value).length === 0;
}
