/** What a start does not load, so that it is fast: dependencies such as express and ajv, and the HTTP of Node. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { FILES } from "../../bench/measures/startup-commands.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const photon = join(root, "packages/cli/bin/photon.js");
const probe = fileURLToPath(new URL("loaded.mjs", import.meta.url));
const patient = { timeout: 60_000 };

const clientInfo = { name: "counts", version: "1" };
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;

interface Loaded {
  readonly files: readonly string[];
  readonly builtins: readonly string[];
}

function toolFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "photon-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** What `photon` loads until it has written something and its stdin has ended. */
async function loadedBy(folder: string, ...args: readonly string[]): Promise<Loaded> {
  const child = spawn(process.execPath, ["--import", probe, photon, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, XDG_CACHE_HOME: join(folder, ".cache") },
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  // As `stdio` above has them.
  const [stdin, stdout, , fourth] = child.stdio as unknown as [Writable, Readable, null, Readable];
  const loaded = fourth.setEncoding("utf8").toArray();
  stdin.write(initialize);
  await once(stdout, "data");
  stdin.end();
  return JSON.parse((await loaded).join("")) as Loaded;
}

const dependencies = (files: readonly string[]): readonly string[] =>
  files.filter((file) => file.includes("/node_modules/"));

it.each(["greet.photon.js", "typed.photon.ts"])(
  "`photon serve %s` over stdio loads no dependency, and no HTTP of Node",
  patient,
  async (tool) => {
    const folder = toolFolder();
    // The first start compiles the tool.
    await loadedBy(folder, "serve", tool);

    const { files, builtins } = await loadedBy(folder, "serve", tool);

    expect(dependencies(files)).toEqual([]);
    expect(builtins.filter((name) => ["http", "https", "http2", "tls", "crypto"].includes(name))).toEqual([]);
  },
);

it("`photon --help` loads neither dependencies nor the server", patient, async () => {
  const { files } = await loadedBy(toolFolder(), "--help");

  expect(dependencies(files)).toEqual([]);
  expect(files.filter((file) => file.includes("/packages/server/"))).toEqual([]);
});
