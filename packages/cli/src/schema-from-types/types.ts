/**
 * From a TypeScript type, as it is written, to JSON Schema.
 *
 * No types are computed: object types, interfaces, aliases, enums, unions, arrays and records are read, and every other type is
 * refused, with its location and what to write instead.
 */
import type { Json, JsonSchema } from "@photon/core";
import type {
  Expression,
  TSEnumDeclaration,
  TSInterfaceDeclaration,
  TSLiteral,
  TSPropertySignature,
  TSSignature,
  TSType,
  TSTypeReference,
} from "oxc-parser";
import { docBefore, withDoc } from "./jsdoc.ts";
import {
  type Declaration,
  quote,
  type SourceFile,
  type SourceFiles,
  type Span,
  unsupported,
} from "./source-files.ts";

/** Where a type is read. */
export interface Scope {
  readonly sources: SourceFiles;
  readonly file: SourceFile;
  /** The declarations around it: one that occurs again refers to itself. */
  readonly declarationStack: readonly object[];
}

type Properties = Readonly<Record<string, JsonSchema>>;
export type ObjectSchema = JsonSchema & { readonly type: "object"; readonly properties: Properties };

/** A type as a schema. */
interface TypeSchema {
  readonly schema: JsonSchema;
  /** `undefined` is one of its values: a property of this type may be left out. */
  readonly isOptional: boolean;
}

const required = (schema: JsonSchema): TypeSchema => ({ schema, isOptional: false });

export function schemaOfType(type: TSType, scope: Scope): TypeSchema {
  switch (type.type) {
    case "TSUndefinedKeyword":
    case "TSVoidKeyword":
      return UNDEFINED;
    case "TSStringKeyword":
      return required({ type: "string" });
    case "TSNumberKeyword":
      return required({ type: "number" });
    case "TSBooleanKeyword":
      return required({ type: "boolean" });
    case "TSNullKeyword":
      return required({ type: "null" });
    case "TSObjectKeyword":
      return required({ type: "object" });
    case "TSAnyKeyword":
    case "TSUnknownKeyword":
      return required({});
    case "TSLiteralType": {
      const literal = literalOf(type.literal);
      if (literal === undefined) throw notJson(type, scope);
      return required({ type: typeof literal.value, const: literal.value });
    }
    case "TSUnionType":
      return unionOf(type.types.map((part) => schemaOfType(part, scope)));
    case "TSArrayType":
      return required({ type: "array", items: schemaOfType(type.elementType, scope).schema });
    case "TSTypeLiteral":
      return required(schemaOfMembers(type.members, scope));
    case "TSParenthesizedType":
      return schemaOfType(type.typeAnnotation, scope);
    case "TSTypeOperator":
      if (type.operator !== "readonly") throw notJson(type, scope);
      return schemaOfType(type.typeAnnotation, scope);
    case "TSTypeReference":
      return schemaOfReference(type, scope);
    default:
      throw notJson(type, scope);
  }
}

function cannotRead(type: Span, { file }: Scope, because: string): Error {
  return unsupported(file, type, `The type ${quote(file, type)} ${because}`);
}

const notJson = (type: Span, scope: Scope): Error =>
  cannotRead(
    type,
    scope,
    "cannot be read as JSON; use a simpler one (text, numbers, literals, lists, objects)",
  );

/** The members of an object type or an interface. */
function schemaOfMembers(members: readonly TSSignature[], scope: Scope): ObjectSchema {
  const properties: [string, JsonSchema][] = [];
  const names: string[] = [];
  let rest: JsonSchema | undefined;
  for (const member of members) {
    if (member.type === "TSIndexSignature") {
      rest = schemaOfType(member.typeAnnotation.typeAnnotation, scope).schema;
      continue;
    }
    if (member.type !== "TSPropertySignature") {
      const found = quote(scope.file, member);
      throw unsupported(scope.file, member, `${found} is a function, and JSON has none; leave it out`);
    }
    const name = propertyName(member, scope);
    if (member.typeAnnotation === null)
      throw unsupported(scope.file, member, `The property ${name} has no type; give it one`);
    const { schema, isOptional } = schemaOfType(member.typeAnnotation.typeAnnotation, scope);
    properties.push([name, withDoc(schema, docBefore(scope.file, member), scope.file)]);
    if (!isOptional && !member.optional) names.push(name);
  }
  return objectOf(Object.fromEntries(properties), names, rest);
}

function propertyName(member: TSPropertySignature, { file }: Scope): string {
  const name = member.computed ? undefined : keyOf(member.key);
  if (name !== undefined) return name;
  throw unsupported(
    file,
    member.key,
    `The property name ${quote(file, member.key)} is computed; write it out`,
  );
}

