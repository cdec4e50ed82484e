/**
 * From what was typed to the files meant.
 *
 * A path is a file or a folder; a bare name `web` is `web.photon.ts`, `web.ts`
 * or `tools/web.ts`, whichever comes first. No path at all means the folder
 * where the command runs: its `*.photon.{ts,js}`, and its `tools/`.
 */
import { basename, extname, join, resolve } from "node:path";
import { CannotLoad } from "../cannot-load.ts";
import { isFile, isFolder, realPath } from "../on-disk.ts";
import { listSeen, type Seen } from "../seen.ts";
import { isPhotonFile, TOOL_ENDINGS } from "./file-kinds.ts";

export interface ToolFile {
  readonly path: string;
  /** Found in a folder, not named by anybody: it may turn out to be a helper of the others. */
  readonly isStray: boolean;
}

/** A folder has no tools in it. */
export class NoToolFiles extends CannotLoad {}

/** The files meant by the paths, each once; `seen` is told where was looked. */
export function findToolFiles(paths: readonly string[], cwd: string, seen: Seen): readonly ToolFile[] {
  const found = paths.length === 0 ? findHere(cwd, seen) : paths.flatMap((path) => findPath(path, cwd, seen));
  const files = new Map<string, ToolFile>();
  for (const file of found) {
    const path = realPath(file.path);
    files.set(path, { path, isStray: file.isStray && files.get(path)?.isStray !== false });
  }
  return [...files.values()];
}

function findHere(cwd: string, seen: Seen): readonly ToolFile[] {
  const files = markedFilesIn(cwd, seen);
  if (files.length > 0) return files;
  throw new NoToolFiles(
    `No tools found: there is no *.photon.ts or *.photon.js in ${cwd}, and nothing in ${join(cwd, "tools")}; name a file or a folder.`,
  );
}

function findPath(path: string, cwd: string, seen: Seen): readonly ToolFile[] {
  const exact = resolve(cwd, path);
  if (isFile(exact)) return [named(exact)];
  const candidates = isEndingOpen(path) ? candidatesFor(path, cwd) : [exact];
  const file = candidates.find(isFile);
  // Those that come first would be meant, were they there.
  for (const candidate of candidates.slice(0, file === undefined ? undefined : candidates.indexOf(file)))
    seen.files.set(candidate, undefined);
  if (file !== undefined) return [named(file)];
  if (isFolder(exact)) return findInFolder(exact, seen);
  throw new CannotLoad(
    candidates.length === 1
      ? `There is no file ${exact}; check the path.`
      : `There is no tool file ${JSON.stringify(path)}: looked in ${cwd} for ${shownStems(path)} (or .mts, .js, .mjs), and for a folder of that name.`,
  );
}

/** Whether a path may be the short name of a file: `web`, `tools/web`, not `web.ts` or `web/`. */
const isEndingOpen = (path: string): boolean =>
  !/[/\\]$|^\.{1,2}$/.test(path) && !TOOL_ENDINGS.includes(extname(path));

function stemsOf(path: string): readonly string[] {
  const isBare = basename(path) === path;
  const stems = isBare ? [path, join("tools", path)] : [path];
  return stems.flatMap((stem) => [`${stem}.photon`, stem]);
}

const candidatesFor = (path: string, cwd: string): readonly string[] =>
  stemsOf(path).flatMap((stem) => TOOL_ENDINGS.map((ending) => resolve(cwd, stem + ending)));

const shownStems = (path: string): string =>
  stemsOf(path)
    .map((stem) => `${stem}.ts`)
    .join(", ");

const named = (path: string): ToolFile => ({ path, isStray: false });

/** A folder gives its marked files; one that has none, or is called `tools`, gives every file in it. */
function findInFolder(folder: string, seen: Seen): readonly ToolFile[] {
  const marked = basename(folder) === "tools" ? [] : markedFilesIn(folder, seen);
  if (marked.length > 0) return marked;
  const files = allFilesIn(folder, seen);
  if (files.length > 0) return files;
  throw new NoToolFiles(
    `No tools found in the folder ${folder}: it has no TypeScript or JavaScript file besides entry points (main, index), tests and configurations; put one there, or name a file.`,
  );
}

/** The `*.photon.*` files of a folder, and everything in its `tools/`. */
function markedFilesIn(folder: string, seen: Seen): readonly ToolFile[] {
  const marked = filesIn(folder, seen).filter(isPhotonFile);
  return [...marked.map((path) => ({ path, isStray: false })), ...allFilesIn(join(folder, "tools"), seen)];
}

function allFilesIn(folder: string, seen: Seen): readonly ToolFile[] {
  const files = filesIn(folder, seen);
  return files
    .filter((file) => !isBuildOfAnother(file, files))
    .map((path) => ({ path, isStray: !isPhotonFile(path) }));
}

/** `web.js` beside `web.ts` is what a compiler made of it. */
function isBuildOfAnother(file: string, files: readonly string[]): boolean {
  const source = file.replace(/\.(m?)js$/, ".$1ts");
  return source !== file && files.includes(source);
}

function filesIn(folder: string, seen: Seen): readonly string[] {
  return listSeen(folder, seen)
    .map((name) => join(folder, name))
    .filter(isFile);
}
