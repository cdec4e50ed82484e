/** The time of a start: of servers on stdio until the response to `initialize`, of other commands until the exit. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { capabilities, clientInfo } from "../client/call-message.ts";
import { FLOOR } from "../harness/servers.ts";
import type { Measure, Plan } from "../harness/plan.ts";
import type { Row, Sample } from "../harness/table.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { BARE, FILES, otherCommands, serverCommands, type StartupCommand } from "./startup-commands.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const params = { protocolVersion: "2025-06-18", capabilities, clientInfo };
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
const columns = { time: { title: "time", unit: "milliseconds", isCompared: true } } as const;

export const startup: Measure = {
  name: "startup",
  about: "from the start of a process to its answered initialize",
  async run(plan) {
    const folder = mkdtempSync(join(tmpdir(), "photon-startup-"));
    try {
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      const photon = join(root, "packages/cli/bin/photon.js");
      const servers = Object.fromEntries(
        Object.entries(serverCommands(photon)).filter(([, { label }]) => plan.includes(label)),
      );
      return [
        {
          title: "Start to the answered initialize, on stdio",
          floor: FLOOR,
          columns,
          rows: await measureStarts(folder, "a server", servers, plan),
        },
        {
          title: "Commands, to their end",
          floor: BARE,
          columns,
          rows: await measureStarts(folder, "a command", otherCommands(photon), plan),
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureStarts(
  cwd: string,
  where: string,
  commands: Readonly<Record<string, StartupCommand>>,
  plan: Plan,
): Promise<readonly Row[]> {
  const samplers = Object.entries(commands).map(([who, command]) => ({
    where,
    who,
    sample: () => timeOf(who, command, cwd),
  }));
  // Warm rounds, so that the compile cache and the system's file cache are filled.
  return runWarmRounds(samplers, plan);
}

/** The time from the start of a process until it is ready. */
async function timeOf(
  name: string,
  { args, isServer, isCold = false }: StartupCommand,
  cwd: string,
): Promise<Sample> {
  const cache = join(cwd, isCold ? ".cold" : ".cache");
  if (isCold) rmSync(cache, { recursive: true, force: true });
  const env = { PATH: process.env["PATH"], HOME: cwd, XDG_CACHE_HOME: cache };
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(child, "exit");
  try {
    if (isServer) {
      child.stdin.write(initialize);
      await waitForResponse(child.stdout, name);
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

async function waitForResponse(stdout: Readable, name: string): Promise<void> {
  let output = "";
  for await (const part of stdout) {
    output += String(part);
    if (output.includes('"id":1')) return;
  }
  throw new Error(`${name} ended without a response.`);
}
