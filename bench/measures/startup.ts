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
import { BASELINE } from "../harness/servers.ts";
import type { Measure, BenchSettings } from "../harness/settings.ts";
import type { Row, Sample } from "../harness/table.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { BARE, FILES, otherCommands, serverCommands, type StartupCommand } from "./startup-commands.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const params = { protocolVersion: "2025-06-18", capabilities, clientInfo };
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
const EXIT_TIMEOUT_MS = 5_000;
const columns = { time: { title: "time", unit: "milliseconds", isCompared: true } } as const;

export const startup: Measure = {
  name: "startup",
  about: "from the start of a process to its answered initialize",
  async run(settings) {
    const folder = mkdtempSync(join(tmpdir(), "photon-startup-"));
    try {
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      const photon = join(root, "packages/cli/bin/photon.js");
      const servers = Object.fromEntries(
        Object.entries(serverCommands(photon)).filter(([, { label }]) => settings.includes(label)),
      );
      return [
        {
          title: "Start to the answered initialize, on stdio",
          baseline: BASELINE,
          columns,
          rows: await measureStarts(folder, "a server", servers, settings),
        },
        {
          title: "Commands, to their end",
          baseline: BARE,
          columns,
          rows: await measureStarts(folder, "a command", otherCommands(photon), settings),
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureStarts(
  cwd: string,
  scenario: string,
  commands: Readonly<Record<string, StartupCommand>>,
  settings: BenchSettings,
): Promise<readonly Row[]> {
  const samplers = Object.entries(commands).map(([variant, command]) => ({
    scenario,
    variant,
    sample: () => timeOf(variant, command, cwd),
  }));
  // Warm rounds, so that the compile cache and the system's file cache are filled.
  return runWarmRounds(samplers, settings);
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
    // Photon exits, and Node writes the compile cache. Killed, it would not.
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), EXIT_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
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
