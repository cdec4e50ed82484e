/**
 * From a source file to a module that Node can load, its imports still as written.
 *
 * What comes out depends on the file alone, so it is kept on disk: TypeScript
 * under a name made of the file. The compiler is loaded only for TypeScript that
 * is new, the lexer only for a file that is new.
 */
import { pathToFileURL } from "node:url";
import { cannotLoadAt, placeIn } from "../cannot-load.ts";
import { isCompiled } from "../find/file-kinds.ts";
import type { Cache } from "./cache.ts";
import { findImports, type Imports } from "./find-imports.ts";
import { knownImports } from "./known-imports.ts";
import { knownName, slotOf } from "./known-name.ts";
import { ourManifest } from "./our-version.ts";
import { refuseUnyielded } from "./refuse-unyielded.ts";

/** Changed whenever something else is kept. */
const FORMAT = "3";

export interface Compiled extends Imports {
  /** What only this file, compiled by this version, is known by: JavaScript by its text. */
  readonly key: string;
  readonly code: string;
  /** The entry of the cache that holds its source map, where it was compiled. */
  readonly map?: string;
}

/** What is kept of TypeScript. */
type Kept = Omit<Compiled, "key">;

/** Compiles a file, or takes what was compiled before. */
export async function compile(path: string, source: string, cache: Cache): Promise<Compiled> {
  if (!isCompiled(path)) {
    const code = withoutHashbang(source);
    return { ...(await knownImports(path, code, cache)), key: `${path}\n${code}`, code };
  }
  const key = knownName(cache, slotOf(path), FORMAT, ourManifest(), process.version, path, source);
  const known = readKept(cache.read(`${key}.json`));
  const kept = known ?? (await compileAnew(path, source, cache, key));
  if (known === undefined) cache.write(`${key}.json`, JSON.stringify(kept));
  return { ...kept, key };
}

async function compileAnew(path: string, source: string, cache: Cache, key: string): Promise<Kept> {
  const { code, map } = await strip(path, source);
  await refuseUnyielded(path, source);
  const mapName = `${key}.map`;
  cache.write(mapName, map);
  return { ...(await findImports(code)), code, map: mapName };
}

async function strip(path: string, source: string): Promise<{ readonly code: string; readonly map: string }> {
  const { transformSync } = await import("oxc-transform");
  const { code, map, errors } = transformSync(path, source, { sourcemap: true, sourceType: "module" });
  const [error] = errors;
  if (error !== undefined) {
    const hint = error.helpMessage === null ? "" : ` (${error.helpMessage})`;
    const place = placeIn(path, source, lettersIn(source, error.labels[0]?.start ?? 0));
    throw cannotLoadAt(place, `${error.message.replace(/\.$/, "")}${hint}.`);
  }
  const { mappings = "", names = [] } = map ?? {};
  const slim = { version: 3, sources: [pathToFileURL(path).href], names, mappings };
  return { code: withoutHashbang(code), map: JSON.stringify(slim) };
}

/** The compiler counts bytes, everybody else letters. */
const lettersIn = (text: string, bytes: number): number =>
  Buffer.from(text).subarray(0, bytes).toString().length;

/** Node takes a hashbang only at the very start; a comment may stay where it is. */
const withoutHashbang = (code: string): string => code.replace(/^#!/, "//");

/** An entry that was cut short, or that somebody else wrote, is none. */
function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    // Written by this version: its number is in the name.
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}
