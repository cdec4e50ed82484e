/** The types that TypeScript itself brings, as far as JSON has them. */
import type { JsonSchema } from "@photon/core";
import type { TSType } from "oxc-parser";
import { isObjectSchema, objectOf, type Properties } from "./read-object.ts";
import type { Read, Scope } from "./scope.ts";
import { quote, refuse, type Span } from "./sources.ts";
import { enumOf, literalsOf } from "./union.ts";

type BuiltIn = (args: readonly TSType[], scope: Scope, at: Span) => Read;

const certain = (schema: JsonSchema): Read => ({ schema, isOptional: false });

const list: BuiltIn = ([item], scope) =>
  certain({ type: "array", ...(item === undefined ? {} : { items: scope.read(item, scope).schema }) });

const same: BuiltIn = ([type], scope, at) => scope.read(needed(type, scope, at), scope);

/** One that changes an object type. */
const ofObject =
  (
    change: (schema: JsonSchema & { readonly properties: Properties }, keys: readonly string[]) => JsonSchema,
  ): BuiltIn =>
  ([type, keys], scope, at) => {
    const { schema } = scope.read(needed(type, scope, at), scope);
    if (!isObjectSchema(schema))
      throw refuse(scope.file, at, `${quote(scope.file, at)} is not made of an object type; write it out`);
    const names = keys === undefined ? [] : literalsOf(scope.read(keys, scope).schema).map(String);
    return certain(change(schema, names));
  };

const only = (
  { properties, required = [], ...rest }: JsonSchema & { readonly properties: Properties },
  isKept: (name: string) => boolean,
): JsonSchema => ({
  ...rest,
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))),
  ...(required.some(isKept) ? { required: required.filter(isKept) } : {}),
});

const record: BuiltIn = ([keys, values], scope, at) => {
  const key = scope.read(needed(keys, scope, at), scope).schema;
  const value = scope.read(needed(values, scope, at), scope).schema;
  const names = literalsOf(key).map(String);
  if (names.length > 0)
    return certain(objectOf(Object.fromEntries(names.map((name) => [name, value])), names));
  return certain({ type: "object", additionalProperties: value });
};

/** Literals that are, or are not, among others. */
const literals =
  (isKept: (value: unknown, others: readonly unknown[]) => boolean): BuiltIn =>
  ([type, other], scope, at) => {
    const { schema, isOptional } = scope.read(needed(type, scope, at), scope);
    const others = literalsOf(scope.read(needed(other, scope, at), scope).schema);
    const values = literalsOf(schema).filter((value) => isKept(value, others));
    if (values.length === 0)
      throw refuse(scope.file, at, `${quote(scope.file, at)} can only be read for literals; write it out`);
    return { schema: enumOf(values), isOptional };
  };

export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  Array: list,
  ReadonlyArray: list,
  Readonly: same,
  Record: record,
  // As JSDoc has it: `Object<string, number>`, or `Object` alone.
  Object: (args, scope, at) => (args.length === 2 ? record(args, scope, at) : certain({ type: "object" })),
  Partial: ofObject((schema) =>
    Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "required")),
  ),
  Required: ofObject((schema) => ({ ...schema, required: Object.keys(schema.properties) })),
  Pick: ofObject((schema, keys) => only(schema, (name) => keys.includes(name))),
  Omit: ofObject((schema, keys) => only(schema, (name) => !keys.includes(name))),
  NonNullable: ([type], scope, at) => certain(withoutNull(scope.read(needed(type, scope, at), scope).schema)),
  Exclude: literals((value, others) => !others.includes(value)),
  Extract: literals((value, others) => others.includes(value)),
};

function withoutNull(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema["anyOf"])) return schema;
  // A union, made of schemas.
  const rest = (schema["anyOf"] as JsonSchema[]).filter(({ type }) => type !== "null");
  return rest.length === 1 && rest[0] !== undefined ? rest[0] : { anyOf: rest };
}

function needed(type: TSType | undefined, { file }: Scope, at: Span): TSType {
  if (type === undefined) throw refuse(file, at, `${quote(file, at)} lacks a type argument; give it one`);
  return type;
}

/** Why some types that everybody knows are no input, and what to take instead. */
export const NOT_JSON: Readonly<Record<string, string>> = {
  Date: "JSON has no dates; take a string, with @format date or date-time",
  Map: "JSON has no maps; take a Record<string, …>",
  Set: "JSON has no sets; take a list, with @uniqueItems",
  RegExp: "JSON has no regular expressions; take a string",
  URL: "JSON has no URLs; take a string, with @format uri",
  Promise: "An input is there when the tool starts; take its value, not a Promise",
  Buffer: "JSON has no bytes; take a string (base64)",
  Uint8Array: "JSON has no bytes; take a string (base64)",
};
