/** Source files, parsed, with the files that they import by relative paths. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Comment, parseSync, type Program } from "oxc-parser";
import { type LoadError, loadErrorAt } from "../errors.ts";
import { findModule } from "../load/files.ts";
import { type FileSnapshot, readTracked } from "../load/snapshot.ts";
import { locationAt } from "../load/source-locations.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

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
    const { program, comments, errors } = parseSync(path, text, { astType: "ts", preserveParens: false });
    const [error] = errors;
    if (error !== undefined)
      throw loadErrorAt(locationAt(path, text, error.labels[0]?.start ?? 0), `${error.message}.`);
    const file = { path, text, program, comments };
    this.#files.set(path, file);
    return file;
  }

  /** The file of a relative import; undefined for a package. */
  resolve(specifier: string, from: SourceFile): SourceFile | undefined {
    if (!/^\.{1,2}(?:\/|$)/.test(specifier)) return undefined;
    const path = findModule(fileURLToPath(new URL(specifier, pathToFileURL(from.path))), true);
    return path === undefined ? undefined : this.get(path);
  }
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
