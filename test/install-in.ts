/** Installs packages that are apart from the workspaces, in folders with a lockfile of their own: once, and again when that changes. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Installs what the lockfile of a folder says, unless it is there already. */
export async function installIn(folder: string): Promise<void> {
  // Says what is installed: a copy of the lockfile, made after the last file is in place.
  const stamp = join(folder, "node_modules/.installed");
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const installed = await readFile(stamp, "utf8").catch(() => "");
  if (installed === wanted) return;
  await promisify(execFile)("npm", ["ci"], { cwd: folder });
  await writeFile(stamp, wanted);
}
