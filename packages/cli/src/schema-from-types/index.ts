/** Reads the input of tools that are written as generator functions or classes from their types and JSDoc. */
import type { FileSnapshot } from "../load/snapshot.ts";
import { readClass } from "./classes.ts";
import { findExports } from "./declarations.ts";
import { readSignature, type Signature } from "./signature.ts";
import { type SourceFile, SourceFiles, unsupported } from "./source-files.ts";

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
    methods: methods.length === 0 ? {} : readClass(methods, file, sources),
  };
}

function readFunction(name: string, file: SourceFile, sources: SourceFiles): Signature {
  const declarations = findExports(name, file, sources).flatMap((found) =>
    found.in === "file" ? [found] : [],
  );
  for (const { node, statement, file: home } of declarations) {
    if (node.type === "FunctionDeclaration" || node.type === "FunctionExpression")
      return readSignature(node, statement, home, sources);
  }
  const [at] = declarations;
  throw unsupported(
    at?.file ?? file,
    at?.statement ?? { start: 0, end: 0 },
    `The parameters of the tool ${name} cannot be found: it is not written out as an async function*; write it so`,
  );
}
