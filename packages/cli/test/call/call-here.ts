/** `photon call` in this process, with streams in the place of pipes: what it does, without what a process costs. */
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { runCli } from "../../src/cli.ts";
import type { CommandIO } from "../../src/io.ts";
import { workshop, type Ended, type Workshop } from "../serve/workshop.ts";

interface Called {
  /** What is piped into it; nothing: stdin has ended. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: Workshop;
}

/** Keeps what is written to it. */
class Kept extends Writable {
  text = "";

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

export async function callHere(args: readonly string[], called: Called = {}): Promise<Ended> {
  const { input = "", env = {}, place = workshop() } = called;
  const [output, errorOutput] = [new Kept(), new Kept()];
  const io: CommandIO = {
    input: Readable.from([Buffer.from(input)]),
    output,
    errorOutput,
    env: { ...place.env, ...env },
    cwd: place.folder,
    signals: new EventEmitter(),
  };
  const exitCode = await runCli(["call", ...args], io);
  return { stdout: output.text, stderr: errorOutput.text, exitCode };
}
