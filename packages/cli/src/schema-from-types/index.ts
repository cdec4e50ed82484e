/** Reads the input of tools that are written as generator functions or classes from their types and JSDoc. */
import type { Class, MethodDefinition } from "oxc-parser";
import type { FileSnapshot } from "../sources/snapshot.ts";
import { readSignature, type Signature } from "./signature.ts";
import { type Declaration, type SourceFile, SourceFiles, unsupported } from "./source-files.ts";
import { keyOf } from "./types.ts";

export interface Requested {
  /** Exports that are generator functions. */
  readonly functions: readonly string[];
  /** Methods of the default class. */
  readonly methods: readonly string[];
}

export interface ToolSignatures {
  readonly functions: Readonly<Record<string, Signature>>;
  /** Without private and protected methods. */
  readonly methods: Readonly<Record<string, Signature>>;
}

export function schemaFromTypes(
  path: string,
  { functions, methods }: Requested,
  snapshot: FileSnapshot,
): ToolSignatures {
  const sources = new SourceFiles(snapshot);
  const file = sources.get(path);
  return {
    functions: Object.fromEntries(functions.map((name) => [name, readFunction(name, file, sources)])),
    methods: methods.length === 0 ? {} : readMethods(methods, file, sources),
  };
}

const AT_START = { start: 0, end: 0 };

const inFiles = (declarations: readonly Declaration[]) =>
  declarations.filter((found) => found.kind === "file");

function readFunction(name: string, file: SourceFile, sources: SourceFiles): Signature {
  const declarations = inFiles(sources.exportsOf(name, file));
  for (const { node, statement, file: home } of declarations) {
    if (node.type === "FunctionDeclaration" || node.type === "FunctionExpression")
      return readSignature(node, statement, home, sources);
  }
  const [at] = declarations;
  throw unsupported(
    at?.file ?? file,
    at?.statement ?? AT_START,
    `The parameters of the tool ${name} cannot be found: it is not written out as an async function*; write it so`,
  );
}

interface FoundClass {
  readonly node: Class;
  readonly file: SourceFile;
}

interface Method {
  readonly name: string;
  readonly definition: MethodDefinition;
  readonly file: SourceFile;
}

/** The signatures of the requested methods of the default class, without private and protected ones. */
function readMethods(
  requested: readonly string[],
  file: SourceFile,
  sources: SourceFiles,
): ToolSignatures["methods"] {
  const found = classIn(sources.exportsOf("default", file));
  if (found === undefined)
    throw unsupported(file, AT_START, "The class that is exported by default cannot be found; write it here");
  const members = membersOf(found, sources);
  refuseParameters(found, members);
  const methods = requested.map((name) => {
    const method = members.find((member) => member.name === name && member.definition.kind === "method");
    if (method !== undefined) return method;
    throw unsupported(
      found.file,
      found.node,
      `The method ${name} is inherited from a class whose source was not found; write it here`,
    );
  });
  return Object.fromEntries(
    methods
      .filter(({ definition }) => !/^(?:private|protected)$/.test(definition.accessibility ?? ""))
      .map(({ name, definition, file: home }) => [
        name,
        readSignature(definition.value, definition, home, sources),
      ]),
  );
}

function classIn(declarations: readonly Declaration[]): FoundClass | undefined {
  for (const { node, file } of inFiles(declarations))
    if (node.type === "ClassDeclaration" || node.type === "ClassExpression") return { node, file };
  return undefined;
}

/** The methods with a body and the constructor, then those of the class that it extends. */
function membersOf({ node, file }: FoundClass, sources: SourceFiles): readonly Method[] {
  const own = node.body.body.flatMap((element): readonly Method[] => {
    if (element.type !== "MethodDefinition" || element.static) return [];
    const name = element.computed ? undefined : keyOf(element.key);
    // An overload has no body.
    return name === undefined || element.value.body === null ? [] : [{ name, definition: element, file }];
  });
  const { superClass } = node;
  if (superClass?.type !== "Identifier") return own;
  const base = classIn(sources.declarationsOf(superClass.name, file));
  return base === undefined ? own : [...own, ...membersOf(base, sources)];
}

/** The class is constructed without arguments. */
function refuseParameters({ node }: FoundClass, members: readonly Method[]): void {
  const made = members.find(({ definition }) => definition.kind === "constructor");
  const needed = made?.definition.value.params.find((param) => {
    const inner = param.type === "TSParameterProperty" ? param.parameter : param;
    // The types of the parser know of no optional parameters.
    const { optional } = inner as { readonly optional?: boolean };
    return inner.type !== "AssignmentPattern" && inner.type !== "RestElement" && optional !== true;
  });
  if (made === undefined || needed === undefined) return;
  const name = node.id?.name ?? "that is exported by default";
  throw unsupported(
    made.file,
    needed,
    `The class ${name} is constructed without arguments; give this parameter a default, or read it inside`,
  );
}
