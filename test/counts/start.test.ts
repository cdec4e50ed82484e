/** What `photon serve` loads before it answers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { FILES } from "../../bench/measures/startup-ways.ts";
import { verifies } from "../requirements.ts";
import { start } from "./bounds.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const photon = join(root, "packages/cli/bin/photon.js");
const thin = join(root, "bench/dist/serve-thin.js");
const probe = fileURLToPath(new URL("loaded.mjs", import.meta.url));
const patient = { timeout: 60_000 };

const tools = [
  { language: "JavaScript", tool: "greet.photon.js" },
  { language: "TypeScript", tool: "typed.photon.ts" },
] as const;

const clientInfo = { name: "counts", version: "1" };
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;

interface Loaded {
  /** By the addresses of files: how many characters they have. */
  readonly files: Readonly<Record<string, number>>;
  readonly builtins: readonly string[];
}

/** A folder that has the tools which are served. */
function toolFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "photon-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** What a server on stdio loads that is asked to initialize, and then left. */
async function loadedBy(folder: string, ...args: readonly string[]): Promise<Loaded> {
  const child = spawn(process.execPath, ["--import", probe, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, XDG_CACHE_HOME: join(folder, ".cache") },
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  // As many pipes as were wanted above: one in, two out.
  const [stdin, stdout, , fourth] = child.stdio as unknown as [Writable, Readable, null, Readable];
  const told = fourth.setEncoding("utf8").toArray();
  stdin.write(initialize);
  await once(stdout, "data");
  stdin.end();
  return JSON.parse((await told).join("")) as Loaded;
}

it.each(tools)(
  verifies("F4", "loads few files to serve a tool in $language over stdio"),
  patient,
  async ({ tool }) => {
    const folder = toolFolder();
    // What is compiled is kept for the next time.
    await loadedBy(folder, photon, "serve", tool);

    const { files } = await loadedBy(folder, photon, "serve", tool);

    const ours = Object.entries(files).filter(([file]) => !file.includes(folder));
    const characters = ours.map(([, length]) => length).reduce((sum, length) => sum + length, 0);
    expect(ours.length).toBeLessThanOrEqual(start.files);
    expect(characters).toBeLessThanOrEqual(start.characters);
  },
);

it.each(tools)(
  verifies("F4", "does without the parts of Node that a start needs not, for a tool in $language"),
  patient,
  async ({ tool }) => {
    const folder = toolFolder();
    const { builtins: needed } = await loadedBy(folder, thin, "stdio", "0");
    await loadedBy(folder, photon, "serve", tool);

    const { builtins } = await loadedBy(folder, photon, "serve", tool);

    const more = builtins.filter((name) => !needed.includes(name)).toSorted();
    expect(start.builtins).toEqual(expect.arrayContaining(more));
  },
);
