/**
 * Copies, comparisons and digests of JSON, strictly: values that can be serialised and parsed without a change.
 *
 * Journals and results are JSON. A value that `JSON.stringify` would silently change (a Date, a Map, NaN, a function) is an
 * error that names its path.
 */
import { describeValue } from "./describe-value.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The value that is not JSON: its path (`.user.born`) and its description. */
interface JsonProblem {
  readonly at: string;
  readonly found: string;
}

/** Deeper values could overflow the stack of other code. */
const MAX_DEPTH = 500;

/** A copy as JSON, or the problem. Properties that are `undefined` are left out. */
export function copyJson(value: unknown): { readonly json: Json } | { readonly problem: JsonProblem } {
  try {
    return { json: new JsonCopier(throwNotJson).copy(value) ?? null };
  } catch (error) {
    if (error instanceof NotJsonError) return { problem: error.problem };
    // A getter or a proxy that throws.
    return { problem: { at: "", found: "a value that cannot be read" } };
  }
}

/**
 * A copy of an answer as JSON. Bytes are converted by `ofBytes`; other values that are not JSON become null, which is not a
 * valid answer to any question.
 */
export function answerToJson(value: unknown, ofBytes: (bytes: Uint8Array) => Json): Json | undefined {
  // Most answers.
  if (value === undefined || typeof value === "string" || typeof value === "boolean") return value;
  try {
    return new JsonCopier((found) => (found instanceof Uint8Array ? ofBytes(found) : null)).copy(value);
  } catch {
    return null;
  }
}

/** The same text for equal values, whatever the order of their properties. */
export function canonicalJson(value: unknown): string {
  // Usually the keys are sorted, and `JSON.stringify` is faster.
  if (hasSortedKeys(value)) return JSON.stringify(value) ?? "null";
  return stringifySorted(value);
}

/** Whether `JSON.stringify` writes the properties of a value sorted by name, at all levels. */
function hasSortedKeys(value: unknown): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value !== "function" && typeof value !== "symbol";
  if (Array.isArray(value)) return value.every(hasSortedKeys);
  // Other objects may have `toJSON`.
  if (!isPlainObject(value)) return false;
  let last = "";
  // `for in`: allocates no list of names.
  for (const name in value) {
    if (last > name || !hasSortedKeys(value[name])) return false;
    last = name;
  }
  return true;
}

/** Does not check members with `hasSortedKeys`: that would cost O(depth) for each. */
function stringifySorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(stringifySorted).join(",")}]`;
  const names = Object.keys(value);
  if (names.length > 1) names.sort();
  let members = "";
  for (const name of names) {
    const member = (value as { readonly [name: string]: unknown })[name];
    if (member === undefined) continue;
    if (members !== "") members += ",";
    members += `${JSON.stringify(name)}:${stringifySorted(member)}`;
  }
  return `{${members}}`;
}

/** A short digest, to detect changes. Not cryptographic. */
export function digest(value: unknown): string {
  const text = canonicalJson(value);
  // Two 32-bit FNV-1a hashes with different seeds: 64 bits, enough to tell two questions apart.
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x01000193) ^ (low >>> 15);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}

/** Parses JSON; returns the text itself if it is not JSON. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Whether a value is an object that is neither an array nor an instance of a class. */
export function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** An own property: "constructor" is undefined, unless the object has one. */
export function getOwn<Value>(object: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own property, also if its name is "__proto__". */
export function setOwn<Value>(object: { [name: string]: Value }, name: string, value: Value): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

class NotJsonError extends Error {
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    super(`${problem.found} at ${problem.at}`);
    this.problem = problem;
  }
}

/** Replaces a value that is not JSON: returns JSON or undefined, or throws. */
type OnNotJson = (value: unknown, problem: JsonProblem) => Json | undefined;

function throwNotJson(_: unknown, problem: JsonProblem): never {
  throw new NotJsonError(problem);
}

class JsonCopier {
  readonly #onNotJson: OnNotJson;
  /** An object that occurs several times is copied once. */
  #copies: Map<object, Json> | undefined;
  /** The objects around the current value, from the outside in, and the path to it. */
  readonly #ancestors: object[] = [];
  readonly #path: (string | number)[] = [];

  constructor(onNotJson: OnNotJson) {
    this.#onNotJson = onNotJson;
  }

  copy(value: unknown): Json | undefined {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number") {
      // JSON has no -0.
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      return this.#notJson(value, String(value));
    }
    if (typeof value !== "object")
      return this.#notJson(value, value === undefined ? "undefined" : `a ${typeof value}`);
    if (this.#ancestors.includes(value)) return this.#notJson(value, "a reference to itself");
    if (this.#ancestors.length > MAX_DEPTH) return this.#notJson(value, `more than ${MAX_DEPTH} levels`);
    const known = this.#copies?.get(value);
    if (known !== undefined) return known;
    this.#ancestors.push(value);
    const copied = this.#copyInside(value);
    this.#ancestors.pop();
    if (copied !== undefined) (this.#copies ??= new Map()).set(value, copied);
    return copied;
  }

  #copyInside(value: object): Json | undefined {
    if (Array.isArray(value)) return Array.from(value, (item, index) => this.#copyAt(index, item) ?? null);
    if (!isPlainObject(value)) return this.#notJson(value, describeValue(value));
    const copy: Record<string, Json> = {};
    for (const [name, member] of Object.entries(value)) {
      const copied = member === undefined ? undefined : this.#copyAt(name, member);
      if (copied !== undefined) setOwn(copy, name, copied);
    }
    return copy;
  }

  #copyAt(at: string | number, value: unknown): Json | undefined {
    this.#path.push(at);
    const copied = this.copy(value);
    this.#path.pop();
    return copied;
  }

  #notJson(value: unknown, found: string): Json | undefined {
    const at = this.#path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
    return this.#onNotJson(value, { at, found });
  }
}

/** A deep copy of arrays and plain objects, which may be changed. */
export function deepCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => deepCopy(item)) as T;
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(copy, name, deepCopy(member));
  // The copy has the same shape.
  return copy as T;
}

/** A deep copy of arrays and plain objects, frozen. The value may be cyclic. */
export function frozenCopy<T>(value: T, known: Map<unknown, object> = new Map()): T {
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  const copy: object = known.get(value) ?? (Array.isArray(value) ? [] : {});
  if (known.has(value)) return copy as T;
  known.set(value, copy);
  for (const [name, member] of Object.entries(value))
    Object.defineProperty(copy, name, { value: frozenCopy(member, known), enumerable: true });
  // The copy has the same shape.
  return Object.freeze(copy) as T;
}

/** Freezes a value deeply. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

/** A copy without the properties that are `undefined`. For object literals: it does not handle "__proto__". */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const defined: Partial<Fields> = {};
  // A plain loop, which is fast: called for every question.
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  // TypeScript does not infer that no field is `undefined`.
  return defined as never;
}

/** A copy without some properties. */
export function omit(
  object: { readonly [name: string]: unknown },
  names: readonly string[],
): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