function schemaOfReference(type: TSTypeReference, scope: Scope): TypeSchema {
  const { typeName, typeArguments } = type;
  if (typeName.type !== "Identifier")
    throw cannotRead(type, scope, "is part of a namespace or an enum; name a type");
  return schemaOfName(typeName.name, typeArguments?.params ?? [], type, scope);
}

function schemaOfName(name: string, args: readonly TSType[], at: Span, scope: Scope): TypeSchema {
  const [declaration, ...others] = scope.sources.declarationsOf(name, scope.file).filter(isType);
  if (declaration === undefined) return schemaOfBuiltIn(name, args, at, scope);
  if (others.length > 0) throw cannotRead(at, scope, "is declared more than once; declare it once");
  if (declaration.kind === "package") throw cannotRead(at, scope, reasonFor(declaration));
  const { node, file } = declaration;
  if (scope.declarationStack.includes(node))
    throw cannotRead(at, scope, "refers to itself; write it out to a fixed depth");
  const inner: Scope = { ...scope, file, declarationStack: [...scope.declarationStack, node] };
  if ("typeParameters" in node && node.typeParameters !== null && node.typeParameters !== undefined)
    throw cannotRead(at, scope, "is generic; write the type out");
  switch (node.type) {
    case "TSTypeAliasDeclaration":
      return schemaOfType(node.typeAnnotation, inner);
    case "TSInterfaceDeclaration":
      return required(schemaOfInterface(node, inner));
    case "TSEnumDeclaration":
      return unionOf(enumValues(node, inner).map((value) => required({ type: typeof value, const: value })));
    default:
      throw cannotRead(at, scope, "is a class, and JSON has no classes; use an interface");
  }
}

function reasonFor({ specifier, name }: Declaration & { readonly kind: "package" }): string {
  if (name === "*") return "is a whole module; import a type by its name";
  const from = `comes from ${JSON.stringify(specifier)}`;
  return specifier.startsWith(".")
    ? `${from}, where there is no such file; correct the import`
    : `${from}, whose types are not read; declare it here`;
}

const isType = (declaration: Declaration): boolean =>
  declaration.kind === "package" || !/^(?:Value|Function)/.test(declaration.node.type);

/** The properties of an interface precede those of the interfaces that it extends. */
function schemaOfInterface(node: TSInterfaceDeclaration, scope: Scope): ObjectSchema {
  const bases = node.extends.map((heritage) => {
    const { expression, typeArguments } = heritage;
    if (expression.type !== "Identifier")
      throw cannotRead(heritage, scope, "is extended by an expression; name an interface");
    const { schema } = schemaOfName(expression.name, typeArguments?.params ?? [], heritage, scope);
    if (isObjectSchema(schema)) return schema;
    throw cannotRead(heritage, scope, "is not an object; extend an interface");
  });
  return [...bases, schemaOfMembers(node.body.body, scope)].reduce((before, after) => {
    const kept = (before.required ?? []).filter((name) => !Object.hasOwn(after.properties, name));
    const rest = after["additionalProperties"] === false ? before : after;
    return {
      ...objectOf({ ...before.properties, ...after.properties }, [...kept, ...(after.required ?? [])]),
      additionalProperties: rest["additionalProperties"],
    };
  });
}

function enumValues(node: TSEnumDeclaration, scope: Scope): readonly (string | number)[] {
  let next = 0;
  return node.body.members.map((member) => {
    const value = member.initializer === null ? next : literalOf(member.initializer)?.value;
    if (typeof value !== "string" && typeof value !== "number")
      throw cannotRead(member, scope, "is a member with a computed value; write the value out");
    next = typeof value === "number" ? value + 1 : Number.NaN;
    return value;
  });
}

/** Types that cannot be input, and what to use instead. */
const NOT_JSON: Readonly<Record<string, string>> = {
  Date: "JSON has no dates; take a string, with @format date or date-time",
  Map: "JSON has no maps; take a Record<string, …>",
  Set: "JSON has no sets; take a list, with @uniqueItems",
  RegExp: "JSON has no regular expressions; take a string",
  URL: "JSON has no URLs; take a string, with @format uri",
  Promise: "Input is there when the tool starts; take its value, not a Promise",
  Buffer: "JSON has no bytes; take a string (base64)",
  Uint8Array: "JSON has no bytes; take a string (base64)",
};

