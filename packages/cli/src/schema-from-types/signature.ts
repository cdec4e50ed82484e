/**
 * From the parameters of a generator function to its input.
 *
 *   1. A single parameter that is an object is the input. Otherwise each parameter is a property of the input, by its name.
 *   2. The last parameter is no input if it is the run's `Context`: by its type, its name, or the properties that it destructures.
 *   3. Every `@param` names a parameter or a property of one.
 */
import type { Json, JsonSchema } from "@photon/core";
import type {
  BindingPattern,
  Expression,
  Function as FunctionNode,
  ObjectPattern,
  ParamPattern,
  TSType,
} from "oxc-parser";
import { closestMatch } from "../flags/closest-match.ts";
import { findDeclarations } from "./declarations.ts";
import { type Doc, docBefore, jsonOf, type ParamDoc, parseDocType, refuseRules, withDoc } from "./jsdoc.ts";
import { isObjectSchema, objectOf, type ObjectSchema, type TypeSchema } from "./json-schema.ts";
import { quote, type SourceFile, type SourceFiles, type Span, unsupported } from "./source-files.ts";
import { keyOf, literalOf, schemaOfType, type Scope } from "./types.ts";

/** What the source of a generator says about the tool. */
export interface Signature {
  readonly description?: string;
  readonly input: JsonSchema;
  /** What it is called with, in order. */
  readonly parameters: readonly Parameter[];
}

type Parameter =
  /** The whole input: `({ city }: { city: string })`. */
  | { readonly is: "input" }
  /** One property of the input: `(city: string)`. */
  | { readonly is: "property"; readonly name: string }
  /** A property of the input that is a list: `(...cities: string[])`. */
  | { readonly is: "rest"; readonly name: string }
  | { readonly is: "context" };

/** A parameter without its default. */
interface Param {
  readonly pattern: BindingPattern;
  readonly isRest: boolean;
  readonly isOptional: boolean;
  readonly default?: Expression;
  readonly type?: TSType;
  readonly doc?: ParamDoc;
}

export function readSignature(
  node: FunctionNode,
  statement: Span,
  file: SourceFile,
  sources: SourceFiles,
): Signature {
  const scope: Scope = { sources, file, declarationStack: [] };
  const doc = docBefore(file, statement);
  refuseRules(doc, file);
  const params = node.params
    .filter((param) => param.type !== "Identifier" || param.name !== "this")
    .map((param, index) => paramOf(param, index, doc, file));
  const last = params.at(-1);
  const hasContext = last !== undefined && isContext(last, scope);
  const inputs = hasContext ? params.slice(0, -1) : params;
  const docs = doc.params.filter((one) => one !== (hasContext ? last.doc : undefined));
  const [only] = inputs;
  const whole = only !== undefined && inputs.length === 1 ? wholeInput(only, docs, scope) : undefined;
  const input = whole ?? inputOf(inputs, docs, scope);
  const parameters = whole === undefined ? inputs.map(parameterOf) : [{ is: "input" } as const];
  return {
    ...(doc.description === undefined ? {} : { description: doc.description }),
    input,
    parameters: hasContext ? [...parameters, { is: "context" }] : parameters,
  };
}

function paramOf(param: ParamPattern, index: number, doc: Doc, file: SourceFile): Param {
  if (param.type === "TSParameterProperty") return paramOf(param.parameter, index, doc, file);
  const pattern =
    param.type === "RestElement" ? param.argument : param.type === "AssignmentPattern" ? param.left : param;
  const annotation = (param.type === "RestElement" ? param : pattern).typeAnnotation?.typeAnnotation;
  // The types of the parser know of no optional parameters.
  const { optional } = pattern as { readonly optional?: boolean };
  const roots = doc.params.filter(({ name }) => !name.includes("."));
  const named =
    pattern.type === "Identifier" ? roots.find(({ name }) => name === pattern.name) : roots[index];
  const isOfProperty = pattern.type === "ObjectPattern" && named !== undefined && isNear(named.name, pattern);
  const type = annotation ?? (named === undefined || isOfProperty ? undefined : parseDocType(named, file));
  return {
    pattern,
    isRest: param.type === "RestElement",
    isOptional: optional === true,
    ...(param.type === "AssignmentPattern" ? { default: param.right } : {}),
    ...(type === undefined ? {} : { type }),
    ...(named === undefined || isOfProperty ? {} : { doc: named }),
  };
}

