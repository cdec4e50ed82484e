/** The signatures of what a file exports. */
import type { ToolSignatures, Requested } from "./index.ts";
import { findExports, type Declaration } from "./find-declarations.ts";
import { methodsOf } from "./read-methods.ts";
import { readSignature } from "./read-signature.ts";
import { refuse, type SourceFile, type Sources } from "./sources.ts";
import type { Signature } from "./signature.ts";

export function readTools(path: string, { functions, methods }: Requested, sources: Sources): ToolSignatures {
  const file = sources.get(path);
  return {
    functions: Object.fromEntries(functions.map((name) => [name, readFunction(name, file, sources)])),
    methods: methods.length === 0 ? {} : readClass(methods, file, sources),
  };
}

function readFunction(name: string, file: SourceFile, sources: Sources): Signature {
  const found = findExports(name, file, sources);
  for (const declaration of found) {
    if (declaration.in !== "file") continue;
    const { node, statement } = declaration;
    if (node.type === "FunctionDeclaration" || node.type === "FunctionExpression")
      return readSignature(node, statement, declaration.file, sources);
  }
  const at = found.find(
    (declaration): declaration is Declaration & { in: "file" } => declaration.in === "file",
  );
  throw refuse(
    at?.file ?? file,
    at?.statement ?? { start: 0, end: 0 },
    `The parameters of the tool ${name} cannot be found: it is not written out as an async function*; write it so`,
  );
}

function readClass(wanted: readonly string[], file: SourceFile, sources: Sources): ToolSignatures["methods"] {
  for (const declaration of findExports("default", file, sources)) {
    if (declaration.in !== "file") continue;
    const { node } = declaration;
    if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") continue;
    const methods = methodsOf(node, declaration.file, sources);
    const missing = wanted.find((name) => !methods.some((method) => method.name === name));
    if (missing !== undefined)
      throw refuse(
        declaration.file,
        node,
        `The method ${missing} is inherited from a class whose source is not at hand; write it here`,
      );
    return Object.fromEntries(
      methods
        .filter(({ name, isPublic }) => isPublic && wanted.includes(name))
        .map(({ name, node: method, definition, file: home }) => [
          name,
          readSignature(method, definition, home, sources),
        ]),
    );
  }
  throw refuse(
    file,
    { start: 0, end: 0 },
    "The class that is exported by default cannot be found; write it here",
  );
}
