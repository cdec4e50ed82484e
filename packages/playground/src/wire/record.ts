import { isRecord } from "../is-record.ts";

/** What came over the wire, before anybody has looked at it. */
export type Fields = { readonly [name: string]: unknown };

/** The record at a name; an empty one where there is none. */
export function recordIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isRecord(value) ? value : {};
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The same without what is undefined. */
export function present<T extends object>(fields: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  // What is left has no undefined; optional members may be missing, as their type says.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
