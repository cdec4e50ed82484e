/**
 * The Node 22 of this folder, and what is installed beside it.
 *
 * The conformance suites and the Inspector need a newer Node than Photon does, so
 * they are a package of their own, outside the workspaces.
 *
 *   1. This Node is called by its path. It is never the Node of anything else.
 *   2. What is installed is what the lockfile says, whenever that changes.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export const folder = fileURLToPath(new URL(".", import.meta.url));
export const root = fileURLToPath(new URL("../..", import.meta.url));
const node22 = `${folder}node_modules/node/bin/node`;
/** Says what is installed: a copy of the lockfile, made after the last file is in place. */
const stamp = `${folder}node_modules/.installed`;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Installs what the lockfile says, unless it is there already. */
export async function install(): Promise<void> {
  const wanted = await readFile(`${folder}package-lock.json`, "utf8");
  const installed = await readFile(stamp, "utf8").catch(() => "");
  if (installed === wanted) return;
  const { code, stderr } = await ended(spawn("npm", ["ci"], { cwd: folder, stdio: "pipe" }));
  if (code !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`);
  await writeFile(stamp, wanted);
}

/** Runs a file of an installed package on Node 22, in the root of the project; `home` is where it may keep things. */
export function runOnNode22(file: string, args: readonly string[], home: string): Promise<Ended> {
  const script = `${folder}node_modules/${file}`;
  const env = { ...process.env, HOME: home };
  return ended(spawn(node22, [script, ...args], { cwd: root, env, stdio: "pipe" }));
}

/** What a process wrote and how it ended. */
async function ended(child: ChildProcess): Promise<Ended> {
  child.stdin?.end();
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  const [stdout, stderr] = await Promise.all([
    child.stdout?.setEncoding("utf8").toArray(),
    child.stderr?.setEncoding("utf8").toArray(),
  ]);
  return { code: await code, stdout: stdout?.join("") ?? "", stderr: stderr?.join("") ?? "" };
}
