/** The files and folders that a load read, also if it failed. They are watched, and compared with the disk. */
import { isLoadable, listFolder, readText } from "./files.ts";

export interface FileSnapshot {
  /** The tool files that were found. */
  entries: readonly string[];
  /** Files with the text that was read; undefined if there was no such file. */
  readonly files: Map<string, string | undefined>;
  /** Folders that were searched, with the names of their files that may hold tools. */
  readonly folders: Map<string, string>;
}

export const emptySnapshot = (): FileSnapshot => ({ entries: [], files: new Map(), folders: new Map() });

/** Reads a file once: one load sees one version of each file. */
export function readTracked(path: string, snapshot: FileSnapshot): string | undefined {
  if (snapshot.files.has(path)) return snapshot.files.get(path);
  const text = readText(path);
  snapshot.files.set(path, text);
  return text;
}

/** The names of the files in a folder that may hold tools. */
export function listTracked(folder: string, snapshot: FileSnapshot): readonly string[] {
  const names = toolNamesIn(folder);
  snapshot.folders.set(folder, names.join("\n"));
  return names;
}

/** Whether all files and folders are on disk as they were read. */
export function isUnchanged({ files, folders }: FileSnapshot): boolean {
  return (
    [...files].every(([path, text]) => readText(path) === text) &&
    [...folders].every(([folder, names]) => toolNamesIn(folder).join("\n") === names)
  );
}

const toolNamesIn = (folder: string): readonly string[] => listFolder(folder).filter(isLoadable);