/** Whether the first `@param` of a destructured parameter, which has no name, is rather that of one of its properties. */
const isNear = (name: string, pattern: ObjectPattern): boolean =>
  closestMatch(
    name,
    propertiesIn(pattern).map((property) => property.name),
  ) !== undefined;

const CONTEXT: ReadonlySet<string | undefined> = new Set(["signal", "client", "runId"]);

function isContext({ pattern, type }: Param, { file, sources }: Scope): boolean {
  if (type !== undefined && type.type !== "TSAnyKeyword" && type.type !== "TSUnknownKeyword") {
    if (type.type === "TSImportType") return /^import\("@photon\/core"\)\.Context$/.test(quote(file, type));
    const typeName = type.type === "TSTypeReference" ? type.typeName : undefined;
    const [name, member] =
      typeName?.type === "TSQualifiedName" && typeName.left.type === "Identifier"
        ? [typeName.left.name, typeName.right.name]
        : [typeName?.type === "Identifier" ? typeName.name : ""];
    return findDeclarations(name, file, sources).some(
      (found) =>
        found.in === "package" && found.specifier === "@photon/core" && (member ?? found.name) === "Context",
    );
  }
  if (pattern.type === "Identifier") return pattern.name === "context";
  if (pattern.type !== "ObjectPattern" || pattern.properties.length === 0) return false;
  return pattern.properties.every(
    (property) => property.type === "Property" && CONTEXT.has(keyOf(property.key)),
  );
}

/** The input, if a single parameter is all of it; undefined if it is one value with a name. */
function wholeInput(param: Param, docs: readonly ParamDoc[], scope: Scope): JsonSchema | undefined {
  const { pattern, type, isRest } = param;
  if (isRest || (pattern.type !== "Identifier" && pattern.type !== "ObjectPattern")) return undefined;
  const root = param.doc?.name ?? (pattern.type === "Identifier" ? pattern.name : undefined);
  const parts = docs
    .filter((doc) => doc !== param.doc)
    .map((doc) => ({ ...doc, key: keyWithin(root, doc.name) }));
  const typed = type && schemaOfType(type, scope).schema;
  // Only for what it refuses: a constraint that is for a property.
  if (param.doc !== undefined && typed !== undefined) withDoc(typed, param.doc, scope.file);
  if (pattern.type === "Identifier")
    return typed !== undefined && isObjectSchema(typed)
      ? withParamDocs(typed, parts, scope, pattern.name)
      : undefined;
  const schema = typed ?? objectOfPattern(pattern, scope);
  if (isObjectSchema(schema)) return withParamDocs(withDefaults(schema, pattern), parts, scope);
  const found = quote(scope.file, pattern);
  throw unsupported(
    scope.file,
    pattern,
    `The type of ${found} is no object with properties of its own; write one`,
  );
}

/** The `@param` of a property of the parameter. */
type PropertyDoc = ParamDoc & { readonly key: string };

/** `input.city` is `city`; a destructured parameter may have any name in its comment. */
function keyWithin(root: string | undefined, name: string): string {
  const prefix = root === undefined ? /^[^.]*\./ : `${root}.`;
  return name.replace(prefix, "");
}

/** A destructured parameter without a type: the types are those of its defaults. */
function objectOfPattern(pattern: ObjectPattern, { file }: Scope): JsonSchema {
  const properties = propertiesIn(pattern).map(({ name, node, default: value }): [string, JsonSchema] => {
    const schema = schemaOfValue(value && literalOf(value)?.value);
    if (schema !== undefined) return [name, schema];
    throw unsupported(file, node, `The property ${name} has no type; give it one`);
  });
  return objectOf(Object.fromEntries(properties), []);
}

/** Properties with a default may be left out. */
function withDefaults(schema: ObjectSchema, pattern: ObjectPattern): ObjectSchema {
  const properties = { ...schema.properties };
  const defaults = propertiesIn(pattern).filter((one) => one.default !== undefined);
  for (const { name, default: value } of defaults) {
    const literal = value && literalOf(value);
    if (properties[name] !== undefined)
      properties[name] = { ...properties[name], ...(literal && { default: literal.value }) };
  }
  const { required = [], ...rest } = schema;
  const still = required.filter((name) => !defaults.some((one) => one.name === name));
  return { ...rest, properties, ...(still.length === 0 ? {} : { required: still }) };
}

