/** A server in a process of its own, whose work is counted. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Address, Transport } from "../../bench/client/wire.ts";
import type { Counts } from "./bounds.ts";

const counter = fileURLToPath(new URL("counter.mjs", import.meta.url));
const program = fileURLToPath(new URL("serve.mjs", import.meta.url));

/** What is done must not depend on when V8 gets around to compiling it, nor to collecting what it leaves. */
const STEADY = [
  "--no-opt",
  "--no-lazy-feedback-allocation",
  "--no-flush-bytecode",
  "--expose-gc",
  "--min-semi-space-size=32",
  "--max-semi-space-size=32",
];

/** Until everything is made that is made once. */
const WARM_UP = 20;
const CALLS = 10;
const ROUNDS = 3;

export class CountedServer implements Address {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    const { stdin, stdout } = process;
    if (stdin === null || stdout === null) throw new Error("A server without pipes.");
    this.#process = process;
    this.stdin = stdin;
    this.stdout = stdout;
    this.port = port;
  }

  /** Starts one that ends with the test. */
  static async start(transport: Transport, tools = 3): Promise<CountedServer> {
    const args = [...STEADY, "--import", counter, program, transport, String(tools)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    if (transport === "stdio") return new CountedServer(child, 0);
    // The first thing it says is where it listens.
    const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
    return new CountedServer(child, port);
  }

  /** What each of some calls takes. */
  async count(call: () => Promise<unknown>): Promise<Counts> {
    await repeat(WARM_UP, call);
    const rounds: Counts[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const first = await this.#hear("watch");
      await repeat(CALLS, call);
      const second = await this.#hear("collect");
      await repeat(CALLS, call);
      const third = await this.#hear("look");
      rounds.push({ ...difference(first, second), bytes: difference(second, third).bytes });
    }
    return least(rounds);
  }

  async #hear(word: "watch" | "collect" | "look"): Promise<Counts> {
    const answer = once(this.#process, "message");
    this.#process.send(word);
    // Only the counter says anything.
    return ((await answer) as [Counts])[0];
  }
}

async function repeat(times: number, call: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await call();
}

const difference = (before: Counts, after: Counts): Counts =>
  eachOf((name) => (after[name] - before[name]) / CALLS);

/** Now and then a server does something that belongs to no call, such as asking for the time of day. */
const least = (rounds: readonly Counts[]): Counts =>
  eachOf((name) => Math.min(...rounds.map((round) => round[name])));

const eachOf = (count: (name: keyof Counts) => number): Counts => ({
  parses: count("parses"),
  stringifies: count("stringifies"),
  promises: count("promises"),
  timers: count("timers"),
  signals: count("signals"),
  bytes: count("bytes"),
});
