/** A server in its own process, whose work per call is counted. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Address, Transport } from "../../bench/client/connection.ts";

/** Per call. The same on every machine. */
export interface Counts {
  readonly parses: number;
  readonly stringifies: number;
  /** Created timers; a timer that is refreshed does not count. */
  readonly timers: number;
  /** Of new objects. */
  readonly bytes: number;
}

const counter = fileURLToPath(new URL("counter.mjs", import.meta.url));
const program = fileURLToPath(new URL("serve.mjs", import.meta.url));

/** The counts must not depend on when V8 compiles or collects garbage. */
const STEADY = [
  "--no-opt",
  "--no-lazy-feedback-allocation",
  "--no-flush-bytecode",
  "--expose-gc",
  "--min-semi-space-size=32",
  "--max-semi-space-size=32",
];

/** Calls after which everything is loaded and cached. */
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

  /** Ends with the test. */
  static async start(transport: Transport, tools = 3): Promise<CountedServer> {
    const args = [...STEADY, "--import", counter, program, transport, String(tools)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    if (transport === "stdio") return new CountedServer(child, 0);
    // The first message is the port.
    const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
    return new CountedServer(child, port);
  }

  /** What one call takes. */
  async count(call: () => Promise<unknown>): Promise<Counts> {
    await repeat(WARM_UP, call);
    const rounds: Counts[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const first = await this.#request("count");
      await repeat(CALLS, call);
      const second = await this.#request("measure");
      await repeat(CALLS, call);
      const third = await this.#request("report");
      rounds.push({ ...difference(first, second), bytes: difference(second, third).bytes });
    }
    return least(rounds);
  }

  async #request(command: "count" | "measure" | "report"): Promise<Counts> {
    const answer = once(this.#process, "message");
    this.#process.send(command);
    // Only the counter sends messages.
    return ((await answer) as [Counts])[0];
  }
}

async function repeat(times: number, call: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await call();
}

const difference = (before: Counts, after: Counts): Counts =>
  mapCounts((name) => (after[name] - before[name]) / CALLS);

/** Sometimes a server does work that belongs to no call. */
const least = (rounds: readonly Counts[]): Counts =>
  mapCounts((name) => Math.min(...rounds.map((round) => round[name])));

const mapCounts = (count: (name: keyof Counts) => number): Counts => ({
  parses: count("parses"),
  stringifies: count("stringifies"),
  timers: count("timers"),
  bytes: count("bytes"),
});
