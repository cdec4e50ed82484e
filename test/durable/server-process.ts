/**
 * A server in a process of its own, which a test can suspend, terminate or kill, and whose wall clock a test can move.
 *
 * The process ends with its stdin, so that no server outlives the test that started it. With PHOTON_TEST_LOG in the
 * environment, what the servers log is printed.
 */
import { fakeClock, removeFakeClock } from "../fake-clock.ts";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What starts a server: a program of Node with its arguments, and what is added to the environment. */
export interface Program {
  readonly path: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface StartOptions {
  /** The file that holds the offset of the process's wall clock; without it, the clock is the machine's. */
  readonly clockFile?: string | undefined;
}

/** How a process has ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

export const fileBeside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export class ServerProcess {
  readonly url: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #replies: AsyncIterator<string>;
  readonly #clockFile: string | undefined;

  private constructor(
    child: ChildProcess,
    replies: AsyncIterator<string>,
    url: string,
    clockFile: string | undefined,
  ) {
    this.#child = child;
    this.#replies = replies;
    this.url = url;
    this.#clockFile = clockFile;
    this.exited = exitOf(child);
  }

  /** Starts a server, and reads its address from the first line that it prints. */
  static async start(
    { path, args = [], env = {} }: Program,
    { clockFile }: StartOptions = {},
  ): Promise<ServerProcess> {
    if (clockFile !== undefined) writeFileSync(clockFile, "+0\n");
    const clock = clockFile === undefined ? {} : fakeClock({ FAKETIME_TIMESTAMP_FILE: clockFile });
    const child = spawn(process.execPath, [path, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env, ...clock },
    });
    if (clockFile !== undefined) child.once("exit", () => removeFakeClock(child.pid));
    // Writing to a process that has been killed fails.
    child.stdin.on("error", () => {});
    const errors: string[] = [];
    const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const errorLines = createInterface({ input: child.stderr });
    // `photon serve` prints its address on stderr, since stdout belongs to the protocol.
    const announced = new Promise<string>((resolve) => {
      errorLines.on("line", (line) => {
        errors.push(line);
        if (process.env["PHOTON_TEST_LOG"] !== undefined) process.stderr.write(`${child.pid}: ${line}\n`);
        if (ADDRESS.test(line)) resolve(line);
      });
    });
    const printed = replies.next().then(({ value }) => (typeof value === "string" ? value : ""));
    const line = await Promise.race([announced, printed]);
    const [url] = ADDRESS.exec(line) ?? [];
    if (url === undefined) throw new Error(`The server ended before it listened: ${errors.join("\n")}`);
    return new ServerProcess(child, replies, url, clockFile);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("The process was never started.");
    return this.#child.pid;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a line to the server's stdin, and gives the line that it replies with. */
  async command(line: string): Promise<string> {
    this.#child.stdin?.write(`${line}\n`);
    const { value } = (await this.#replies.next()) as IteratorResult<string, undefined>;
    if (value === undefined) throw new Error(`The server ended before it replied to ${line}.`);
    return value;
  }

  /** Sends SIGSTOP; settles when the process stands still. */
  async suspend(): Promise<void> {
    this.#child.kill("SIGSTOP");
    // The signal is delivered later than `kill` returns.
    while (!this.hasExited && !stateOf(this.pid).startsWith("T")) await pause(1);
  }

  /** Sends SIGCONT. */
  resume(): void {
    this.#child.kill("SIGCONT");
  }

  /** Sends SIGTERM; the process has the time it takes to close its server. */
  terminate(): Promise<Exit> {
    this.#child.kill("SIGTERM");
    return this.exited;
  }

  /** Sends SIGKILL, also to a process that is suspended. */
  kill(): Promise<Exit> {
    this.#child.kill("SIGKILL");
    return this.exited;
  }

  /** Moves the wall clock of the process to so many seconds from the machine's. Its monotonic clock is not changed. */
  moveClock(seconds: number): void {
    if (this.#clockFile === undefined) throw new Error("The process has the clock of the machine.");
    // The process may read the file at any moment: it must never find it empty.
    writeFileSync(`${this.#clockFile}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`);
    renameSync(`${this.#clockFile}.new`, this.#clockFile);
  }
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

/** The state of a process as `ps` tells it: "T" is a stopped one. */
function stateOf(pid: number): string {
  try {
    return execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    // `ps` fails for a process that has ended.
    return "T";
  }
}
