import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where packages of libfaketime put it: in a folder of the architecture, or of its own. */
const FOLDERS = ["/usr/lib", "/usr/local/lib", "/opt/homebrew/lib"];

/**
 * The environment of a process whose wall clock libfaketime moves. The monotonic clock stays as it is, as when an administrator
 * or NTP sets the clock.
 *
 * The `faketime` command is not used: it leaves a semaphore behind, named by its process id, and fails when it finds one.
 */
export function fakeClock(
  offset: { readonly FAKETIME: string } | { readonly FAKETIME_TIMESTAMP_FILE: string },
): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: findLibrary(),
    FAKETIME_NO_CACHE: "1",
    // Both names are in use, by version.
    DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
    ...offset,
  };
}

/** Removes what libfaketime leaves behind of a process that was killed: the next process with the same id would fail. */
export function removeFakeClock(pid: number | undefined): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
    rmSync(join("/dev/shm", name), { force: true });
}

function findLibrary(): string {
  const candidates = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    ["", ...readdirSync(folder)].map((name) => join(folder, name, "faketime", "libfaketimeMT.so.1")),
  );
  const library = candidates.find((path) => existsSync(path));
  if (library === undefined)
    throw new Error("libfaketime is not installed; run node scripts/install-test-tools.mjs");
  return library;
}
