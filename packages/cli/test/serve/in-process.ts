/** The command without a process of its own: what it does, without what a process costs. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { Happenings } from "../../../../test/scenarios/happenings.ts";
import { runCli } from "../../src/cli.ts";
import type { CommandIO, Signal } from "../../src/io.ts";
import { PseudoTerminal, type PseudoTerminalOptions } from "../run/pseudo-terminal.ts";
import { urlIn, type Ended } from "./workshop.ts";

type Env = Readonly<Record<string, string>>;

export async function photonHere(args: readonly string[], cwd: string, env: Env = {}): Promise<Ended> {
  const { io, output, errorOutput } = streams(cwd, env);
  const stdout = text(output);
  const stderr = text(errorOutput);
  io.input.end();
  const exitCode = await runCli(args, io);
  output.end();
  errorOutput.end();
  return { stdout: await stdout, stderr: await stderr, exitCode };
}

/** A command that goes on until it gets a signal, at the latest at the end of the test. */
export interface StartedHere {
  readonly said: Happenings<string>;
  readonly exitCode: Promise<number>;
  /** Where it listens, once it says so. */
  readonly url: () => Promise<string>;
  readonly kill: (signal: Signal) => void;
}

export function startHere(args: readonly string[], cwd: string, env: Env = {}): StartedHere {
  const { io, output, errorOutput } = streams(cwd, env);
  const said = new Happenings<string>();
  createInterface({ input: errorOutput }).on("line", (line) => said.add(line));
  output.resume();
  const exitCode = runCli(args, io);
  const kill = (signal: Signal): void => void io.signals.emit(signal);
  onTestFinished(async () => {
    kill("SIGTERM");
    await exitCode;
  });
  return { said, exitCode, url: () => urlIn(said), kill };
}

/** A command in a terminal. */
export function openHere(args: readonly string[], options: PseudoTerminalOptions): PseudoTerminal {
  const terminal = new PseudoTerminal((io) => runCli(args, io), options);
  onTestFinished(() => terminal.close());
  return terminal;
}

function streams(cwd: string, env: Env) {
  const [input, output, errorOutput] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  const io = { input, output, errorOutput, env, cwd, signals } satisfies CommandIO;
  return { io, output, errorOutput };
}
