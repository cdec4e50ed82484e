/** Where a change could make a difference to what was loaded. */
import { dirname, sep } from "node:path";
import { mayHoldTools } from "../find/file-kinds.ts";
import { isFolder } from "../on-disk.ts";
import type { Seen } from "../seen.ts";

/** The folders to watch; for one that is not there, the nearest above it that is. */
export function foldersToWatch({ files, folders }: Seen): ReadonlySet<string> {
  const wanted = [...[...files.keys()].map((file) => dirname(file)), ...folders.keys()];
  return new Set(wanted.map(nearestFolder));
}

function nearestFolder(folder: string): string {
  const above = dirname(folder);
  return isFolder(folder) || above === folder ? folder : nearestFolder(above);
}

/** Whether a change of this path counts: a file, one that may hold tools, or a folder on the way to one. */
export function concerns(path: string, { files, folders }: Seen): boolean {
  if (files.has(path) || folders.has(path)) return true;
  if (folders.has(dirname(path)) && mayHoldTools(path)) return true;
  const within = `${path}${sep}`;
  return [...files.keys(), ...folders.keys()].some((seen) => seen.startsWith(within));
}
