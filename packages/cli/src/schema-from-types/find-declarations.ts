/**
 * From a name to where it is declared: in the same file, or in a file that it is imported from.
 *
 * A name may be declared more than once (interfaces merge, a type and a value
 * may share a name), so that all of them are given.
 */
import type {
  Class,
  Expression,
  ExportNamedDeclaration,
  Function as FunctionNode,
  ImportDeclaration,
  ModuleExportName,
  Statement,
  TSEnumDeclaration,
  TSInterfaceDeclaration,
  TSTypeAliasDeclaration,
} from "oxc-parser";
import type { SourceFile, Sources, Span } from "./sources.ts";

type Declared =
  | FunctionNode
  | Class
  | TSInterfaceDeclaration
  | TSTypeAliasDeclaration
  | TSEnumDeclaration
  | { readonly type: "Value"; readonly value: Expression };

export type Declaration =
  | { readonly in: "file"; readonly file: SourceFile; readonly node: Declared; readonly statement: Span }
  /** A whole file: `import * as types`. */
  | { readonly in: "namespace"; readonly file: SourceFile }
  /** Somebody else's: a package. */
  | { readonly in: "package"; readonly specifier: string; readonly name: string };

/** Which exports of which files were looked at on the way. */
type Visited = readonly string[];

/** What a name stands for within a file. */
export function findDeclarations(
  name: string,
  file: SourceFile,
  sources: Sources,
  visited: Visited = [],
): readonly Declaration[] {
  return file.program.body.flatMap((statement): readonly Declaration[] => {
    if (statement.type === "ImportDeclaration") return importedAs(name, statement, file, sources, visited);
    return declaredBy(statement)
      .filter((declared) => declared.name === name)
      .map(({ node }) => ({ in: "file", file, node, statement }));
  });
}

/** What a file exports under a name. */
export function findExports(
  name: string,
  file: SourceFile,
  sources: Sources,
  visited: Visited = [],
): readonly Declaration[] {
  const here = `${name} ${file.path}`;
  // Files that pass on what they have from each other.
  if (visited.includes(here)) return [];
  const next = [...visited, here];
  return file.program.body.flatMap((statement): readonly Declaration[] => {
    if (statement.type === "ExportDefaultDeclaration" && name === "default")
      return exportedByDefault(statement.declaration, file, statement, sources, next);
    if (statement.type === "ExportAllDeclaration") {
      const from = sources.resolve(statement.source.value, file.path);
      if (from === undefined) return [];
      if (statement.exported !== null)
        return nameOf(statement.exported) === name ? [{ in: "namespace", file: from }] : [];
      return name === "default" ? [] : findExports(name, from, sources, next);
    }
    return statement.type === "ExportNamedDeclaration"
      ? exportedAs(name, statement, file, sources, next)
      : [];
  });
}

const nameOf = (node: ModuleExportName): string => ("name" in node ? node.name : node.value);

function importedAs(
  name: string,
  { specifiers, source }: ImportDeclaration,
  file: SourceFile,
  sources: Sources,
  visited: Visited,
): readonly Declaration[] {
  const specifier = specifiers.find(({ local }) => local.name === name);
  if (specifier === undefined) return [];
  const from = sources.resolve(source.value, file.path);
  const exported =
    specifier.type === "ImportSpecifier"
      ? nameOf(specifier.imported)
      : specifier.type === "ImportDefaultSpecifier"
        ? "default"
        : "*";
  if (from === undefined) return [{ in: "package", specifier: source.value, name: exported }];
  return exported === "*" ? [{ in: "namespace", file: from }] : findExports(exported, from, sources, visited);
}

function exportedAs(
  name: string,
  statement: ExportNamedDeclaration,
  file: SourceFile,
  sources: Sources,
  visited: Visited,
): readonly Declaration[] {
  if (statement.declaration !== null)
    return declaredBy(statement)
      .filter((declared) => declared.name === name)
      .map(({ node }) => ({ in: "file", file, node, statement }));
  const specifier = statement.specifiers.find(({ exported }) => nameOf(exported) === name);
  if (specifier === undefined) return [];
  const local = nameOf(specifier.local);
  if (statement.source === null) return findDeclarations(local, file, sources, visited);
  const from = sources.resolve(statement.source.value, file.path);
  return from === undefined
    ? [{ in: "package", specifier: statement.source.value, name: local }]
    : findExports(local, from, sources, visited);
}

function exportedByDefault(
  node: FunctionNode | Class | TSInterfaceDeclaration | Expression,
  file: SourceFile,
  statement: Span,
  sources: Sources,
  visited: Visited,
): readonly Declaration[] {
  switch (node.type) {
    case "Identifier":
      return findDeclarations(node.name, file, sources, visited);
    case "TSInterfaceDeclaration":
      return [{ in: "file", file, node, statement }];
    default:
      return [{ in: "file", file, node: asDeclared(node), statement }];
  }
}

/** A function or a class, also where it is an expression; any other value is only that. */
function asDeclared(node: FunctionNode | Class | Expression): Declared {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ClassDeclaration":
    case "ClassExpression":
      return node;
    default:
      // What remains is an expression: the kinds of functions and classes that are none have no body to run.
      return { type: "Value", value: node as Expression };
  }
}

function declaredBy(statement: Statement): readonly { readonly name: string; readonly node: Declared }[] {
  switch (statement.type) {
    case "ExportNamedDeclaration":
      return statement.declaration === null ? [] : declaredBy(statement.declaration);
    case "ExportDefaultDeclaration": {
      const { declaration } = statement;
      const isNamed = "id" in declaration && declaration.id !== null && "name" in declaration.id;
      // Only declarations have a name that others may use.
      return isNamed && declaration.type.endsWith("Declaration") ? declaredBy(declaration) : [];
    }
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return statement.id === null ? [] : [{ name: statement.id.name, node: statement }];
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSEnumDeclaration":
      return [{ name: statement.id.name, node: statement }];
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id, init }) =>
        id.type === "Identifier" && init !== null ? [{ name: id.name, node: asDeclared(init) }] : [],
      );
    default:
      return [];
  }
}
