/**
 * JSON, strictly: what can be written down and read back unchanged.
 *
 * Journals and results are JSON. A value that JSON would silently change (a
 * Date, a Map, NaN, a function) is refused with the place where it stands.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What kept a value from being JSON: where it stands (`.user.born`) and what it is. */
export interface NotJson {
  readonly at: string;
  readonly found: string;
}

/** Deeper values than this are refused rather than overflowing the stack of whoever reads them. */
const DEEPEST = 500;

/** A copy that holds only JSON, or where and why that cannot be. Properties that are `undefined` are left out. */
export function copyJson(value: unknown): { readonly json: Json } | { readonly problem: NotJson } {
  try {
    return { json: copy(value, "", []) };
  } catch (error) {
    if (error instanceof Misfit) return { problem: { at: error.at, found: error.found } };
    // A getter or a proxy that throws.
    return { problem: { at: "", found: "a value that cannot be read" } };
  }
}

/** The same text for the same content, whatever the order of its properties. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

/** A short digest of content, for noticing change; not a defence against anybody. */
export function digest(value: unknown): string {
  const text = canonical(value);
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

/** Whether a value is an object with properties: not null, not an array, not an instance of some class. */
export function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

class Misfit extends Error {
  readonly at: string;
  readonly found: string;

  constructor(at: string, found: string) {
    super(`${found} at ${at}`);
    this.at = at;
    this.found = found;
  }
}

function copy(value: unknown, at: string, within: readonly unknown[]): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Misfit(at, String(value));
    return value === 0 ? 0 : value;
  }
  if (typeof value !== "object")
    throw new Misfit(at, value === undefined ? "undefined" : `a ${typeof value}`);
  if (within.includes(value)) throw new Misfit(at, "a reference to itself");
  if (within.length > DEEPEST) throw new Misfit(at, `more than ${DEEPEST} levels`);
  const inside = [...within, value];
  if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, `${at}[${index}]`, inside));
  if (!isPlainObject(value)) throw new Misfit(at, `a ${className(value)}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copy(member, `${at}.${name}`, inside)]));
}

function className(value: object): string {
  const maker: unknown = value.constructor;
  return typeof maker === "function" && maker.name !== "" ? maker.name : "class instance";
}
