/** What the value of an export is, by its shape: it may come from another copy of core than ours. */
import type { Body, Prompt, Resource, Tool } from "@photon/core";
import { isRecord } from "../is-record.ts";

export type Definition = Tool<never> | Prompt<never> | Resource<never>;
export type Generator = (...args: readonly unknown[]) => Body<unknown>;
export type Constructor = new () => object;

const KINDS: ReadonlySet<unknown> = new Set<Definition["kind"]>(["tool", "prompt", "resource"]);
const ASYNC_GENERATOR: unknown = Object.getPrototypeOf(async function* () {});

export const isDefinition = (value: unknown): value is Definition =>
  isRecord(value) && KINDS.has(value["kind"]) && typeof value["run"] === "function";

export const isGenerator = (value: unknown): value is Generator =>
  typeof value === "function" && Object.getPrototypeOf(value) === ASYNC_GENERATOR;

export const isClass = (value: unknown): value is Constructor =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

/** The async generator methods of a class and of those it extends; not those put aside with "_". */
export function generatorMethods({ prototype }: Constructor): readonly string[] {
  const names = new Set<string>();
  // A class has a prototype that is an object; the chain ends with that of every object.
  for (let at = prototype as object | null; at !== null && at !== Object.prototype; at = parentOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (isGenerator(value) && !name.startsWith("_")) names.add(name);
  }
  return [...names];
}

// Typed `any` by the library; an object or null by the language.
const parentOf = (object: object): object | null => Object.getPrototypeOf(object) as object | null;
