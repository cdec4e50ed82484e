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
import { fileURLToPath } from "node:url";
import { installIn } from "../install-in.ts";

export const folder = fileURLToPath(new URL(".", import.meta.url));
export const root = fileURLToPath(new URL("../..", import.meta.url));
/** The MCP Inspector: its web page, or with `--cli` its command line. */
export const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const node22 = `${folder}node_modules/node/bin/node`;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Installs what the lockfile says, unless it is there already. */
export const install = (): Promise<void> => installIn(folder);

/** Runs a file of an installed package on Node 22, in the root of the project; `home` is where it may keep things. */
export function runOnNode22(file: string, args: readonly string[], home: string): Promise<Ended> {
  return ended(startOnNode22(file, args, { HOME: home }));
}

/** The same, for what goes on until somebody ends it. */
export function startOnNode22(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const script = `${folder}node_modules/${file}`;
  return spawn(node22, [script, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: "pipe",
  });
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
