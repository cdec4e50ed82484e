/** Small questions to the file system, answered without exceptions. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";

export const isFile = (path: string): boolean => is(path, "isFile");
export const isFolder = (path: string): boolean => is(path, "isDirectory");

/** What a file holds; nothing where there is none that can be read. */
export function textOf(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8"));
}

/** The names in a folder, in order; none where there is no folder. */
export function listOf(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder))?.toSorted() ?? [];
}

/** Where a path really is; the path itself where there is nothing. */
export function realPath(path: string): string {
  return attempt(() => realpathSync(path)) ?? path;
}

function is(path: string, question: "isFile" | "isDirectory"): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))?.[question]() === true;
}

/** Missing, forbidden, a file where a folder was meant: all of them mean "not here". */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
