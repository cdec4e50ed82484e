/** The choices that a field of a form offers, and how several of them are asked for where a revision has no list. Pure. */
import type { Choice, JsonSchema } from "@photon/core";
import { isRecord } from "../jsonrpc/messages.ts";
import type { Features } from "./revisions.ts";

/** The choices of a field, with their words. */
export function choicesIn(field: JsonSchema): readonly Choice[] {
  const source = isRecord(field["items"]) ? field["items"] : field;
  const titled = source["oneOf"] ?? source["anyOf"];
  const names: readonly unknown[] = Array.isArray(source["enumNames"]) ? source["enumNames"] : [];
  const plain: readonly unknown[] = Array.isArray(source["enum"]) ? source["enum"] : [];
  if (!Array.isArray(titled))
    return plain.map((value, index) => ({ value: String(value), title: String(names[index] ?? value) }));
  return titled.filter(isRecord).map(({ const: value, title, description }) => ({
    value: String(value),
    title: String(title ?? value),
    ...(typeof description === "string" ? { description } : {}),
  }));
}

/** Whether a field is asked for as one yes or no for each of its choices: forms before 2025-11-25 have no other way to choose several. */
export function isSplit(field: JsonSchema, features: Features): boolean {
  return field.type === "array" && !features.elicitation2511;
}

/** The names of the choices of one field, each in a field of its own. */
export type SplitNames = ReadonlyMap<string, string>;

/**
 * The names of the choices of every field: `field.choice`, unless that is the name of something else already. The same
 * for the same fields, so that what comes back is read as it was asked.
 */
export function splitNames(properties: {
  readonly [name: string]: JsonSchema;
}): ReadonlyMap<string, SplitNames> {
  const taken = new Set(Object.keys(properties));
  const free = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
    taken.add(name);
    return name;
  };
  return new Map(
    Object.entries(properties)
      .filter(([, { type }]) => type === "array")
      .map(([field, schema]) => [
        field,
        new Map(choicesIn(schema).map(({ value }) => [value, free(`${field}.${value}`)])),
      ]),
  );
}
