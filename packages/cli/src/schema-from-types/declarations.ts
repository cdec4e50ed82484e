/**
 * From a name to its declarations: in the same file, or in one that it is imported from by a relative path.
 *
 * A name may have several (overloads; a type and a value), of which the caller takes those that it can use.
 */
import type {
  Class,
  Expression,
  Function as FunctionNode,
  ModuleExportName,
  Statement,
  TSEnumDeclaration,
  TSInterfaceDeclaration,
  TSTypeAliasDeclaration,
} from "oxc-parser";
import type { SourceFile, SourceFiles, Span } from "./source-files.ts";

type DeclaredNode =
  | FunctionNode
  | Class
  | TSInterfaceDeclaration
  | TSTypeAliasDeclaration
  | TSEnumDeclaration
  | { readonly type: "Value" };

export type Declaration =
  | { readonly in: "file"; readonly file: SourceFile; readonly node: DeclaredNode; readonly statement: Span }
  | { readonly in: "package"; readonly specifier: string; readonly name: string };

/** The declarations of a name that a file uses. */
export function findDeclarations(
  name: string,
  file: SourceFile,
  sources: SourceFiles,
  visited: readonly string[] = [],
): readonly Declaration[] {
  return file.program.body.flatMap((statement): readonly Declaration[] => {
    if (statement.type !== "ImportDeclaration") return declaredBy(name, statement, file);
    const specifier = statement.specifiers.find(({ local }) => local.name === name);
    if (specifier === undefined) return [];
    const imported =
      specifier.type === "ImportSpecifier"
        ? nameOf(specifier.imported)
        : specifier.type === "ImportDefaultSpecifier"
          ? "default"
          : "*";
    return importedFrom(statement.source.value, imported, file, sources, visited);
  });
}

/** The declarations of a name that a file exports. */
export function findExports(
  name: string,
  file: SourceFile,
  sources: SourceFiles,
  visited: readonly string[] = [],
): readonly Declaration[] {
  const here = `${name} ${file.path}`;
  // Files may export each other's names in a circle.
  if (visited.includes(here)) return [];
  const next = [...visited, here];
  return file.program.body.flatMap((statement): readonly Declaration[] => {
    switch (statement.type) {
      case "ExportDefaultDeclaration": {
        const { declaration } = statement;
        if (name !== "default") return [];
        if (declaration.type === "Identifier") return findDeclarations(declaration.name, file, sources, next);
        const node = declaration.type === "TSInterfaceDeclaration" ? declaration : nodeOf(declaration);
        return [{ in: "file", file, node, statement }];
      }
      case "ExportAllDeclaration": {
        const from = sources.resolve(statement.source.value, file);
        const isPassedOn = from !== undefined && statement.exported === null && name !== "default";
        return isPassedOn ? findExports(name, from, sources, next) : [];
      }
      case "ExportNamedDeclaration": {
        if (statement.declaration !== null) return declaredBy(name, statement, file);
        const specifier = statement.specifiers.find(({ exported }) => nameOf(exported) === name);
        if (specifier === undefined) return [];
        const local = nameOf(specifier.local);
        return statement.source === null
          ? findDeclarations(local, file, sources, next)
          : importedFrom(statement.source.value, local, file, sources, next);
      }
      default:
        return [];
    }
  });
}

const nameOf = (node: ModuleExportName): string => ("name" in node ? node.name : node.value);

function importedFrom(
  specifier: string,
  name: string,
  file: SourceFile,
  sources: SourceFiles,
  visited: readonly string[],
): readonly Declaration[] {
  const from = sources.resolve(specifier, file);
  if (from === undefined || name === "*") return [{ in: "package", specifier, name }];
  return findExports(name, from, sources, visited);
}

/** What a statement declares under a name. */
function declaredBy(name: string, statement: Statement, file: SourceFile): readonly Declaration[] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const found = (node: DeclaredNode): readonly Declaration[] => [{ in: "file", file, node, statement }];
  switch (declared?.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSEnumDeclaration":
      return declared.id?.name === name ? found(declared) : [];
    case "ExportDefaultDeclaration": {
      const { declaration } = declared;
      if (!("id" in declaration) || declaration.id?.type !== "Identifier" || declaration.id.name !== name)
        return [];
      return found(declaration.type === "TSInterfaceDeclaration" ? declaration : nodeOf(declaration));
    }
    case "VariableDeclaration":
      return declared.declarations.flatMap(({ id, init }) =>
        id.type === "Identifier" && id.name === name && init !== null ? found(nodeOf(init)) : [],
      );
    default:
      return [];
  }
}

/** A function or a class, declared or as an expression; other expressions have no parameters. */
function nodeOf(node: FunctionNode | Class | Expression): DeclaredNode {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ClassDeclaration":
    case "ClassExpression":
      return node;
    default:
      return { type: "Value" };
  }
}
