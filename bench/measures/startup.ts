/** What it takes to start: commands to their end, servers on stdio to the answered `initialize`. Whole processes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { capabilities, clientInfo } from "../client/call-text.ts";
import { FLOOR } from "../harness/contestants.ts";
import type { Measure, Plan } from "../harness/plan.ts";
import type { Row, Sample } from "../harness/table.ts";
import { takeWarmTurns } from "../harness/take-turns.ts";
import { BARE, commands, FILES, starts, type Way } from "./startup-ways.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const params = { protocolVersion: "2025-06-18", capabilities, clientInfo };
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
const columns = { time: { title: "time", unit: "milliseconds", isCompared: true } } as const;

export const startup: Measure = {
  name: "startup",
  about: "from the start of a process to its answered initialize",
  async take(plan) {
    const folder = mkdtempSync(join(tmpdir(), "photon-startup-"));
    try {
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      const photon = join(root, "packages/cli/bin/photon.js");
      const servers = Object.fromEntries(
        Object.entries(starts(photon)).filter(([, { label }]) => plan.includes(label)),
      );
      return [
        {
          title: "Start to the answered initialize, on stdio",
          floor: FLOOR,
          columns,
          rows: await timedIn(folder, "a server", servers, plan),
        },
        {
          title: "Commands, to their end",
          floor: BARE,
          columns,
          rows: await timedIn(folder, "a command", commands(photon), plan),
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function timedIn(
  cwd: string,
  where: string,
  ways: Readonly<Record<string, Way>>,
  plan: Plan,
): Promise<readonly Row[]> {
  const turns = Object.entries(ways).map(([who, way]) => ({
    where,
    who,
    take: () => timeOf(who, way, cwd),
  }));
  // Caches too, ours and the system's.
  return takeWarmTurns(turns, plan);
}

/** How long a process takes to be ready. */
async function timeOf(name: string, { args, isServer, isCold = false }: Way, cwd: string): Promise<Sample> {
  const cache = join(cwd, isCold ? ".cold" : ".cache");
  if (isCold) rmSync(cache, { recursive: true, force: true });
  const env = { PATH: process.env["PATH"], HOME: cwd, XDG_CACHE_HOME: cache };
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(child, "exit");
  try {
    if (isServer) {
      child.stdin.write(initialize);
      await answerIn(child.stdout, name);
    } else {
      child.stdout.resume();
      await exited;
      if (child.exitCode !== 0) throw new Error(`${name} failed.`);
    }
    return { time: performance.now() - start };
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

async function answerIn(stdout: Readable, name: string): Promise<void> {
  let said = "";
  for await (const part of stdout) {
    said += String(part);
    if (said.includes('"id":1')) return;
  }
  throw new Error(`${name} ended without an answer.`);
}