function propertiesIn({ properties }: ObjectPattern): readonly {
  readonly name: string;
  readonly node: Span;
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

/** An object with the comments of its properties; `name` is that of the parameter. */
function withParamDocs(
  schema: ObjectSchema,
  parts: readonly PropertyDoc[],
  { file }: Scope,
  name?: string,
): ObjectSchema {
  const properties = { ...schema.properties };
  for (const part of parts) {
    const property = properties[part.key];
    if (property === undefined)
      throw noSuchParam(part, [...(name === undefined ? [] : [name]), ...Object.keys(properties)], file);
    // A comment at the property itself is nearer.
    const { description } = property;
    properties[part.key] = {
      ...withDoc(property, part, file),
      ...(description === undefined ? {} : { description }),
    };
  }
  return { ...schema, properties };
}

function noSuchParam(doc: ParamDoc, names: readonly string[], file: SourceFile): Error {
  const known = names.length === 0 ? "there is none" : `there is ${names.join(", ")}`;
  return unsupported(file, doc, `@param ${doc.name} names no parameter: ${known}; correct the name`);
}

/** Each parameter as a property of the input. */
function inputOf(params: readonly Param[], docs: readonly ParamDoc[], scope: Scope): JsonSchema {
  const read = params.map((param) => readParam(param, docs, scope));
  const names = read.map(({ name }) => name);
  const stray = docs.find(({ name }) => !names.includes(name.replace(/\..*$/, "")));
  if (stray !== undefined) throw noSuchParam(stray, names, scope.file);
  return objectOf(
    Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
    read.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  );
}

function readParam(
  param: Param,
  docs: readonly ParamDoc[],
  scope: Scope,
): TypeSchema & { readonly name: string } {
  const { pattern, isRest, doc } = param;
  const { file } = scope;
  if (pattern.type !== "Identifier") {
    const found = quote(file, pattern);
    throw unsupported(
      file,
      pattern,
      `The parameter ${found} has no name of its own beside the others; name it`,
    );
  }
  const { name } = pattern;
  const read = param.type && schemaOfType(param.type, scope);
  const value = param.default && literalOf(param.default)?.value;
  const schema = read?.schema ?? schemaOfValue(value);
  if (schema === undefined)
    throw unsupported(file, pattern, `The parameter ${name} has no type; give it one`);
  const list = isRest && schema.type !== "array" ? { type: "array", items: schema } : schema;
  const parts = docs
    .filter((one) => one.name.startsWith(`${name}.`))
    .map((one) => ({ ...one, key: keyWithin(name, one.name) }));
  const [part] = parts;
  if (part !== undefined && !isObjectSchema(list)) throw noSuchParam(part, [], file);
  const whole = isObjectSchema(list) ? withParamDocs(list, parts, scope, name) : list;
  const documented = doc === undefined ? whole : withDoc(whole, doc, file);
  const given = value ?? (doc?.default === undefined ? undefined : jsonOf(doc.default));
  return {
    name,
    schema: given === undefined ? documented : { ...documented, default: given },
    isOptional:
      isRest ||
      param.isOptional ||
      param.default !== undefined ||
      read?.isOptional === true ||
      doc?.isOptional === true,
  };
}

function parameterOf({ pattern, isRest }: Param): Parameter {
  // Other patterns were refused.
  const name = pattern.type === "Identifier" ? pattern.name : "";
  return { is: isRest ? "rest" : "property", name };
}

/** What a default says about the type of its parameter. */
function schemaOfValue(value: Json | undefined): JsonSchema | undefined {
  if (Array.isArray(value)) {
    const items = value.map(schemaOfValue);
    const [first] = items;
    const isOne = items.every((item) => JSON.stringify(item) === JSON.stringify(first));
    return first !== undefined && isOne ? { type: "array", items: first } : undefined;
  }
  return value === undefined || value === null || typeof value === "object"
    ? undefined
    : { type: typeof value };
}
