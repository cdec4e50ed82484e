import { isPlainObject } from "./json.ts";

/** A copy that nobody changes, neither we nor whoever gave it: lists and plain objects, all the way down. */
export function frozenCopy(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  if (!isPlainObject(value)) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenCopy(member)])),
  );
}
