/** The command without a process of its own: for what is refused before anything begins. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { runCli } from "../../src/cli.ts";
import type { Ended } from "./workshop.ts";

export async function photonHere(args: readonly string[], cwd: string): Promise<Ended> {
  const [input, output, errorOutput] = [new PassThrough().end(), new PassThrough(), new PassThrough()];
  const stdout = text(output);
  const stderr = text(errorOutput);
  const exitCode = await runCli(args, {
    input,
    output,
    errorOutput,
    env: {},
    cwd,
    signals: new EventEmitter(),
  });
  output.end();
  errorOutput.end();
  return { stdout: await stdout, stderr: await stderr, exitCode };
}
