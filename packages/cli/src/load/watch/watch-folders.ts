/**
 * Tells of every change in a set of folders.
 *
 * The operating system is asked to tell; only a folder for which it cannot
 * (too many watches, a network drive) is looked at again and again.
 */
import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, join } from "node:path";
import { listOf } from "../on-disk.ts";

/** How often a folder is looked at that the system does not tell of. */
const POLL = 200;

export interface FolderWatch {
  /** Watches these folders from now on, and no others. */
  set(folders: ReadonlySet<string>): void;
  close(): void;
}

interface Open {
  /** Which folder it was: a new one in its place is another. */
  readonly identity: string;
  close(): void;
}

/** `watchFolder` is Node's `fs.watch`, unless somebody plays it. */
export function watchFolders(
  onChange: (path: string | undefined) => void,
  watchFolder: (folder: string) => FSWatcher = watch,
): FolderWatch {
  const open = new Map<string, Open>();

  function openFolder(folder: string): void {
    const identity = identityOf(folder);
    const poll = (): void => void open.set(folder, { identity, close: pollFolder(folder, onChange) });
    try {
      const watcher = watchFolder(folder);
      open.set(folder, { identity, close: () => watcher.close() });
      watcher.on("change", (_, name) => {
        // The folder itself went away, or was moved: whatever is there now is another one.
        if (name === basename(folder)) closeFolder(folder);
        onChange(name === null || name === basename(folder) ? undefined : join(folder, String(name)));
      });
      watcher.on("error", () => {
        watcher.close();
        if (open.has(folder)) poll();
        onChange(undefined);
      });
    } catch {
      poll();
    }
  }

  function closeFolder(folder: string): void {
    open.get(folder)?.close();
    open.delete(folder);
  }

  return {
    set(folders) {
      for (const [folder, { identity }] of open)
        if (!folders.has(folder) || identity !== identityOf(folder)) closeFolder(folder);
      for (const folder of folders) if (!open.has(folder)) openFolder(folder);
    },
    close() {
      for (const folder of open.keys()) closeFolder(folder);
    },
  };
}

function identityOf(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false });
  // A number may be given again; the time of birth is another.
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}

/** Looks at a folder again and again; returns what ends it. */
function pollFolder(folder: string, onChange: (path: string | undefined) => void): () => void {
  let before = snapshotOf(folder);
  const timer = setInterval(() => {
    const now = snapshotOf(folder);
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
      (name) => before.get(name) !== now.get(name),
    );
    before = now;
    for (const name of changed) onChange(join(folder, name));
  }, POLL);
  return () => clearInterval(timer);
}

function snapshotOf(folder: string): ReadonlyMap<string, string> {
  return new Map(
    listOf(folder).map((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      return [name, stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`];
    }),
  );
}
