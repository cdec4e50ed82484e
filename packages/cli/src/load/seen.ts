/** What a load looked at, kept also when it fails: what is watched, and what it is compared with. */
import { mayHoldTools } from "./find/file-kinds.ts";
import { listOf, textOf } from "./on-disk.ts";

export interface Seen {
  /** Files with the text that was read; nothing for one that was looked for in vain. */
  readonly files: Map<string, string | undefined>;
  /** Folders that were looked through, with the names in them that count. */
  readonly folders: Map<string, string>;
}

export const nothingSeen = (): Seen => ({ files: new Map(), folders: new Map() });

/** Reads a file, once: a load sees each file as it was when it first came to it. */
export function readSeen(path: string, seen: Seen): string | undefined {
  if (seen.files.has(path)) return seen.files.get(path);
  const text = textOf(path);
  seen.files.set(path, text);
  return text;
}

/** Whether everything is on disk as it was seen. */
export function isAsSeen({ files, folders }: Seen): boolean {
  return (
    [...files].every(([path, text]) => textOf(path) === text) &&
    [...folders].every(([folder, names]) => namesIn(folder).join("\n") === names)
  );
}

/** Looks through a folder for files that may hold tools, and notes what is there. */
export function listSeen(folder: string, seen: Seen): readonly string[] {
  const names = namesIn(folder);
  seen.folders.set(folder, names.join("\n"));
  return names;
}

const namesIn = (folder: string): readonly string[] => listOf(folder).filter(mayHoldTools);
