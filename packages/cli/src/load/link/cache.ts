/**
 * What was compiled once, kept on disk.
 *
 *   1. A name is made of everything the content depends on, so nothing in it is ever out of date.
 *   2. Writing is a rename: a reader sees a whole entry or none, however many processes start at once.
 *   3. Only this user can write to it. Where that cannot be had, a folder of this process alone takes its place.
 *   4. What nobody has used for a month goes.
 */
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeCrypto } from "../../node-crypto.ts";
import { CannotLoad } from "../cannot-load.ts";
import { textOf } from "../on-disk.ts";
import { cacheFolder } from "./cache-folder.ts";
import { isOurs } from "./own-folder.ts";

const DAY = 24 * 60 * 60 * 1000;
const KEPT = 30 * DAY;

export interface Cache {
  read(name: string): string | undefined;
  /** Where an entry is, or will be. */
  pathOf(name: string): string;
  write(name: string, text: string): void;
}

/** The cache of this user; `folder` is another one, for those who want to keep them apart. */
export function openCache(folder: string = cacheFolder()): Cache {
  let home = folder;
  let isReady = false;

  function prepare(): void {
    if (isReady) return;
    isReady = true;
    if (!isOurs(folder)) home = ownFolder();
    else prune(folder);
  }

  return {
    read(name) {
      prepare();
      const path = join(home, name);
      const text = textOf(path);
      if (text !== undefined) keep(path);
      return text;
    },
    pathOf(name) {
      prepare();
      return join(home, name);
    },
    write(name, text) {
      prepare();
      const unfinished = join(home, `${nodeCrypto().randomUUID()}.unfinished`);
      try {
        writeFileSync(unfinished, text, { mode: 0o600 });
        renameSync(unfinished, join(home, name));
      } catch (error) {
        rmSync(unfinished, { force: true });
        const reason = error instanceof Error ? error.message : String(error);
        throw new CannotLoad(`The cache cannot be written to: ${reason}.`, { cause: error });
      }
    },
  };
}

/** What something is known by: a name that only the same parts have. */
export function nameFor(...parts: readonly string[]): string {
  const hash = nodeCrypto().createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("hex").slice(0, 32);
}

let temporary: string | undefined;

/** A folder of this process, gone when it ends. */
function ownFolder(): string {
  if (temporary === undefined) {
    const made = mkdtempSync(join(tmpdir(), "photon-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    temporary = made;
  }
  return temporary;
}

/** Notes, once a day, that an entry is in use. */
function keep(path: string): void {
  try {
    const now = Date.now();
    if (now - statSync(path).mtimeMs > DAY) utimesSync(path, now / 1000, now / 1000);
  } catch {
    // Gone in the meantime: it was read, and will be made anew.
  }
}

/** Once a day, takes out what has not been used for long. */
function prune(folder: string): void {
  const stamp = join(folder, "pruned");
  try {
    const now = Date.now();
    if (now - Number(textOf(stamp) ?? 0) < DAY) return;
    writeFileSync(stamp, String(now));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      // What Node keeps there is a folder: it goes as a whole, and is made anew.
      if (now - statSync(path).mtimeMs > KEPT) rmSync(path, { force: true, recursive: true });
    }
  } catch {
    // Another process is at it, or the disk is full: tomorrow is another day.
  }
}