function schemaOfBuiltIn(
  name: string,
  [first, second]: readonly TSType[],
  at: Span,
  scope: Scope,
): TypeSchema {
  if (first !== undefined && (name === "Array" || name === "ReadonlyArray"))
    return required({ type: "array", items: schemaOfType(first, scope).schema });
  if (first !== undefined && second !== undefined && name === "Record")
    return required(schemaOfRecord(first, second, scope));
  if (UTILITIES.has(name))
    throw cannotRead(at, scope, "is computed from another one; write the properties out");
  const hint = Object.hasOwn(NOT_JSON, name) ? NOT_JSON[name] : undefined;
  if (hint !== undefined) throw unsupported(scope.file, at, hint);
  throw cannotRead(at, scope, "is declared neither in this file nor in one that it imports; declare it here");
}

const UTILITIES: ReadonlySet<string> = new Set(
  "Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters ReturnType Awaited".split(" "),
);

function schemaOfRecord(keys: TSType, values: TSType, scope: Scope): JsonSchema {
  const names = literalsOf(schemaOfType(keys, scope).schema).map(String);
  const value = schemaOfType(values, scope).schema;
  if (names.length === 0) return { type: "object", additionalProperties: value };
  return objectOf(Object.fromEntries(names.map((name) => [name, value])), names);
}

/** An object with these properties and no others, unless `rest` is the schema of those. */
export function objectOf(
  properties: Properties,
  names: readonly string[],
  rest: JsonSchema | false = false,
): ObjectSchema {
  return {
    type: "object",
    properties,
    ...(names.length === 0 ? {} : { required: names }),
    additionalProperties: rest,
  };
}

/** Whether it is an object whose properties are known. */
export const isObjectSchema = (schema: JsonSchema): schema is ObjectSchema =>
  schema.type === "object" && schema.properties !== undefined;

/** `undefined` alone: it allows no JSON. */
const UNDEFINED: TypeSchema = { schema: { not: {} }, isOptional: true };

/** Literals become an enum, and `undefined` makes the union optional. */
function unionOf(parts: readonly TypeSchema[]): TypeSchema {
  const isOptional = parts.some((part) => part.isOptional);
  const schemas = parts.flatMap(({ schema }) => alternativesOf(schema));
  const others = schemas.filter((one) => literalsOf(one).length === 0 && !("not" in one));
  const all = [...enumsOf(schemas.flatMap(literalsOf)), ...others];
  const [only, ...more] = new Map(all.map((one) => [JSON.stringify(one), one])).values();
  if (only === undefined) return { ...UNDEFINED, isOptional };
  return { schema: more.length === 0 ? only : { anyOf: [only, ...more] }, isOptional };
}

/** The values of a schema that lists them. */
function literalsOf(schema: JsonSchema): readonly unknown[] {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

// Made by `unionOf`, of schemas.
const alternativesOf = (schema: JsonSchema): readonly JsonSchema[] =>
  Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as JsonSchema[]) : [schema];

/** One enum for each type of literal; `true | false` is a boolean. */
function enumsOf(literals: readonly unknown[]): readonly JsonSchema[] {
  const types = [...new Set(literals.map((value) => typeof value))];
  return types.map((type) => {
    const values = [...new Set(literals.filter((value) => typeof value === type))];
    if (type === "boolean" && values.length === 2) return { type };
    return values.length === 1 ? { type, const: values[0] } : { type, enum: values };
  });
}

/** The JSON that an expression is, if it is written out. */
export function literalOf(node: Expression | TSLiteral): { readonly value: Json } | undefined {
  switch (node.type) {
    case "Literal":
      return isJsonLiteral(node.value) ? { value: node.value } : undefined;
    case "TemplateLiteral": {
      const [only] = node.quasis;
      return node.quasis.length === 1 && only !== undefined ? { value: only.value.cooked ?? "" } : undefined;
    }
    case "UnaryExpression": {
      const inner = literalOf(node.argument);
      return node.operator === "-" && typeof inner?.value === "number" ? { value: -inner.value } : undefined;
    }
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return literalOf(node.expression);
    case "ArrayExpression": {
      const items = node.elements.flatMap((element) =>
        element === null || element.type === "SpreadElement" ? [] : (literalOf(element) ?? []),
      );
      return items.length < node.elements.length ? undefined : { value: items.map(({ value }) => value) };
    }
    default:
      return undefined;
  }
}

const isJsonLiteral = (value: unknown): value is string | number | boolean | null =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** The name of a property, if it is written out. */
export function keyOf(node: { readonly type: string }): string | undefined {
  if ("name" in node && node.type === "Identifier") return String(node.name);
  if ("value" in node && node.type === "Literal") return String(node.value);
  return undefined;
}
