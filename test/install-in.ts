/** Installs packages that are apart from the workspaces, in folders with a lockfile of their own: once, and again when that changes. */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** After this time npm is killed, and a lock is no longer held. */
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** How often a waiting process tries to acquire the lock. */
const POLL_MS = 100;

/** Installs what the lockfile of a folder says, unless it is there already. One process installs, others wait for it. */
export async function installIn(folder: string): Promise<void> {
  // Says what is installed: a copy of the lockfile, made after the last file is in place.
  const stamp = join(folder, "node_modules/.installed");
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const isInstalled = async (): Promise<boolean> =>
    (await readFile(stamp, "utf8").catch(() => "")) === wanted;
  if (await isInstalled()) return;
  const release = await acquireLock(lockOf(folder));
  try {
    if (await isInstalled()) return;
    await promisify(execFile)("npm", ["ci"], { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
    await writeFile(stamp, wanted);
  } finally {
    await release();
  }
}

/** The lock of a folder. It is outside, because `npm ci` removes `node_modules`, and others would find it in the folder. */
export const lockOf = (folder: string): string =>
  join(tmpdir(), `photon-install-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);

/**
 * The lock is a folder that contains its owner. Renaming is atomic, and never replaces a folder that is not empty: only
 * one process acquires the lock, and of several that find the owner gone, only one removes it.
 */
async function acquireLock(lock: string): Promise<() => Promise<void>> {
  const owner = `${process.pid}.${randomUUID()}`;
  const claim = await mkdtemp(`${lock}-`);
  await writeFile(join(claim, "owner"), owner);
  const removed: string[] = [];
  while (!(await isRenamed(claim, lock))) {
    const other = await readFile(join(lock, "owner"), "utf8").catch(() => undefined);
    const isLeft = other !== undefined && (isGone(Number.parseInt(other, 10)) || (await isOld(lock)));
    if (isLeft && (await isRenamed(lock, `${lock}.${other}`))) removed.push(`${lock}.${other}`);
    else await delay(POLL_MS);
  }
  return async () => {
    if (await isRenamed(lock, `${lock}.${owner}`)) removed.push(`${lock}.${owner}`);
    for (const folder of removed) await rm(folder, { recursive: true, force: true });
  };
}

const isRenamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    () => false,
  );

/** A process that was killed leaves its lock. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Another process may have the id of one that was killed. */
const isOld = async (lock: string): Promise<boolean> => {
  const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > INSTALL_TIMEOUT_MS;
};
