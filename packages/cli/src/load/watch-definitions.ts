/**
 * Loads definitions, and loads them again when a file changes that they came from.
 *
 *   1. A load that fails is reported, and changes nothing: what was loaded last stays. The next change is tried again.
 *   2. What is on disk is compared with what was read, so that no change is missed and none is made up.
 *   3. Loads come one after another, and after `close()` none.
 */
import { loadDefinitions, type Loaded } from "./load-definitions.ts";
import { textOf } from "./on-disk.ts";
import { isAsSeen, nothingSeen, type Seen } from "./seen.ts";
import { concerns, foldersToWatch } from "./watch/places-to-watch.ts";
import { watchFolders } from "./watch/watch-folders.ts";

/** Editors write in several steps: this long nothing may happen before a load, but no longer than that altogether. */
const QUIET = 40;
const LONGEST = 160;

export interface WatchOptions {
  readonly cwd: string;
  /** Told how long the load took, too. */
  readonly onLoaded: (loaded: Loaded, milliseconds: number) => void;
  /** A change could not be loaded: what was loaded before is still good. */
  readonly onBroken: (error: Error) => void;
}

export interface Watching {
  readonly first: Loaded;
  readonly close: () => Promise<void>;
}

/** Rejects where the first load fails: there is nothing yet to go on with. */
export async function watchDefinitions(
  paths: readonly string[],
  { cwd, onLoaded, onBroken }: WatchOptions,
): Promise<Watching> {
  let seen = nothingSeen();
  const first = await loadDefinitions(paths, { cwd, seen });
  let isBroken = false;
  let isClosed = false;
  let loading: Promise<void> = Promise.resolve();
  const soon = debounce(() => {
    const load = (): Promise<void> => reload().catch(failed);
    loading = loading.then(load, load);
  });
  const folders = watchFolders((path) => {
    if (path === undefined || concerns(path, seen)) soon.call();
  });

  async function reload(): Promise<void> {
    if (isClosed) return;
    if (isAsSeen(seen)) {
      // A folder may have been replaced by one that looks the same.
      folders.set(foldersToWatch(seen));
      return;
    }
    const now = nothingSeen();
    const begun = performance.now();
    try {
      const loaded = await loadDefinitions(paths, { cwd, seen: now });
      if (isClosed) return;
      const isNew = isBroken || !isSame(now, seen);
      seen = now;
      isBroken = false;
      if (isNew) onLoaded(loaded, performance.now() - begun);
    } catch (error) {
      seen = together(now, seen);
      failed(error);
    }
    if (!isClosed) watchAgain();
  }

  /** What could not even be looked at is told like what could not be loaded; the next change is tried again. */
  function failed(error: unknown): void {
    isBroken = true;
    if (!isClosed) onBroken(error instanceof Error ? error : new Error(String(error)));
  }

  /** What changed while it was not watched has gone unnoticed. */
  function watchAgain(): void {
    folders.set(foldersToWatch(seen));
    if (!isAsSeen(seen)) soon.call();
  }

  watchAgain();
  return {
    first,
    async close() {
      isClosed = true;
      soon.cancel();
      folders.close();
      await Promise.allSettled([loading]);
    },
  };
}

/** Whether two loads read the same. */
const isSame = (a: Seen, b: Seen): boolean =>
  a.files.size === b.files.size && [...a.files].every(([path, text]) => b.files.get(path) === text);

/** What a failed load saw, and what the last good one saw as it is now: mending either counts. */
function together(failed: Seen, good: Seen): Seen {
  const others = [...good.files.keys()].map((path) => [path, textOf(path)] as const);
  return {
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
        Math.max(0, Math.min(QUIET, since + LONGEST - now)),
      );
    },
    cancel: () => clearTimeout(timer),
  };
}
