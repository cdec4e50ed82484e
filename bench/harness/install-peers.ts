/** Installs the packages of other servers, which are apart from the workspaces: once, and again when their lockfile changes. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const folder = fileURLToPath(new URL("../../peers", import.meta.url));

export async function installPeers(say: (words: string) => void): Promise<void> {
  // Says what is installed: a copy of the lockfile, made after the last file is in place.
  const stamp = join(folder, "node_modules/.installed");
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const installed = await readFile(stamp, "utf8").catch(() => "");
  if (installed === wanted) return;
  say("installing the servers to compare with, into bench/peers");
  await promisify(execFile)("npm", ["ci", "--ignore-scripts"], { cwd: folder });
  await writeFile(stamp, wanted);
}
