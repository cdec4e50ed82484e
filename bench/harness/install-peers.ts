/** Installs the packages of the other servers, outside the workspaces: once, and again when their lockfile changes. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const folder = fileURLToPath(new URL("../../peers", import.meta.url));

export async function installPeers(log: (line: string) => void): Promise<void> {
  // A copy of the installed lockfile, written when the installation is complete.
  const stamp = join(folder, "node_modules/.installed");
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const installed = await readFile(stamp, "utf8").catch(() => "");
  if (installed === wanted) return;
  log("installing the servers to compare with, into bench/peers");
  await promisify(execFile)("npm", ["ci", "--ignore-scripts"], { cwd: folder });
  await writeFile(stamp, wanted);
}
