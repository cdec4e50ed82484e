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
import {
  type Doc,
  docBefore,
  jsonOf,
  type ParamDoc,
  parseDocType,
  refuseConstraints,
  withDoc,
} from "./jsdoc.ts";
import { quote, type SourceFile, type SourceFiles, type Span, unsupported } from "./source-files.ts";
import {
  isObjectSchema,
  keyOf,
  literalOf,
  objectOf,
  type ObjectSchema,
  schemaOfType,
  type Scope,
} from "./types.ts";

/** What the source of a generator says about the tool. */
export interface Signature {
  readonly description?: string;
  readonly input: JsonSchema;
  /** What it is called with, in order. */
  readonly parameters: readonly Argument[];
}

type Argument =
  /** The whole input: `({ city }: { city: string })`. */
  | { readonly kind: "input" }
  /** One property of the input: `(city: string)`. */
  | { readonly kind: "property"; readonly name: string }
  /** A property of the input that is a list: `(...cities: string[])`. */
  | { readonly kind: "rest"; readonly name: string }
  | { readonly kind: "context" };

/** A parameter without its default. */
interface Parameter {
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
  refuseConstraints(doc, file);
  const params = node.params
    .filter((param) => param.type !== "Identifier" || param.name !== "this")
    .map((param, index) => paramOf(param, index, doc, file));
  const last = params.at(-1);
  const hasContext = last !== undefined && isContext(last, scope);
  const inputs = hasContext ? params.slice(0, -1) : params;
  const [only] = inputs;
  const whole = only !== undefined && inputs.length === 1 ? wholeInput(only, scope) : undefined;
  const fields = whole === undefined ? inputs.map((param) => fieldOf(param, scope)) : [];
  const parameters = fields.map(({ name, kind }): Argument => ({ kind, name }));
  const undocumented = whole ?? inputOf(fields);
  const input = doc.params
    .filter((one) => !hasContext || one !== last.doc)
    .reduce((schema, one) => {
      const path = whole === undefined ? one.name.split(".") : pathWithin(only, one);
      return withParamDoc(schema, path, one, file);
    }, undocumented);
  return {
    ...(doc.description === undefined ? {} : { description: doc.description }),
    input,
    parameters: [
      ...(whole === undefined ? parameters : [{ kind: "input" } as const]),
      ...(hasContext ? [{ kind: "context" } as const] : []),
    ],
  };
}

function paramOf(param: ParamPattern, index: number, doc: Doc, file: SourceFile): Parameter {
  if (param.type === "TSParameterProperty") return paramOf(param.parameter, index, doc, file);
  const pattern =
    param.type === "RestElement" ? param.argument : param.type === "AssignmentPattern" ? param.left : param;
  const annotation = (param.type === "RestElement" ? param : pattern).typeAnnotation?.typeAnnotation;
  // The types of the parser know of no optional parameters.
  const { optional } = pattern as { readonly optional?: boolean };
  const named = docOf(pattern, index, doc);
  const type = annotation ?? (named && parseDocType(named, file));
  return {
    pattern,
    isRest: param.type === "RestElement",
    isOptional: optional === true,
    ...(param.type === "AssignmentPattern" ? { default: param.right } : {}),
    ...(type === undefined ? {} : { type }),
    ...(named === undefined ? {} : { doc: named }),
  };
}

/** The `@param` of a parameter. One that is destructured has no name: its own may have any that is not nearly that of a property. */
function docOf(pattern: BindingPattern, index: number, { params }: Doc): ParamDoc | undefined {
  const roots = params.filter(({ name }) => !name.includes("."));
  if (pattern.type === "Identifier") return roots.find(({ name }) => name === pattern.name);
  const root = roots[index];
  if (root === undefined || pattern.type !== "ObjectPattern") return root;
  const names = propertiesIn(pattern).map(({ name }) => name);
  return closestMatch(root.name, names) === undefined ? root : undefined;
}

const CONTEXT: ReadonlySet<string | undefined> = new Set(["signal", "client", "runId"]);

