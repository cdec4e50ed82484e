/** A single parameter that is the whole input: `({ city, nights = 1 }: { city: string; nights?: number })`. */
import type { JsonSchema } from "@photon/core";
import type { BindingProperty, Expression, ObjectPattern } from "oxc-parser";
import { applyDoc, jsonOf } from "./apply-doc.ts";
import { readDocType } from "./doc-type.ts";
import { keyOf, literalOf, schemaOfValue } from "./literals.ts";
import type { Doc, ParamDoc } from "./read-doc.ts";
import { isObjectSchema, objectOf, type Properties } from "./read-object.ts";
import type { Param } from "./param.ts";
import type { Scope } from "./scope.ts";
import { quote, refuse } from "./sources.ts";

type ObjectSchema = JsonSchema & { readonly properties: Properties };

/** The input, where the parameter is all of it; nothing where it is one value with a name. */
export function readWhole(param: Param, doc: Doc, scope: Scope): JsonSchema | undefined {
  const { pattern } = param;
  const parts = partsIn(doc, param.doc);
  const typed = typeOf(param, scope);
  if (pattern.type === "Identifier") {
    const schema = isOpen(typed) && parts.length > 0 ? objectOfParts(parts, scope) : typed;
    return schema !== undefined && isObjectSchema(schema) ? documented(schema, parts, scope) : undefined;
  }
  if (pattern.type !== "ObjectPattern") return undefined;
  const schema = typed === undefined || isOpen(typed) ? objectOfPattern(pattern, parts, scope) : typed;
  if (!isObjectSchema(schema)) {
    const found = quote(scope.file, pattern);
    throw refuse(
      scope.file,
      pattern,
      `The type of ${found} is no object with properties of its own; write one`,
    );
  }
  return documented(withDefaults(schema, pattern), parts, scope);
}

function typeOf(param: Param, scope: Scope): JsonSchema | undefined {
  if (param.type !== undefined) return scope.read(param.type, scope).schema;
  return param.doc === undefined ? undefined : readDocType(param.doc, scope)?.schema;
}

/** `{object}` in a comment: the properties are told one by one. */
const isOpen = (schema: JsonSchema | undefined): boolean =>
  schema !== undefined && Object.keys(schema).length === 1 && schema.type === "object";

/** What the comment says of the properties: `@param input.city …`, or `@param city …` for one that is taken apart. */
function partsIn(
  { params }: Doc,
  root: ParamDoc | undefined,
): readonly (ParamDoc & { readonly key: string })[] {
  const prefix = root === undefined ? "" : `${root.name}.`;
  return params
    .filter((param) => param !== root)
    .map((param) => ({
      ...param,
      key: prefix !== "" && param.name.startsWith(prefix) ? param.name.slice(prefix.length) : param.name,
    }));
}

function objectOfParts(parts: ReturnType<typeof partsIn>, scope: Scope): JsonSchema {
  const read = parts.map((part) => {
    const { schema, isOptional } = readDocType(part, scope) ?? { schema: {}, isOptional: part.isOptional };
    const given = part.default === undefined ? {} : { default: jsonOf(part.default) };
    return { key: part.key, schema: { ...schema, ...given }, isOptional };
  });
  return objectOf(
    Object.fromEntries(read.map(({ key, schema }) => [key, schema])),
    read.filter(({ isOptional }) => !isOptional).map(({ key }) => key),
  );
}

/** A pattern without a type: its comment and its defaults have to say enough. */
function objectOfPattern(
  pattern: ObjectPattern,
  parts: ReturnType<typeof partsIn>,
  scope: Scope,
): JsonSchema {
  const told = objectOfParts(parts, scope);
  const names = namesIn(pattern);
  const properties = names.map(({ name, node, default: given }): [string, JsonSchema] => {
    const value = given && literalOf(given);
    const schema = told.properties?.[name] ?? (value && schemaOfValue(value.value));
    if (schema === undefined) throw refuse(scope.file, node, `The property ${name} has no type; give it one`);
    return [name, schema];
  });
  const required = names.filter(
    (part) => part.default === undefined && told.required?.includes(part.name) === true,
  );
  return objectOf(
    Object.fromEntries(properties),
    required.map(({ name }) => name),
  );
}

/** The defaults that a pattern gives: what has one may be left out. */
function withDefaults(schema: ObjectSchema, pattern: ObjectPattern): ObjectSchema {
  const given = namesIn(pattern).filter(
    (part) => part.default !== undefined && Object.hasOwn(schema.properties, part.name),
  );
  const filled = given.map((part): [string, JsonSchema] => {
    const value = part.default && literalOf(part.default);
    return [part.name, { ...schema.properties[part.name], ...(value && { default: value.value }) }];
  });
  const { required = [], ...rest } = schema;
  const still = required.filter((name) => !given.some((part) => part.name === name));
  const properties = { ...schema.properties, ...Object.fromEntries(filled) };
  return { ...rest, properties, ...(still.length === 0 ? {} : { required: still }) };
}

function namesIn({ properties }: ObjectPattern): readonly {
  readonly name: string;
  readonly node: BindingProperty;
  readonly default?: Expression;
}[] {
  return properties.flatMap((property) => {
    const name = property.type === "Property" ? keyOf(property.key) : undefined;
    if (property.type !== "Property" || name === undefined) return [];
    const { value } = property;
    return [
      { name, node: property, ...(value.type === "AssignmentPattern" ? { default: value.right } : {}) },
    ];
  });
}

function documented(schema: ObjectSchema, parts: ReturnType<typeof partsIn>, { file }: Scope): JsonSchema {
  const properties = Object.entries(schema.properties).map(([name, property]): [string, JsonSchema] => {
    const part = parts.find(({ key }) => key === name);
    if (part === undefined) return [name, property];
    // What stands at the property itself is nearer.
    const { description: own } = property;
    return [name, { ...applyDoc(property, part, file), ...(own === undefined ? {} : { description: own }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
