/**
 * JSON, strictly: what can be written down and read back unchanged.
 *
 * Journals and results are JSON. A value that JSON would silently change (a
 * Date, a Map, NaN, a function) is refused with the place where it stands.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What kept a value from being JSON: where it stands (`.user.born`) and what it is. */
interface NotJson {
  readonly at: string;
  readonly found: string;
}

/** Deeper values than this are refused rather than overflowing the stack of whoever reads them. */
const DEEPEST = 500;

/** A copy that holds only JSON, or where and why that cannot be. Properties that are `undefined` are left out. */
export function copyJson(value: unknown): { readonly json: Json } | { readonly problem: NotJson } {
  try {
    return { json: new Copier(refuse).copy(value) ?? null };
  } catch (error) {
    if (error instanceof NotJsonValue) return { problem: { at: error.at, found: error.found } };
    // A getter or a proxy that throws.
    return { problem: { at: "", found: "a value that cannot be read" } };
  }
}

/**
 * A copy of an answer as JSON. What JSON cannot hold becomes null, which is no answer to anything; but for bytes, which
 * become what `ofBytes` makes of them.
 */
export function answerAsJson(value: unknown, ofBytes: (bytes: Uint8Array) => Json): Json | undefined {
  // What most answers are needs no copy.
  if (value === undefined || typeof value === "string" || typeof value === "boolean") return value;
  try {
    return new Copier((found) => (found instanceof Uint8Array ? ofBytes(found) : null)).copy(value);
  } catch {
    return null;
  }
}

/** The same text for the same content, whatever the order of its properties. */
export function canonicalJson(value: unknown): string {
  // As most of it came: one call writes all of it.
  if (hasSortedKeys(value)) return JSON.stringify(value) ?? "null";
  return stringifySorted(value);
}

/** Whether JSON writes a value as it is, and with its properties in the order of their names, wherever it has any. */
function hasSortedKeys(value: unknown): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value !== "function" && typeof value !== "symbol";
  if (Array.isArray(value)) return value.every(hasSortedKeys);
  // Of other objects JSON makes what they want to be.
  if (!isPlainObject(value)) return false;
  let last = "";
  // By name: no list is made of them.
  for (const name in value) {
    if (last > name || !hasSortedKeys(value[name])) return false;
    last = name;
  }
  return true;
}

/** Member by member, all the way down: what is looked at twice would be looked at as often as it is deep. */
function stringifySorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(stringifySorted).join(",")}]`;
  const names = Object.keys(value);
  if (names.length > 1) names.sort();
  let members = "";
  for (const name of names) {
    // Any object has properties by their names.
    const member = (value as { readonly [name: string]: unknown })[name];
    if (member === undefined) continue;
    if (members !== "") members += ",";
    members += `${JSON.stringify(name)}:${stringifySorted(member)}`;
  }
  return `{${members}}`;
}

/** A short digest of content, for noticing change; not a defence against anybody. */
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

/** What a text says as JSON; the text itself where it is not JSON. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Whether a value is an object with properties: not null, not an array, not an instance of some class. */
export function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Gives an object a property, whatever its name: "__proto__" is one like any other. */
export function setOwn<Value>(object: { [name: string]: Value }, name: string, value: Value): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

class NotJsonValue extends Error {
  readonly at: string;
  readonly found: string;

  constructor(at: string, found: string) {
    super(`${found} at ${at}`);
    this.at = at;
    this.found = found;
  }
}

/** What becomes of a value that JSON cannot hold: JSON, nothing, or an error. */
type OnMisfit = (value: unknown, at: string, found: string) => Json | undefined;

function refuse(_: unknown, at: string, found: string): never {
  throw new NotJsonValue(at, found);
}

class Copier {
  readonly #onMisfit: OnMisfit;
  /** What stands in a value in several places is copied once. */
  #copies: Map<object, Json> | undefined;
  /** What is being copied, from the outside in, and the names under which each stands in the one before. */
  readonly #within: object[] = [];
  readonly #path: (string | number)[] = [];

  constructor(onMisfit: OnMisfit) {
    this.#onMisfit = onMisfit;
  }

  copy(value: unknown): Json | undefined {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number") {
      // Not -0, which JSON does not know.
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      return this.#misfit(value, String(value));
    }
    if (typeof value !== "object")
      return this.#misfit(value, value === undefined ? "undefined" : `a ${typeof value}`);
    if (this.#within.includes(value)) return this.#misfit(value, "a reference to itself");
    if (this.#within.length > DEEPEST) return this.#misfit(value, `more than ${DEEPEST} levels`);
    const known = this.#copies?.get(value);
    if (known !== undefined) return known;
    this.#within.push(value);
    const copied = this.#copyInside(value);
    this.#within.pop();
    if (copied !== undefined) (this.#copies ??= new Map()).set(value, copied);
    return copied;
  }

  #copyInside(value: object): Json | undefined {
    if (Array.isArray(value)) return Array.from(value, (item, index) => this.#copyAt(index, item) ?? null);
    if (!isPlainObject(value)) return this.#misfit(value, `a ${className(value)}`);
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

  #misfit(value: unknown, found: string): Json | undefined {
    const at = this.#path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
    return this.#onMisfit(value, at, found);
  }
}

function className(value: object): string {
  const maker: unknown = value.constructor;
  return typeof maker === "function" && maker.name !== "" ? maker.name : "class instance";
}

/** A copy that nobody changes, neither we nor whoever gave it: lists and plain objects, all the way down. */
export function frozenCopy<T>(value: T): T {
  return copyFrozen(value, new Map());
}

/** A copy for somebody to keep and to change: lists and plain objects, all the way down. */
export function deepCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => deepCopy(item)) as T;
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(copy, name, deepCopy(member));
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

/** Only what is there: absent is absent, not `undefined`. For literals, whose names are their author's. */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const there: Partial<Fields> = {};
  // A plain loop: every question comes along here.
  for (const name in fields) if (fields[name] !== undefined) there[name] = fields[name];
  // The same fields without those that are `undefined`, which is what the type says.
  return there as never;
}
