/**
 * Loads definitions, and loads them again when one of their files changes.
 *
 *   1. A load that fails is reported, and the definitions that were loaded last stay. The next change is tried again. This holds for the first load
 *      as well, if there are tool files.
 *   2. The files are compared with the text that was read: no change is missed, and a file that was only touched is not loaded again.
 *   3. Loads do not overlap, and none begins after `close()`.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { isFolder, isLoadable, listFolder, readText } from "../sources/files.ts";
import { type Loaded, loadDefinitions } from "./load.ts";
import { onImport, trackImported } from "./module-loader.ts";
import { emptySnapshot, type FileSnapshot, isUnchanged } from "../sources/snapshot.ts";

/** Editors write in several steps: a load waits until nothing has happened for this long, */
const DEBOUNCE_MS = 40;
/** and no longer than this in all. */
const MAX_DEBOUNCE_MS = 160;
/** For folders that the operating system does not watch. */
const POLL_MS = 200;

export interface WatchOptions {
  readonly cwd: string;
  readonly onLoaded: (loaded: Loaded, milliseconds: number) => void;
  /** A version could not be loaded; what was loaded before is still valid. */
  readonly onFailed: (error: Error) => void;
}

export interface Watching {
  /** Undefined if the first load failed, which was reported. */
  readonly first: Loaded | undefined;
  readonly close: () => Promise<void>;
}

/** Rejects if there is no tool file. */
export async function watchDefinitions(
  paths: readonly string[],
  { cwd, onLoaded, onFailed }: WatchOptions,
): Promise<Watching> {
  let snapshot = emptySnapshot();
  let hasFailed = false;
  let isClosed = false;
  let loading: Promise<void> = Promise.resolve();
  const first = await loadDefinitions(paths, { cwd, snapshot }).catch((error: unknown) => {
    if (snapshot.entries.length === 0) throw error;
    fail(error);
    return undefined;
  });
  const soon = debounce(() => {
    const load = (): Promise<void> => reload().catch(fail);
    loading = loading.then(load, load);
  });
  const folders = watchFolders((path) => {
    if (path === undefined || concerns(path, snapshot)) soon.call();
  });
  // What a tool imports while it runs is watched from then on.
  const stopListening = onImport(() => soon.call());

  async function reload(): Promise<void> {
    if (isClosed) return;
    trackImported(snapshot);
    if (isUnchanged(snapshot)) {
      // A folder may have been replaced by one with the same files.
      folders.set(foldersToWatch(snapshot));
      return;
    }
    const now = emptySnapshot();
    const startedAt = performance.now();
    try {
      const loaded = await loadDefinitions(paths, { cwd, snapshot: now });
      if (isClosed) return;
      const isNew = hasFailed || !isSame(now, snapshot);
      snapshot = now;
      hasFailed = false;
      if (isNew) onLoaded(loaded, performance.now() - startedAt);
    } catch (error) {
      snapshot = merged(now, snapshot);
      fail(error);
    }
    if (!isClosed) watchAgain();
  }

  function fail(error: unknown): void {
    hasFailed = true;
    if (!isClosed) onFailed(error instanceof Error ? error : new Error(String(error)));
  }

  /** Also looks for changes from before the folders were watched. */
  function watchAgain(): void {
    folders.set(foldersToWatch(snapshot));
    if (!isUnchanged(snapshot)) soon.call();
  }

  watchAgain();
  return {
    first,
    async close() {
      isClosed = true;
      stopListening();
      soon.cancel();
      folders.close();
      await Promise.allSettled([loading]);
    },
  };
}

/** Whether two loads read the same. */
const isSame = (a: FileSnapshot, b: FileSnapshot): boolean =>
  a.files.size === b.files.size && [...a.files].every(([path, text]) => b.files.get(path) === text);

/** A failed load, and the files of the last good one as they are now: a change of either counts. */
function merged(failed: FileSnapshot, good: FileSnapshot): FileSnapshot {
  const others = [...good.files.keys()].map((path) => [path, readText(path)] as const);
  return {
    entries: failed.entries,
    files: new Map([...others, ...failed.files]),
    folders: new Map([...good.folders, ...failed.folders]),
  };
}

function debounce(act: () => void): { call(): void; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  return {
    call() {
      const now = Date.now();
      if (timer === undefined) since = now;
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          timer = undefined;
          act();
        },
        Math.max(0, Math.min(DEBOUNCE_MS, since + MAX_DEBOUNCE_MS - now)),
      );
    },
    cancel: () => clearTimeout(timer),
  };
}

/** The folders to watch; in place of one that is missing, the nearest above it. */
export function foldersToWatch({ files, folders }: FileSnapshot): ReadonlySet<string> {
  const all = [...[...files.keys()].map((file) => dirname(file)), ...folders.keys()];
  return new Set(all.map(nearestFolder));
}

function nearestFolder(folder: string): string {
  const above = dirname(folder);
  return isFolder(folder) || above === folder ? folder : nearestFolder(above);
}

/** Whether a change of this path counts: of a file that was read, one that may hold tools, or a folder above one. */
export function concerns(path: string, { files, folders }: FileSnapshot): boolean {
  if (files.has(path) || folders.has(path)) return true;
  if (folders.has(dirname(path)) && isLoadable(path)) return true;
  const inside = `${path}${sep}`;
  return [...files.keys(), ...folders.keys()].some((read) => read.startsWith(inside));
}

export interface FolderWatch {
  /** Watches these folders from now on, and no others. */
  set(folders: ReadonlySet<string>): void;
  close(): void;
}

interface WatchedFolder {
  /** A new folder in its place has another. */
  readonly identity: string;
  close(): void;
}

/**
 * Reports every change in a set of folders: from the operating system, or by polling where that is not possible (too many watches, a
 * network drive). `watchFolder` is replaced in tests.
 */
export function watchFolders(
  onChange: (path: string | undefined) => void,
  watchFolder: (folder: string) => FSWatcher = watch,
): FolderWatch {
  const open = new Map<string, WatchedFolder>();

  function openFolder(folder: string): void {
    const identity = identityOf(folder);
    const poll = (): void => void open.set(folder, { identity, close: pollFolder(folder, onChange) });
    try {
      const watcher = watchFolder(folder);
      open.set(folder, { identity, close: () => watcher.close() });
      watcher.on("change", (_, name) => {
        // The folder itself was removed or moved: what is there now is another one.
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
  // The number of an inode is used again, with another time of birth.
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}

/** Returns a function that stops it. */
function pollFolder(folder: string, onChange: (path: string | undefined) => void): () => void {
  let before = statsIn(folder);
  const timer = setInterval(() => {
    const now = statsIn(folder);
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
      (name) => before.get(name) !== now.get(name),
    );
    before = now;
    for (const name of changed) onChange(join(folder, name));
  }, POLL_MS);
  return () => clearInterval(timer);
}

function statsIn(folder: string): ReadonlyMap<string, string> {
  return new Map(
    listFolder(folder).map((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      return [name, stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`];
    }),
  );
}
