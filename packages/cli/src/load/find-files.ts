/**
 * Finds the tool files that the paths of the command line name.
 *
 * A path is a file or a folder; a bare name `web` is `web.photon.ts`, `web.ts`
 * or `tools/web.ts`, whichever comes first. Without paths, the files are those of
 * the current folder: its `*.photon.{ts,js}`, and its `tools/`.
 */
import { basename, extname, join, resolve } from "node:path";
import { LoadError } from "../errors.ts";
import { isFile, isFolder, isPhotonFile, realPath, TOOL_EXTENSIONS } from "../sources/files.ts";
import { type FileSnapshot, listTracked } from "../sources/snapshot.ts";

export interface ToolFile {
  readonly path: string;
  /** Found in a folder, and not named `*.photon.*`: it may be a helper of the others. */
  readonly isImplicit: boolean;
}

/** A folder has no tools in it. */
export class NoToolFiles extends LoadError {}

/** The files that the paths mean, each once. */
export function findToolFiles(
  paths: readonly string[],
  cwd: string,
  snapshot: FileSnapshot,
): readonly ToolFile[] {
  const found =
    paths.length === 0 ? findHere(cwd, snapshot) : paths.flatMap((path) => findPath(path, cwd, snapshot));
  const files = new Map<string, ToolFile>();
  for (const file of found) {
    const path = realPath(file.path);
    files.set(path, { path, isImplicit: file.isImplicit && files.get(path)?.isImplicit !== false });
  }
  return [...files.values()];
}

function findHere(cwd: string, snapshot: FileSnapshot): readonly ToolFile[] {
  const files = markedFilesIn(cwd, snapshot);
  if (files.length > 0) return files;
  throw new NoToolFiles(
    `No tools found: there is no *.photon.ts or *.photon.js in ${cwd}, and nothing in ${join(cwd, "tools")}; name a file or a folder.`,
  );
}

function findPath(path: string, cwd: string, snapshot: FileSnapshot): readonly ToolFile[] {
  const exact = resolve(cwd, path);
  if (isFile(exact)) return [named(exact)];
  const candidates = hasNoExtension(path) ? candidatesFor(path, cwd) : [exact];
  const file = candidates.find(isFile);
  // A candidate before it would be loaded in its place as soon as it exists.
  for (const candidate of candidates.slice(0, file === undefined ? undefined : candidates.indexOf(file)))
    snapshot.files.set(candidate, undefined);
  if (file !== undefined) return [named(file)];
  if (isFolder(exact)) return findInFolder(exact, snapshot);
  throw new LoadError(
    candidates.length === 1
      ? `There is no file ${exact}; check the path.`
      : `There is no tool file ${JSON.stringify(path)}: looked in ${cwd} for ${shownStems(path)} (or .mts, .js, .mjs), and for a folder of that name.`,
  );
}

/** Whether a path may be the short name of a file: `web`, `tools/web`, not `web.ts` or `web/`. */
const hasNoExtension = (path: string): boolean =>
  !/[/\\]$|^\.{1,2}$/.test(path) && !TOOL_EXTENSIONS.includes(extname(path));

function stemsOf(path: string): readonly string[] {
  const isBare = basename(path) === path;
  const stems = isBare ? [path, join("tools", path)] : [path];
  return stems.flatMap((stem) => [`${stem}.photon`, stem]);
}

const candidatesFor = (path: string, cwd: string): readonly string[] =>
  stemsOf(path).flatMap((stem) => TOOL_EXTENSIONS.map((extension) => resolve(cwd, stem + extension)));

const shownStems = (path: string): string =>
  stemsOf(path)
    .map((stem) => `${stem}.ts`)
    .join(", ");

const named = (path: string): ToolFile => ({ path, isImplicit: false });

/** A folder gives its marked files; one that has none, or is called `tools`, gives every file in it. */
function findInFolder(folder: string, snapshot: FileSnapshot): readonly ToolFile[] {
  const marked = basename(folder) === "tools" ? [] : markedFilesIn(folder, snapshot);
  if (marked.length > 0) return marked;
  const files = allFilesIn(folder, snapshot);
  if (files.length > 0) return files;
  throw new NoToolFiles(
    `No tools found in the folder ${folder}: it has no TypeScript or JavaScript file besides entry points (main, index), tests and configurations; put one there, or name a file.`,
  );
}

/** The `*.photon.*` files of a folder, and everything in its `tools/`. */
function markedFilesIn(folder: string, snapshot: FileSnapshot): readonly ToolFile[] {
  const marked = filesIn(folder, snapshot).filter(isPhotonFile);
  return [
    ...marked.map((path) => ({ path, isImplicit: false })),
    ...allFilesIn(join(folder, "tools"), snapshot),
  ];
}

function allFilesIn(folder: string, snapshot: FileSnapshot): readonly ToolFile[] {
  const files = filesIn(folder, snapshot);
  return files
    .filter((file) => !isBuildOfAnother(file, files))
    .map((path) => ({ path, isImplicit: !isPhotonFile(path) }));
}

/** `web.js` beside `web.ts` is what a compiler made of it. */
function isBuildOfAnother(file: string, files: readonly string[]): boolean {
  const source = file.replace(/\.(m?)js$/, ".$1ts");
  return source !== file && files.includes(source);
}

function filesIn(folder: string, snapshot: FileSnapshot): readonly string[] {
  return listTracked(folder, snapshot)
    .map((name) => join(folder, name))
    .filter(isFile);
}
