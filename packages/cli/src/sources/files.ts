/** Reads files without throwing; tells tool files by their names; finds the file of an import. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";

export const isFile = (path: string): boolean => stat(path)?.isFile() === true;
export const isFolder = (path: string): boolean => stat(path)?.isDirectory() === true;

/** The text of a file; undefined if it cannot be read. */
export const readText = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"));

/** The names in a folder, sorted; none if it cannot be read. */
export const listFolder = (folder: string): readonly string[] =>
  attempt(() => readdirSync(folder))?.toSorted() ?? [];

/** The path without symbolic links; the path itself if there is no such file. */
export const realPath = (path: string): string => attempt(() => realpathSync(path)) ?? path;

const stat = (path: string) => attempt(() => statSync(path, { throwIfNoEntry: false }));

/** A file that is missing, one that may not be read, and a file in place of a folder are all the same to a loader. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

const TYPESCRIPT = [".ts", ".mts", ".tsx"];

/** The extensions of tool files, in the order in which a name is looked up. */
export const TOOL_EXTENSIONS: readonly string[] = [...TYPESCRIPT, ".js", ".mjs"];

/** Node cannot load it as it is. */
export const needsCompiling = (file: string): boolean => [...TYPESCRIPT, ".jsx"].includes(extname(file));

/** `web.photon.ts` */
export const isPhotonFile = (file: string): boolean =>
  TOOL_EXTENSIONS.some((extension) => file.endsWith(`.photon${extension}`));

/** Whether a file is loaded with its folder: no declarations, tests or entry points, and no name that begins with "_" or ".". */
export function isLoadable(file: string): boolean {
  const name = basename(file);
  if (!TOOL_EXTENSIONS.includes(extname(name)) || /\.d\.m?ts$/.test(name)) return false;
  return !/^[_.]|^(?:main|index)\.[^.]+$|\.(?:test|spec|config)\.[^.]+$/.test(name);
}

const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".jsx": [".tsx"],
};

/** The file that an import of a path means: `x.ts`, also written `./x`, `./x.js`, or `.` for `index.ts`. */
export function findModule(path: string, isFromTypeScript: boolean): string | undefined {
  const found = modulePaths(path, isFromTypeScript).find(isFile);
  return found === undefined ? undefined : realPath(found);
}

/** The paths of that file, the likeliest first. */
export function modulePaths(path: string, isFromTypeScript: boolean): readonly string[] {
  const extension = extname(path);
  const sources = (SOURCES[extension] ?? []).map((source) => path.slice(0, -extension.length) + source);
  // In TypeScript `./x.js` means what `x.ts` is built to, and a file of that name is an old build.
  if (sources.length > 0) return isFromTypeScript ? [...sources, path] : [path, ...sources];
  if (TOOL_EXTENSIONS.includes(extension)) return [path];
  const more = (base: string): readonly string[] => TOOL_EXTENSIONS.map((one) => base + one);
  return [path, ...more(path), ...more(join(path, "index"))];
}
