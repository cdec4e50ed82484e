/** Object types: their properties, with what their comments say. */
import type { JsonSchema } from "@photon/core";
import type { TSPropertySignature, TSSignature } from "oxc-parser";
import { applyDoc } from "./apply-doc.ts";
import { keyOf } from "./literals.ts";
import { docBefore } from "./read-doc.ts";
import type { Scope } from "./scope.ts";
import { quote, refuse } from "./sources.ts";

export type Properties = Readonly<Record<string, JsonSchema>>;

/** An object with these properties and no others, unless `rest` says what those may be. */
export function objectOf(properties: Properties, required: readonly string[], rest?: JsonSchema): JsonSchema {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: rest ?? false,
  };
}

/** Whether it is an object whose properties are known. */
export const isObjectSchema = (
  schema: JsonSchema,
): schema is JsonSchema & { readonly properties: Properties } =>
  schema.type === "object" && schema.properties !== undefined;

/** The members between the braces of an object type or an interface. */
export function readMembers(members: readonly TSSignature[], scope: Scope): JsonSchema {
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  let rest: JsonSchema | undefined;
  for (const member of members) {
    if (member.type === "TSIndexSignature") {
      rest = scope.read(member.typeAnnotation.typeAnnotation, scope).schema;
      continue;
    }
    if (member.type !== "TSPropertySignature") {
      const found = quote(scope.file, member);
      throw refuse(scope.file, member, `${found} is a function, and JSON has none; leave it out`);
    }
    const { name, schema, isOptional } = readProperty(member, scope);
    properties.push([name, schema]);
    if (!isOptional) required.push(name);
  }
  return objectOf(Object.fromEntries(properties), required, rest);
}

function readProperty(
  member: TSPropertySignature,
  scope: Scope,
): { readonly name: string; readonly schema: JsonSchema; readonly isOptional: boolean } {
  const name = member.computed ? undefined : keyOf(member.key);
  if (name === undefined) {
    const found = quote(scope.file, member.key);
    throw refuse(scope.file, member.key, `The name of the property ${found} is computed; write it out`);
  }
  if (member.typeAnnotation === null)
    throw refuse(scope.file, member, `The property ${name} has no type; give it one`);
  const { schema, isOptional } = scope.read(member.typeAnnotation.typeAnnotation, scope);
  const documented = applyDoc(schema, docBefore(scope.file, member), scope.file);
  return { name, schema: documented, isOptional: isOptional || member.optional };
}

/** Several at once: objects are laid over one another. */
export function intersectionOf(schemas: readonly JsonSchema[], refusal: () => Error): JsonSchema {
  const [first, ...others] = schemas;
  if (first === undefined) throw refusal();
  return others.reduce((before, after) => {
    if (!isObjectSchema(before) || !isObjectSchema(after)) throw refusal();
    return overlay(before, after);
  }, first);
}

/** The properties of both; where both have one, the later one has it. */
export function overlay(
  before: JsonSchema & { readonly properties: Properties },
  after: JsonSchema & { readonly properties: Properties },
): JsonSchema {
  const replaced = Object.keys(after.properties);
  const kept = (before.required ?? []).filter((name) => !replaced.includes(name));
  const rest = [after, before].map((schema) => schema["additionalProperties"]).find((one) => one !== false);
  return objectOf(
    { ...before.properties, ...after.properties },
    [...kept, ...(after.required ?? [])],
    // Made by `objectOf`.
    rest as JsonSchema | undefined,
  );
}
