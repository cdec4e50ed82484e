/** Source files, parsed; what was read of them is noted, so that it is known when a reading is out of date. */
import { parseSync, type Comment, type Program } from "oxc-parser";
import { type LoadError, loadErrorAt } from "../load/errors.ts";
import { locationAt } from "../load/source-location.ts";
import { readTracked, type FileSnapshot } from "../load/snapshot.ts";
import { resolveSource } from "./resolve-source.ts";

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

export class Sources {
  readonly #seen: FileSnapshot;
  readonly #files = new Map<string, SourceFile>();
  readonly #resolved = new Map<string, string | undefined>();

  constructor(seen: FileSnapshot) {
    this.#seen = seen;
  }

  /** A file, parsed once. */
  get(path: string): SourceFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const text = readTracked(path, this.#seen) ?? "";
    const { program, comments, errors } = parseSync(path, text, { astType: "ts", preserveParens: false });
    const [error] = errors;
    if (error !== undefined)
      throw loadErrorAt(locationAt(path, text, error.labels[0]?.start ?? 0), `${error.message}.`);
    const file = { path, text, program, comments };
    this.#files.set(path, file);
    return file;
  }

  /** The file that another one imports its types or functions from; nothing for a package. */
  resolve(specifier: string, from: string): SourceFile | undefined {
    const path = resolveSource(specifier, from);
    this.#resolved.set(JSON.stringify([specifier, from]), path);
    return path === undefined ? undefined : this.get(path);
  }

  /** Every file that was read, with its text. */
  get read(): ReadonlyMap<string, string> {
    return new Map([...this.#files.values()].map(({ path, text }) => [path, text]));
  }

  /** Every import that was followed: `[specifier, from, path]`. */
  get followed(): readonly (readonly [string, string, string | undefined])[] {
    return [...this.#resolved].map(([key, path]) => {
      // Written three lines up.
      const [specifier, from] = JSON.parse(key) as [string, string];
      return [specifier, from, path];
    });
  }
}

/** Refuses what cannot be read, at its place, with the way out. */
export function refuse({ path, text }: SourceFile, { start }: Span, problem: string): LoadError {
  return loadErrorAt(
    locationAt(path, text, start),
    `${problem}; or give the schema yourself: tool({ input, run }).`,
  );
}

/** A piece of source as it is quoted in a sentence. */
export function quote({ text }: SourceFile, { start, end }: Span): string {
  const piece = text.slice(start, end).replaceAll(/\s+/g, " ");
  return piece.length > 60 ? `${piece.slice(0, 57)}…` : piece;
}
