/** The command in this process, with streams in memory or those of a pseudo-terminal, without the cost of a process. */
import { EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough, Readable, Writable } from "node:stream";
import { withName, type Tool } from "@photon/core";
import { onTestFinished } from "vitest";
import { EventLog } from "../../../test/clients/event-log.ts";
import { runCli } from "../src/cli.ts";
import { runWith, type LoadTools } from "../src/commands/run.ts";
import type { CommandIO, Signal } from "../src/io.ts";
import { PseudoTerminal, type PseudoTerminalOptions } from "./pseudo-terminal.ts";
import { temporaryFolder, urlIn, type Ended, type TemporaryFolder } from "./temporary-folder.ts";

interface RunOptions {
  /** What is piped into it. Without it, stdin has ended. */
  readonly input?: string | Readable;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly signals?: EventEmitter;
}

type Execute = (args: readonly string[], io: CommandIO) => Promise<number>;

async function executeWith(
  execute: Execute,
  args: readonly string[],
  { input = "", env = {}, cwd = import.meta.dirname, signals = new EventEmitter() }: RunOptions,
): Promise<Ended> {
  const [output, errorOutput] = [new MemoryOutput(), new MemoryOutput()];
  const io: CommandIO = {
    input: typeof input === "string" ? Readable.from([Buffer.from(input)]) : input,
    output,
    errorOutput,
    env,
    cwd,
    signals,
  };
  const exitCode = await execute(args, io);
  return { stdout: output.text, stderr: errorOutput.text, exitCode };
}

export const runInProcess = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  executeWith(runCli, args, options);

export interface StartedInProcess {
  readonly exitCode: Promise<number>;
  readonly stderrLines: EventLog<string>;
  /** The address in its startup message. */
  readonly url: () => Promise<string>;
  readonly kill: (signal: Signal) => void;
}

/** Starts the command, which gets SIGTERM when the test ends. Its stdin stays open. */
export function startInProcess(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): StartedInProcess {
  const [errorOutput, signals] = [new PassThrough(), new EventEmitter()];
  const stderrLines = new EventLog<string>();
  createInterface({ input: errorOutput }).on("line", (line) => stderrLines.add(line));
  const io = { input: new PassThrough(), output: new MemoryOutput(), errorOutput, env, cwd, signals };
  const exitCode = runCli(args, io);
  const kill = (signal: Signal): void => void signals.emit(signal);
  onTestFinished(async () => {
    kill("SIGTERM");
    await exitCode;
  });
  return { exitCode, stderrLines, url: () => urlIn(stderrLines), kill };
}

/** Runs the command in a pseudo-terminal, which is closed when the test ends. */
export function openInProcess(args: readonly string[], options: PseudoTerminalOptions): PseudoTerminal {
  const terminal = new PseudoTerminal((io) => runCli(args, io), options);
  onTestFinished(() => terminal.close());
  return terminal;
}

interface Called extends RunOptions {
  readonly place?: TemporaryFolder;
}

/** `photon call`. */
export function callInProcess(args: readonly string[], called: Called = {}): Promise<Ended> {
  const { env = {}, place = temporaryFolder(), ...rest } = called;
  return runInProcess(["call", ...args], { ...rest, env: { ...place.env, ...env }, cwd: place.folder });
}

interface RunTools extends RunOptions {
  /** Loads the tools in the place of those that are given. */
  readonly load?: LoadTools;
}

/** `photon run`, with tools that are written in the test, by the names of their exports. */
export async function runTools(
  tools: Readonly<Record<string, Tool<never>>>,
  args: readonly string[],
  { load, ...options }: RunTools = {},
): Promise<Ended> {
  const named = Object.entries(tools).map(([name, tool]) => withName(tool, name));
  const given: LoadTools = () => Promise.resolve({ tools: named });
  return executeWith(runWith(load ?? given).execute, args, options);
}

class MemoryOutput extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
