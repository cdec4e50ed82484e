/** Starts a server as a process of its own, with a channel beside it for what it has used. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address, Transport } from "../client/wire.ts";
import type { Contestant } from "./contestants.ts";
import type { ProbeAnswer, ProbeWord } from "../probe.ts";
import type { Spell } from "./profile.ts";
import type { Usage } from "./usage.ts";

export interface Running extends Address {
  /** What it has used so far; `isCollected`: after it has collected its garbage. */
  usage(isCollected?: boolean): Promise<Usage>;
  /** Where its time goes while some work is done. */
  profile(work: () => Promise<unknown>): Promise<readonly Spell[]>;
  /** Says something to its program. */
  tell(word: string): void;
  /** The end of what it wrote to stderr. */
  lastWords(): string;
  stop(): Promise<void>;
}

export interface StartOptions {
  /** How many tools it is to have, at least the three that are called. */
  readonly tools?: number;
  /** Whether its clock can be put forward, by telling it to leap. */
  readonly leaps?: boolean;
}

/** Where every server leaves a profile of its processor time, if anywhere. */
const { BENCH_PROFILES: profiles } = process.env;
const profiling = profiles === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", resolvePath(profiles)];
const probe = new URL("../probe.js", import.meta.url).href;
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export async function startServer(
  { label, file }: Pick<Contestant, "label" | "file">,
  transport: Transport,
  { tools = 3, leaps = false }: StartOptions = {},
): Promise<Running> {
  const port = transport === "stdio" ? 0 : await freePort();
  const args = [...profiling, "--expose-gc", "--import", probe, file, transport, String(port)];
  const env = {
    PATH: process.env["PATH"],
    BENCH_TOOLS: String(tools),
    ...(leaps ? { BENCH_LEAPS: "1" } : {}),
  };
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "pipe", "ipc"] });
  running.add(child);
  const complaints = lastWordsOf(child);
  const gone = once(child, "exit").then(() => void running.delete(child));
  const problem = (): string => `${label} has ended: ${complaints()}`;
  if (transport !== "stdio") await isReady(child, problem);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`${label} has no pipes.`);
  // Nothing else reads it, and what is not read would stop the server.
  if (transport !== "stdio") stdout.resume();
  return {
    stdin,
    stdout,
    port,
    usage: (isCollected = false) => usageOf(child, isCollected, problem),
    async profile(work) {
      await told(child, "profile", ({ isProfiled }) => isProfiled, problem);
      await work();
      return told(child, "profiled", ({ spells }) => spells, problem);
    },
    tell: (word) => void child.send(word),
    lastWords: complaints,
    async stop() {
      // Left alone, it exits, and writes its profile.
      if (profiles === undefined) child.kill("SIGKILL");
      else if (child.connected) child.disconnect();
      await gone;
    },
  };
}

/** Keeps the end of what a process writes to stderr. */
function lastWordsOf({ stderr }: ChildProcess): () => string {
  let words = "";
  stderr?.setEncoding("utf8").on("data", (part: string) => {
    words = (words + part).slice(-2000);
  });
  return () => (words === "" ? "it said nothing." : words.trim());
}

function isReady(child: ChildProcess, problem: () => string): Promise<unknown> {
  return heard(child, (message) => (message === "ready" ? true : undefined), problem);
}

function usageOf(child: ChildProcess, isCollected: boolean, problem: () => string): Promise<Usage> {
  return told(child, isCollected ? "collected" : "usage", ({ usage }) => usage, problem);
}

/** Says a word to the probe in a process, and gives back what it answers. */
function told<What>(
  child: ChildProcess,
  word: ProbeWord,
  pick: (answer: ProbeAnswer) => What | undefined,
  problem: () => string,
): Promise<What> {
  // Only the probe says anything of that shape.
  const answer = heard(child, (message) => pick(message as ProbeAnswer), problem);
  child.send(word);
  return answer;
}

/** The first thing heard of a process that `pick` takes. */
function heard<What>(
  child: ChildProcess,
  pick: (message: unknown) => What | undefined,
  problem: () => string,
): Promise<What> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void child.off("message", hear).off("exit", fail).off("error", fail);
    const hear = (message: unknown): void => {
      const picked = pick(message);
      if (picked === undefined) return;
      stop();
      resolve(picked);
    };
    const fail = (): void => {
      stop();
      // What it wrote last may still be under way.
      setImmediate(() => reject(new Error(problem())));
    };
    child.on("message", hear).on("exit", fail).on("error", fail);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // It listens on a port, and so has an address of this kind.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
