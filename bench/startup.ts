/**
 * What it takes to start: `photon --version` to its end, servers on stdio to the answered `initialize`.
 *
 * Whole processes, in turns, so that a busy machine is busy for all; the figures are medians and best times, with
 * their ratios to a bare Node that does the least there is to do. fastmcp, which wants a hundred packages, is
 * installed into a temporary folder, without install scripts.
 *
 * Usage: npm run build && node bench/dist/startup.js [--rounds 15] [--ours]
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { FILES, PEER, waysOf, type Way } from "./startup-ways.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, ours: { type: "boolean", default: false } },
});
const ROUNDS = Number(values.rounds);
const root = fileURLToPath(new URL("../..", import.meta.url));

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

const folder = mkdtempSync(join(tmpdir(), "photon-startup-"));
try {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const peer = values.ours ? undefined : installPeer(join(folder, "peer"));
  await measure(waysOf(join(root, "packages/cli/bin/photon.js"), peer), folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Gives back the program that serves with it. */
function installPeer(into: string): string {
  mkdirSync(into);
  writeFileSync(join(into, "package.json"), JSON.stringify({ type: "module", private: true }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--silent"];
  execFileSync("npm", ["install", ...options, PEER.package], { cwd: into, stdio: "inherit" });
  const file = join(into, PEER.file);
  writeFileSync(file, PEER.text);
  return file;
}

async function measure(ways: Readonly<Record<string, Way>>, cwd: string): Promise<void> {
  const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  // The first two rounds fill caches, ours and the system's.
  for (let round = -2; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const took = await timed(name, way, cwd);
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  console.log(`Start-up, ${ROUNDS} processes each (Node ${process.version}):`);
  console.log(`  ${"".padEnd(40)}      median        best`);
  for (const isServer of [false, true]) {
    const kind = [...times].filter(([name]) => ways[name]?.isServer === isServer);
    const floor = kind[0]?.[1] ?? [];
    for (const [name, took] of kind)
      console.log(`  ${name.padEnd(40)} ${figure(median, took, floor)} ${figure(best, took, floor)}`);
  }
}

/** How long a process takes to be ready, in milliseconds. */
async function timed(name: string, { args, isServer, isCold = false }: Way, cwd: string): Promise<number> {
  const cache = join(cwd, isCold ? ".cold" : ".cache");
  if (isCold) rmSync(cache, { recursive: true, force: true });
  const env = { PATH: process.env["PATH"], HOME: cwd, XDG_CACHE_HOME: cache };
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(child, "exit");
  if (isServer) {
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    await answerIn(child.stdout, name);
  } else {
    child.stdout.resume();
    await exited;
    if (child.exitCode !== 0) throw new Error(`${name} failed.`);
  }
  const took = performance.now() - start;
  child.kill("SIGKILL");
  await exited;
  return took;
}

async function answerIn(stdout: Readable, name: string): Promise<void> {
  let said = "";
  for await (const part of stdout) {
    said += String(part);
    if (said.includes('"id":1')) return;
  }
  throw new Error(`${name} ended without an answer.`);
}

function figure(
  of: (times: readonly number[]) => number,
  took: readonly number[],
  floor: readonly number[],
): string {
  return `${of(took).toFixed(0).padStart(5)} ms ${(of(took) / of(floor)).toFixed(2).padStart(5)}×`;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

function best(figures: readonly number[]): number {
  return Math.min(...figures);
}
