/** Starts a server as a child process, with an IPC channel to its probe. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address, Transport } from "../client/connection.ts";
import type { BenchServer } from "./servers.ts";
import type { ProbeResponse, ProbeRequest, ProcessUsage } from "../probe.ts";
import type { ProfileEntry } from "./profile.ts";

export interface RunningServer extends Address {
  /** The usage since the start; `afterGc`: after a garbage collection. */
  usage(afterGc?: boolean): Promise<ProcessUsage>;
  /** The CPU profile of the server during some work. */
  profile(work: () => Promise<unknown>): Promise<readonly ProfileEntry[]>;
  /** Sends a message to the program of the server. */
  sendMessage(message: string): void;
  /** The end of its stderr. */
  stderrTail(): string;
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The number of its tools: at least the three that are called. */
  readonly tools?: number;
  /** Whether it has an `adjustableClock`, which the message "advance-clock" puts forward. */
  readonly canAdvanceClock?: boolean;
}

/** The folder into which every server writes a CPU profile, if it is set. */
const { BENCH_PROFILES: profileFolder } = process.env;
const profileFlags =
  profileFolder === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", resolvePath(profileFolder)];
const probe = new URL("../probe.js", import.meta.url).href;
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

export async function startServer(
  { label, file }: Pick<BenchServer, "label" | "file">,
  transport: Transport,
  { tools = 3, canAdvanceClock = false }: StartOptions = {},
): Promise<RunningServer> {
  const port = transport === "stdio" ? 0 : await freePort();
  const args = [...profileFlags, "--expose-gc", "--import", probe, file, transport, String(port)];
  const env = {
    PATH: process.env["PATH"],
    BENCH_TOOLS: String(tools),
    ...(canAdvanceClock ? { BENCH_ADJUSTABLE_CLOCK: "1" } : {}),
  };
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "pipe", "ipc"] });
  children.add(child);
  const stderrTail = readStderrTail(child);
  const exited = once(child, "exit").then(() => void children.delete(child));
  const problem = (): string => `${label} has ended: ${stderrTail()}`;
  if (transport !== "stdio") await untilReady(child, problem);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`${label} has no pipes.`);
  // A full pipe would block the server.
  if (transport !== "stdio") stdout.resume();
  return {
    stdin,
    stdout,
    port,
    usage: (afterGc = false) =>
      requestProbe(child, afterGc ? "usage-after-gc" : "usage", ({ usage }) => usage, problem),
    async profile(work) {
      await requestProbe(child, "start-profile", ({ isProfiling }) => isProfiling, problem);
      await work();
      return requestProbe(child, "stop-profile", ({ entries }) => entries, problem);
    },
    sendMessage: (message) => void child.send(message),
    stderrTail,
    async stop() {
      // A killed process writes no profile. A disconnected one exits by itself.
      if (profileFolder === undefined) child.kill("SIGKILL");
      else if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Keeps the end of a process's stderr. */
function readStderrTail({ stderr }: ChildProcess): () => string {
  let tail = "";
  stderr?.setEncoding("utf8").on("data", (part: string) => {
    tail = (tail + part).slice(-2000);
  });
  return () => (tail === "" ? "its stderr is empty." : tail.trim());
}

function untilReady(child: ChildProcess, problem: () => string): Promise<unknown> {
  return waitForMessage(child, (message) => (message === "ready" ? true : undefined), problem);
}

/** Sends a request to the probe in a process, and returns what `pick` takes from the response. */
function requestProbe<Value>(
  child: ChildProcess,
  request: ProbeRequest,
  pick: (response: ProbeResponse) => Value | undefined,
  problem: () => string,
): Promise<Value> {
  // Only the probe sends messages with these properties.
  const response = waitForMessage(child, (message) => pick(message as ProbeResponse), problem);
  child.send(request);
  return response;
}

/** Waits for the first message of which `pick` returns a value. */
function waitForMessage<Value>(
  child: ChildProcess,
  pick: (message: unknown) => Value | undefined,
  problem: () => string,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void child.off("message", onMessage).off("exit", onExit).off("error", onExit);
    const onMessage = (message: unknown): void => {
      const value = pick(message);
      if (value === undefined) return;
      stop();
      resolve(value);
    };
    const onExit = (): void => {
      stop();
      // The last data of stderr may arrive after the exit.
      setImmediate(() => reject(new Error(problem())));
    };
    child.on("message", onMessage).on("exit", onExit).on("error", onExit);
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // The address of a server that listens on a port is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
