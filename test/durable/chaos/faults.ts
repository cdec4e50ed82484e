/**
 * Server processes behind a balancer, and what happens to them and to their store: kill -9, SIGSTOP, SIGTERM with a
 * replacement, and a store that is away.
 *
 * When each fault was is kept, so that a step whose outcome is unknown can be held against it.
 */
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../../../packages/server/test/wire/random.ts";
import { fileBeside, type ServerProcess } from "../server-process.ts";

export const LEASE_MS = 1000;
const MAX_STARTS = 10;
/** A server that takes longer to close has not closed. */
const MAX_CLOSE_MS = 20_000;
/** Less than the time for which a store waits for its file or its connection. */
const MAX_STORE_OUTAGE_MS = 1200;
/** How long before and after a fault a step may have begun that it has left unknown. */
const MARGIN_MS = 5000;

export const faultKinds = ["kill", "suspend", "terminate", "store"] as const;

export type FaultKind = (typeof faultKinds)[number];

/** How often one kind is chosen in proportion to the others. */
const WEIGHTS: Readonly<Record<FaultKind, number>> = { kill: 2, suspend: 2, terminate: 2, store: 1 };

/** From when to when, in milliseconds since 1970; of one process, or of all where the store was away. */
interface Interval {
  readonly pid?: number;
  readonly from: number;
  readonly to: number;
}

export class Faults {
  readonly counts: Record<FaultKind, number> = { kill: 0, suspend: 0, terminate: 0, store: 0 };
  /** What a process did that was sent SIGTERM, and must not. */
  readonly problems: string[] = [];
  readonly #deployment: Deployment;
  readonly #random: Random;
  /** Each kind as often as its weight. */
  readonly #kinds: readonly FaultKind[];
  readonly #log: (event: object) => void;
  readonly #nodes: (ServerProcess | undefined)[] = [];
  readonly #busy = new Set<number>();
  readonly #intervals: Interval[] = [];
  readonly #running = new Set<Promise<void>>();
  #isStoreAway = false;

  constructor(
    deployment: Deployment,
    random: Random,
    kinds: readonly FaultKind[],
    log: (event: object) => void,
  ) {
    this.#deployment = deployment;
    this.#random = random;
    this.#kinds = kinds.flatMap((kind) => Array.from({ length: WEIGHTS[kind] }, () => kind));
    this.#log = log;
  }

  async start(count: number): Promise<void> {
    const nodes = Array.from({ length: count }, () => this.#deployment.start());
    this.#nodes.push(...(await Promise.all(nodes)));
  }

  /** The addresses of the nodes; one that was killed has its old address until it is replaced. */
  get urls(): readonly string[] {
    return this.#nodes.flatMap((node) => node?.url ?? []);
  }

  /** One fault after another, until the time is over; settles when all of them have ended. */
  async inflict(until: number): Promise<void> {
    while (performance.now() < until) {
      await pause(this.#random.between(100, 900));
      const kind = this.#random.pick(this.#kinds);
      const index = this.#random.between(0, this.#nodes.length - 1);
      const duration = this.#random.next();
      if (kind === undefined) continue;
      const isFree = kind === "store" ? !this.#isStoreAway : !this.#busy.has(index);
      if (isFree) this.#run(kind, index, duration);
    }
    await Promise.all(this.#running);
  }

  /** Whether a fault explains that a step of this process, at this time, was not recorded. */
  explains(pid: number | undefined, at: number | undefined): boolean {
    const gaps = this.#deployment.lines("gaps").map((line) => JSON.parse(line) as Interval);
    return [...this.#intervals, ...gaps].some((one) => {
      if (pid === undefined || at === undefined) return true;
      const isThere = one.pid === undefined || one.pid === pid;
      return isThere && one.from - MARGIN_MS <= at && at <= one.to + MARGIN_MS;
    });
  }

  #run(kind: FaultKind, index: number, duration: number): void {
    this.counts[kind] += 1;
    const fault = kind === "store" ? this.#stopStore(duration) : this.#disturb(kind, index, duration);
    const running = fault
      .catch((error: unknown) => void this.problems.push(`${kind}: ${String(error)}`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #disturb(kind: Exclude<FaultKind, "store">, index: number, duration: number): Promise<void> {
    const node = this.#nodes[index];
    if (node === undefined) return;
    this.#busy.add(index);
    this.#log({ fault: kind, pid: node.pid });
    try {
      if (kind === "kill") await this.#kill(index, node, duration);
      else if (kind === "suspend") await this.#suspend(node, duration);
      else await this.#terminate(index, node);
    } finally {
      this.#busy.delete(index);
    }
  }

  async #kill(index: number, node: ServerProcess, duration: number): Promise<void> {
    const now = Date.now();
    this.#intervals.push({ pid: node.pid, from: now, to: now });
    await node.kill();
    await pause(duration * LEASE_MS);
    this.#nodes[index] = await this.#start();
  }

  /** Starts a process as a supervisor does: again, where it ends because its store is away. */
  async #start(): Promise<ServerProcess> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#deployment.start();
      } catch (error) {
        if (attempt === MAX_STARTS) throw error;
      }
    }
  }

  async #suspend(node: ServerProcess, duration: number): Promise<void> {
    const { pid } = node;
    const from = Date.now();
    await node.suspend();
    await pause(duration * 3 * LEASE_MS);
    node.resume();
    this.#intervals.push({ pid, from, to: Date.now() });
    this.#log({ resumed: node.pid });
  }

  async #terminate(index: number, node: ServerProcess): Promise<void> {
    this.#nodes[index] = await this.#start();
    const late = pause(MAX_CLOSE_MS, "late" as const, { ref: false });
    const exit = await Promise.race([node.terminate(), late]);
    if (exit === "late") await node.kill();
    const isRight = exit !== "late" && exit.code === 0;
    if (!isRight)
      this.problems.push(`A process that was sent SIGTERM has ended with ${JSON.stringify(exit)}.`);
  }

  async #stopStore(duration: number): Promise<void> {
    const { redis, store } = this.#deployment;
    const away = Math.round(duration * MAX_STORE_OUTAGE_MS);
    const from = Date.now();
    this.#isStoreAway = true;
    this.#log({ fault: "store", away });
    try {
      if (redis === undefined) await lockFile(store.replace("sqlite:", ""), away);
      else {
        await redis.stop();
        await pause(away);
        await redis.start();
      }
    } finally {
      this.#isStoreAway = false;
      this.#intervals.push({ from, to: Date.now() });
    }
  }
}

/** Holds the write lock of a SQLite file in a process of its own. */
async function lockFile(path: string, milliseconds: number): Promise<void> {
  await promisify(execFile)(process.execPath, [
    fileBeside("../../packages/server/test/stores/lock-file.mjs"),
    path,
    String(milliseconds),
  ]);
}
