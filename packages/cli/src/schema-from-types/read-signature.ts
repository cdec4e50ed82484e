/**
 * What a generator is called with, read from its source: parameters, their
 * types and defaults, and its comment.
 *
 * One parameter that is an object is the input itself. Otherwise each
 * parameter is a property of the input, by its name. The run's context is none.
 */
import type { JsonSchema } from "@photon/core";
import type { BindingPattern, Function as FunctionNode, ParamPattern, TSType } from "oxc-parser";
import { applyDoc, jsonOf } from "./apply-doc.ts";
import { parseType, readDocType } from "./doc-type.ts";
import { isContext } from "./is-context.ts";
import { keyOf, literalOf, schemaOfValue } from "./literals.ts";
import type { Param } from "./param.ts";
import { docBefore, type Doc, type ParamDoc } from "./read-doc.ts";
import { objectOf } from "./read-object.ts";
import { scopeOf } from "./read-type.ts";
import { readWhole } from "./read-whole.ts";
import type { Scope } from "./scope.ts";
import type { Parameter, Signature } from "./signature.ts";
import { quote, refuse, type SourceFile, type Sources, type Span } from "./sources.ts";

export function readSignature(
  node: FunctionNode,
  statement: Span,
  file: SourceFile,
  sources: Sources,
): Signature {
  const scope = scopeOf(file, sources);
  const doc = docBefore(file, statement);
  const params = node.params
    .filter((param) => !isThis(param))
    .map((param, index) => partsOf(param, index, doc));
  const last = params.at(-1);
  const hasContext = last !== undefined && isContext(last.pattern, last.type ?? docTypeOf(last), scope);
  const inputs = hasContext ? params.slice(0, -1) : params;
  const { input, parameters } = readInputs(inputs, doc, scope);
  return {
    ...(doc.description === undefined ? {} : { description: doc.description }),
    input,
    parameters: hasContext ? [...parameters, { is: "context" }] : parameters,
  };
}

const isThis = (param: ParamPattern): boolean => param.type === "Identifier" && param.name === "this";

function partsOf(param: ParamPattern, index: number, doc: Doc): Param {
  if (param.type === "TSParameterProperty") return partsOf(param.parameter, index, doc);
  const pattern =
    param.type === "RestElement" ? param.argument : param.type === "AssignmentPattern" ? param.left : param;
  const annotation = (param.type === "RestElement" ? param : pattern).typeAnnotation?.typeAnnotation;
  // The types of the parser know of no optional parameters.
  const { optional } = pattern as { readonly optional?: boolean };
  const roots = doc.params.filter(({ name }) => !name.includes("."));
  const named =
    pattern.type === "Identifier"
      ? roots.find(({ name }) => name === pattern.name)
      : rootOf(pattern, roots[index]);
  return {
    pattern,
    isRest: param.type === "RestElement",
    isOptional: optional === true,
    ...(param.type === "AssignmentPattern" ? { default: param.right } : {}),
    ...(annotation === undefined ? {} : { type: annotation }),
    ...(named === undefined ? {} : { doc: named }),
  };
}

/** What a comment calls a parameter that has no name; unless it is the name of one of its properties. */
function rootOf(pattern: BindingPattern, doc: ParamDoc | undefined): ParamDoc | undefined {
  if (doc === undefined || pattern.type !== "ObjectPattern") return undefined;
  const isPart = pattern.properties.some(
    (property) => property.type === "Property" && keyOf(property.key) === doc.name,
  );
  return isPart ? undefined : doc;
}

const docTypeOf = ({ doc }: Param): TSType | undefined =>
  doc?.type === undefined ? undefined : parseType(doc.type.text, doc.type.start);

function readInputs(
  params: readonly Param[],
  doc: Doc,
  scope: Scope,
): { readonly input: JsonSchema; readonly parameters: readonly Parameter[] } {
  const [only, ...others] = params;
  const whole =
    only !== undefined && others.length === 0 && !only.isRest ? readWhole(only, doc, scope) : undefined;
  if (whole !== undefined) return { input: whole, parameters: [{ is: "input" }] };
  const properties = params.map((param) => readParam(param, scope));
  return {
    input: objectOf(
      Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
      properties.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    ),
    parameters: properties.map(({ name, isRest }) => ({ is: isRest ? "rest" : "property", name })),
  };
}

/** One of several parameters: a property of the input. */
function readParam(
  param: Param,
  scope: Scope,
): {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
  readonly isRest: boolean;
} {
  const { pattern, isRest, doc } = param;
  const { file } = scope;
  if (pattern.type !== "Identifier") {
    const found = quote(file, pattern);
    throw refuse(file, pattern, `The parameter ${found} has no name of its own beside the others; name it`);
  }
  const read = param.type === undefined ? doc && readDocType(doc, scope) : scope.read(param.type, scope);
  const value = param.default && literalOf(param.default);
  const schema = read?.schema ?? (value && schemaOfValue(value.value));
  if (schema === undefined)
    throw refuse(file, pattern, `The parameter ${pattern.name} has no type; give it one`);
  const list = isRest && schema.type !== "array" ? { type: "array", items: schema } : schema;
  const documented = doc === undefined ? list : applyDoc(list, doc, file);
  const given = value?.value ?? (doc?.default === undefined ? undefined : jsonOf(doc.default));
  return {
    name: pattern.name,
    isRest,
    schema: given === undefined ? documented : { ...documented, default: given },
    isOptional:
      isRest ||
      param.isOptional ||
      param.default !== undefined ||
      read?.isOptional === true ||
      doc?.isOptional === true,
  };
}
