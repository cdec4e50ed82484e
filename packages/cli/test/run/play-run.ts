/** `photon run` in this process, without a terminal: its tools are written in the test, its streams are in memory. */
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { withName, type Tool } from "@photon/core";
import { runWith, type LoadTools } from "../../src/commands/run.ts";
import type { CommandIO } from "../../src/io.ts";

export interface Played {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

interface Scene {
  /** What is piped into it; nothing: stdin has ended. */
  readonly input?: string | Readable;
  readonly cwd?: string;
  readonly signals?: EventEmitter;
  /** Loads the tools in the place of those that are given. */
  readonly load?: LoadTools;
}

/** Runs what was typed, with tools by the names of their exports. */
export async function playRun(
  tools: Readonly<Record<string, Tool<never>>>,
  args: readonly string[],
  { input = "", cwd = import.meta.dirname, signals = new EventEmitter(), load }: Scene = {},
): Promise<Played> {
  const output = new Memory();
  const errorOutput = new Memory();
  const io: CommandIO = {
    input: typeof input === "string" ? Readable.from([Buffer.from(input)]) : input,
    output,
    errorOutput,
    env: {},
    cwd,
    signals,
  };
  const named = Object.entries(tools).map(([name, tool]) => withName(tool, name));
  const given: LoadTools = () => Promise.resolve({ tools: named });
  const exitCode = await runWith(load ?? given).execute(args, io);
  return { stdout: output.text, stderr: errorOutput.text, exitCode };
}

/** An output that keeps what is written to it. */
class Memory extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