function isContext({ pattern, type }: Parameter, { file, sources }: Scope): boolean {
  if (type !== undefined && type.type !== "TSAnyKeyword" && type.type !== "TSUnknownKeyword") {
    if (type.type === "TSImportType") return /^import\("@photon\/core"\)\.Context$/.test(quote(file, type));
    if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return false;
    return sources
      .declarationsOf(type.typeName.name, file)
      .some(
        (found) => found.kind === "package" && found.specifier === "@photon/core" && found.name === "Context",
      );
  }
  if (pattern.type === "Identifier") return pattern.name === "context";
  if (pattern.type !== "ObjectPattern" || pattern.properties.length === 0) return false;
  return pattern.properties.every(
    (property) => property.type === "Property" && CONTEXT.has(keyOf(property.key)),
  );
}

/** The input, if a single parameter is all of it; undefined if it is one value with a name. */
function wholeInput({ pattern, type, isRest }: Parameter, scope: Scope): ObjectSchema | undefined {
  if (isRest || (pattern.type !== "Identifier" && pattern.type !== "ObjectPattern")) return undefined;
  const typed = type && schemaOfType(type, scope).schema;
  if (pattern.type === "Identifier") return typed !== undefined && isObjectSchema(typed) ? typed : undefined;
  const schema = typed ?? objectOfPattern(pattern, scope);
  if (isObjectSchema(schema)) return withDefaults(schema, pattern);
  throw unsupported(
    scope.file,
    pattern,
    `The type of ${quote(scope.file, pattern)} is not an object with known properties; write one`,
  );
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

/** The path of a `@param` within the parameter that is the whole input: `stay.city` is `city`. A destructured one may have any name. */
function pathWithin(param: Parameter | undefined, doc: ParamDoc): readonly string[] {
  if (doc === param?.doc) return [];
  const { pattern } = param ?? {};
  const root = param?.doc?.name ?? (pattern?.type === "Identifier" ? pattern.name : undefined);
  const [first, ...rest] = doc.name.split(".");
  return rest.length > 0 && (root === undefined || root === first) ? rest : doc.name.split(".");
}

/** The input with the comment of the property at a path. */
function withParamDoc<Schema extends JsonSchema>(
  schema: Schema,
  [name, ...rest]: readonly string[],
  doc: ParamDoc,
  file: SourceFile,
): Schema {
  if (name === undefined) {
    // Only for what it refuses: a constraint that is for a property.
    withDoc(schema, doc, file);
    return schema;
  }
  const property = schema.properties?.[name];
  if (property === undefined) throw noSuchParam(doc, Object.keys(schema.properties ?? {}), file);
  const { description = doc.description } = property;
  const documented =
    rest.length > 0
      ? withParamDoc(property, rest, doc, file)
      : // A comment at the property itself is nearer.
        { ...withDoc(property, doc, file), ...(description === undefined ? {} : { description }) };
  return { ...schema, properties: { ...schema.properties, [name]: documented } };
}

function noSuchParam(doc: ParamDoc, names: readonly string[], file: SourceFile): Error {
  const known = names.length === 0 ? "there are none here" : `the names here are ${names.join(", ")}`;
  return unsupported(file, doc, `@param ${doc.name} names no parameter: ${known}; correct the name`);
}

interface Field {
  readonly name: string;
  readonly kind: "property" | "rest";
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
}

const inputOf = (fields: readonly Field[]): ObjectSchema =>
  objectOf(
    Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  );

/** A parameter as a property of the input. */
function fieldOf(param: Parameter, scope: Scope): Field {
  const { pattern, isRest, doc } = param;
  const { file } = scope;
  if (pattern.type !== "Identifier")
    throw unsupported(
      file,
      pattern,
      `The parameter ${quote(file, pattern)} is destructured beside other parameters; give it a name`,
    );
  const { name } = pattern;
  const typed = param.type && schemaOfType(param.type, scope);
  const value = param.default && literalOf(param.default)?.value;
  const schema = typed?.schema ?? schemaOfValue(value);
  if (schema === undefined)
    throw unsupported(file, pattern, `The parameter ${name} has no type; give it one`);
  const list = isRest && schema.type !== "array" ? { type: "array", items: schema } : schema;
  const given = value ?? (doc?.default === undefined ? undefined : jsonOf(doc.default));
  return {
    name,
    kind: isRest ? "rest" : "property",
    schema: given === undefined ? list : { ...list, default: given },
    isOptional:
      isRest ||
      param.isOptional ||
      param.default !== undefined ||
      typed?.isOptional === true ||
      doc?.isOptional === true,
  };
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
