/** Types made of other types' keys and values: `keyof T`, `T["city"]`, `(typeof cities)[number]`. */
import type { JsonSchema } from "@photon/core";
import type { Expression, TSIndexedAccessType, TSType, TSTypeQuery } from "oxc-parser";
import { findDeclarations } from "./find-declarations.ts";
import { literalOf } from "./literals.ts";
import { isObjectSchema } from "./read-object.ts";
import type { Scope } from "./scope.ts";
import { quote, refuse } from "./sources.ts";
import { enumOf, literalsOf, unionOf } from "./union.ts";

/** `keyof T`: the names of its properties. */
export function readKeys(type: TSType, scope: Scope): JsonSchema {
  if (type.type === "TSTypeQuery") {
    const value = valueOf(type, scope);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return enumOf(Object.keys(value));
    throw refuse(scope.file, type, `The keys of ${quote(scope.file, type)} cannot be read; write them out`);
  }
  const { schema } = scope.read(type, scope);
  if (isObjectSchema(schema)) return enumOf(Object.keys(schema.properties));
  throw refuse(scope.file, type, `The keys of ${quote(scope.file, type)} cannot be read; write them out`);
}

/** `T[K]`: of an object its property, of a list its items. */
export function readIndexed(type: TSIndexedAccessType, scope: Scope): JsonSchema {
  const { objectType, indexType } = type;
  const refusal = (): Error =>
    refuse(scope.file, type, `The type ${quote(scope.file, type)} cannot be read; write it out`);
  if (objectType.type === "TSTypeQuery") {
    const value = valueOf(objectType, scope);
    const isAll = indexType.type === "TSNumberKeyword" && Array.isArray(value);
    const keys = isAll ? Object.keys(value) : literalsOf(scope.read(indexType, scope).schema);
    const values = keys.map((key) => (isRecordOrList(value) ? value[String(key)] : undefined));
    if (values.length === 0 || values.some((one) => one === undefined || typeof one === "object"))
      throw refusal();
    return enumOf(values);
  }
  const { schema } = scope.read(objectType, scope);
  if (indexType.type === "TSNumberKeyword" && schema.type === "array" && schema["items"] !== undefined)
    // `items` is a schema, or false for a tuple, which is refused below.
    return schema["items"] === false ? unionOfPlaces(schema, refusal) : (schema["items"] as JsonSchema);
  if (!isObjectSchema(schema)) throw refusal();
  const names = literalsOf(scope.read(indexType, scope).schema);
  const { properties } = schema;
  const parts = names.flatMap((name): readonly JsonSchema[] => {
    const part = properties[String(name)];
    return part === undefined ? [] : [part];
  });
  if (parts.length === 0 || parts.length < names.length) throw refusal();
  return unionOf(parts.map((part) => ({ schema: part, isOptional: false }))).schema;
}

const isRecordOrList = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function unionOfPlaces(schema: JsonSchema, refusal: () => Error): JsonSchema {
  const places = schema["prefixItems"];
  if (!Array.isArray(places)) throw refusal();
  // Made by `tupleOf`, of schemas.
  return unionOf((places as JsonSchema[]).map((place) => ({ schema: place, isOptional: false }))).schema;
}

/** The value behind `typeof name`, where it is written out. */
function valueOf({ exprName }: TSTypeQuery, { file, sources }: Scope): unknown {
  if (exprName.type !== "Identifier") return undefined;
  for (const found of findDeclarations(exprName.name, file, sources)) {
    if (found.in === "file" && found.node.type === "Value") return literalOf(frozen(found.node.value))?.value;
  }
  return undefined;
}

/** What `Object.freeze` is given is what it gives. */
function frozen(value: Expression): Expression {
  if (value.type !== "CallExpression" || value.callee.type !== "MemberExpression") return value;
  const { object, property } = value.callee;
  const isFreeze =
    object.type === "Identifier" &&
    object.name === "Object" &&
    "name" in property &&
    property.name === "freeze";
  const [given] = value.arguments;
  return isFreeze && given !== undefined && given.type !== "SpreadElement" ? given : value;
}
