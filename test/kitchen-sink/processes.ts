/** Programs of this repository in processes of their own, built as they are for everybody. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** The path of something in this repository. */
export const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const root: string = at(".");
export const photon: string = at("packages/cli/bin/photon.js");
export const kitchenSink: string = at("examples/kitchen-sink");

/** The environment of this process, with more in it. */
export function environmentWith(more: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { ...Object.fromEntries(own), ...more };
}

/** Starts a built example that listens on a free port; gives back its address, and what ends it. */
export async function startExample(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, [at(`examples/dist/${name}/main.js`)], {
    env: environmentWith({ PORT: "0", ...environment }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const url = await addressIn(child.stdout);
  if (url === undefined) throw new Error(`${name} told no address. ${errors.join("")}`);
  return { url, close: () => end(child) };
}

/** The first address that is printed. */
async function addressIn(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const address = /http:\/\/[\w.:]+\d/.exec(line)?.[0];
    if (address !== undefined) return address;
  }
  return undefined;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
