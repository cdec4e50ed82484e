/** `photon call` in this process, with streams in the place of pipes: what it does, without what a process costs. */
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { photon } from "../../src/photon.ts";
import type { World } from "../../src/world.ts";
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
  const world: World = {
    input: Readable.from([Buffer.from(input)]),
    output,
    errorOutput,
    env: { ...place.env, ...env },
    cwd: place.folder,
    signals: new EventEmitter(),
  };
  const exitCode = await photon(["call", ...args], world);
  return { stdout: output.text, stderr: errorOutput.text, exitCode };
}
