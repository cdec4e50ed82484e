import { isPlainObject, setOwn } from "./json.ts";

/** A copy that nobody changes, neither we nor whoever gave it: lists and plain objects, all the way down. */
export function frozenCopy<T>(value: T): T {
  return copyFrozen(value, new Map());
}

/** A copy for somebody to keep and to change: lists and plain objects, all the way down. */
export function ownCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => ownCopy(item)) as T;
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(copy, name, ownCopy(member));
  // Made of the same names and values, all the way down.
  return copy as T;
}

/** Freezes a value and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

function copyFrozen<T>(value: T, known: Map<unknown, unknown>): T {
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  // What contains itself contains the copy of itself.
  if (known.has(value)) return known.get(value) as T;
  const copy: object = Array.isArray(value) ? [] : {};
  known.set(value, copy);
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(copy, name, { value: copyFrozen(member, known), enumerable: true });
  }
  // Made of the same names and values, all the way down.
  return Object.freeze(copy) as T;
}
