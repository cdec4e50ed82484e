/** Source files, parsed; and the declarations of a name, also of one that is imported by a relative path. */
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type Class,
  type Comment,
  type EcmaScriptModule,
  type ExportDefaultDeclarationKind,
  type Function as FunctionNode,
  parseSync,
  type Program,
  type StaticExportEntry,
  type TSEnumDeclaration,
  type TSInterfaceDeclaration,
  type TSTypeAliasDeclaration,
} from "oxc-parser";
import { type LoadError, loadErrorAt } from "../errors.ts";
import { findModule } from "../sources/files.ts";
import { type FileSnapshot, readTracked } from "../sources/snapshot.ts";
import { locationAt } from "../sources/source-locations.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly module: EcmaScriptModule;
  readonly comments: readonly Comment[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

type DeclaredNode =
  | FunctionNode
  | Class
  | TSInterfaceDeclaration
  | TSTypeAliasDeclaration
  | TSEnumDeclaration
  | { readonly type: "Value" };

export type Declaration =
  | {
      readonly kind: "file";
      readonly file: SourceFile;
      readonly node: DeclaredNode;
      readonly statement: Span;
    }
  | { readonly kind: "package"; readonly specifier: string; readonly name: string };

export class SourceFiles {
  readonly #snapshot: FileSnapshot;
  readonly #files = new Map<string, SourceFile>();

  constructor(snapshot: FileSnapshot) {
    this.#snapshot = snapshot;
  }

  /** A file, parsed once. */
  get(path: string): SourceFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const text = readTracked(path, this.#snapshot);
    if (text === undefined) throw loadErrorAt({ file: path }, "The file cannot be read.");
    const parsed = parseSync(path, text, { astType: "ts", preserveParens: false });
    const [error] = parsed.errors;
    if (error !== undefined)
      throw loadErrorAt(locationAt(path, text, error.labels[0]?.start ?? 0), `${error.message}.`);
    const { program, module, comments } = parsed;
    const file = { path, text, program, module, comments };
    this.#files.set(path, file);
    return file;
  }

  /** The declarations of a name that a file uses. It may have several: overloads, a type and a value. */
  declarationsOf(name: string, file: SourceFile, visited: readonly string[] = []): readonly Declaration[] {
    const imported = file.module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries
        .filter(({ localName }) => localName.value === name)
        .flatMap(({ importName }) => {
          const theirs = kindOf(importName) === "Default" ? "default" : importName.name;
          return this.#importedFrom(moduleRequest.value, theirs, file, visited);
        }),
    );
    const own = [...declarationsIn(file)].filter(([declared]) => declared === name);
    return [...imported, ...own.map(([, declaration]) => declaration)];
  }

  /** The declarations of a name that a file exports. */
  exportsOf(name: string, file: SourceFile, visited: readonly string[] = []): readonly Declaration[] {
    const here = `${name} ${file.path}`;
    // Files may export each other's names in a circle.
    if (visited.includes(here)) return [];
    const next = [...visited, here];
    const entries = file.module.staticExports.flatMap((statement) => statement.entries);
    const entry = entries.find((one) => exportedName(one) === name);
    if (entry !== undefined) {
      const { moduleRequest, importName, localName } = entry;
      return moduleRequest === null
        ? this.declarationsOf(localName.name ?? "default", file, next)
        : this.#importedFrom(moduleRequest.value, importName.name, file, next);
    }
    if (name === "default") return [];
    return entries.flatMap(({ moduleRequest, importName }) => {
      const isStar = kindOf(importName) === "AllButDefault" && moduleRequest !== null;
      const from = isStar ? this.#resolve(moduleRequest.value, file) : undefined;
      return from === undefined ? [] : this.exportsOf(name, from, next);
    });
  }

  /** The declarations behind an import; `name` is null for a whole module. */
  #importedFrom(
    specifier: string,
    name: string | null | undefined,
    file: SourceFile,
    visited: readonly string[],
  ): readonly Declaration[] {
    const from = this.#resolve(specifier, file);
    if (from === undefined || typeof name !== "string")
      return [{ kind: "package", specifier, name: name ?? "*" }];
    return this.exportsOf(name, from, visited);
  }

  /** The file of a relative import; undefined for a package. */
  #resolve(specifier: string, from: SourceFile): SourceFile | undefined {
    if (!/^\.{1,2}(?:\/|$)/.test(specifier)) return undefined;
    const path = findModule(fileURLToPath(new URL(specifier, pathToFileURL(from.path))), true);
    return path === undefined ? undefined : this.get(path);
  }
}

/** The types of the parser have an enum here, which does not exist at run time. */
const kindOf = ({ kind }: { readonly kind: string }): string => kind;

const exportedName = ({ exportName }: StaticExportEntry): string | null | undefined =>
  kindOf(exportName) === "Default" ? "default" : exportName.name;

/** What the statements of a file declare, by name; what is exported by default without a name is "default". */
function* declarationsIn(file: SourceFile): Generator<readonly [name: string, Declaration]> {
  for (const statement of file.program.body) {
    const isDefault = statement.type === "ExportDefaultDeclaration";
    const declared =
      isDefault || statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    switch (declared?.type) {
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
      case "TSEnumDeclaration":
        yield [declared.id?.name ?? "default", { kind: "file", file, node: declared, statement }];
        break;
      case "VariableDeclaration":
        for (const { id, init } of declared.declarations)
          if (id.type === "Identifier" && init !== null)
            yield [id.name, { kind: "file", file, node: nodeOf(init), statement }];
        break;
      default:
        if (isDefault)
          yield ["default", { kind: "file", file, node: nodeOf(statement.declaration), statement }];
    }
  }
}

/** A function or a class; other expressions have no parameters. */
function nodeOf(node: ExportDefaultDeclarationKind): DeclaredNode {
  return node.type === "FunctionExpression" || node.type === "ClassExpression" ? node : { type: "Value" };
}

/** The error for source that is not supported, with its location. */
export function unsupported({ path, text }: SourceFile, { start }: Span, problem: string): LoadError {
  const sentence = `${problem}; or give the schema yourself: tool({ input, run }).`;
  return loadErrorAt(locationAt(path, text, start), sentence);
}

/** A piece of source as sentences quote it. */
export function quote({ text }: SourceFile, { start, end }: Span): string {
  const piece = text.slice(start, end).replaceAll(/\s+/g, " ");
  return piece.length > 60 ? `${piece.slice(0, 57)}…` : piece;
}
