/**
 * Continues durable runs without their clients: those that were answered in the inbox or on a page, and those with an expired question.
 *
 *   1. Every process that shares the store receives a message about an answer. One of them acquires the lease, and runs the body to the
 *      next question or to its end.
 *   2. A run that a session has claimed is continued by the process of that session, as long as that process is alive.
 *   3. Every process also scans the store, when it starts and every six lease times (30 seconds). It records the timeouts of expired
 *      questions, and continues answered runs whose process has ended.
 *   4. A run of a tool that this process does not offer waits for another process.
 *   5. A process continues at most `limits.backgroundRuns` runs at once, `limits.backgroundRunsPerPrincipal` of one principal. More
 *      of them wait, and principals take turns.
 */
import type { Reply } from "@photon/core";
import type { ServerContext } from "../context.ts";
import { every, withTimeout } from "../util/timers.ts";
import { AbsentClient, canReplay, runInBackground } from "./background-run.ts";
import { DurableCall } from "../durable/durable-call.ts";
import { FairQueue } from "./fair-queue.ts";
import { endIfCancelled } from "../durable/cancelled-calls.ts";
import type { OpenRun, OpenRuns, RunRepository } from "../durable/run-repository.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { auditAnswer, appendReplies } from "../durable/submit-answer.ts";
import { expirable } from "../durable/open-questions.ts";

/** How many runs are read at once to learn their principals. A read never waits for a run that is continued. */
const MAX_LOOKUPS = 16;
const PAGE_SIZE = 100;
/** How many lease times pass between two scans of the store. */
const LEASES_BETWEEN_SCANS = 6;
/** A run whose lease another process has is tried again after this part of a lease time. */
const LEASE_RETRY_FRACTION = 4;

const TIMEOUT: Reply = { action: "timeout" };

export class BackgroundWorker {
  readonly #context: ServerContext;
  readonly #runs: RunRepository;
  readonly #onRunEvent: (run: string) => void;
  /** Runs whose principal has to be read from the store. */
  readonly #lookups: FairQueue;
  /** Runs to be continued, by principal. */
  readonly #queue: FairQueue;
  readonly #clientPorts = new Set<AbsentClient>();
  /** Functions that stop the timers: by the run that is tried again, or "start". */
  readonly #timers = new Map<string, () => void>();
  #stopScanning: (() => void) | undefined;
  #subscription: Promise<() => void> | undefined;
  #isScanning = false;

  /** `onRunEvent` is called for every run that was answered elsewhere than by its client, or continued without it. */
  constructor(context: ServerContext, runs: RunRepository, onRunEvent: (run: string) => void) {
    this.#context = context;
    this.#runs = runs;
    this.#onRunEvent = onRunEvent;
    const { limits, report } = context.settings;
    const { backgroundRuns: total, backgroundRunsPerPrincipal: perKey } = limits;
    this.#lookups = new FairQueue({ total: MAX_LOOKUPS, perKey: MAX_LOOKUPS }, (run) =>
      this.#lookUp(run).catch(report),
    );
    // If it fails, the next scan finds the run.
    this.#queue = new FairQueue({ total, perKey }, (run) => this.#continueRun(run).catch(report));
  }

  /** Subscribes to messages about runs, and scans the store for those that it missed. */
  start(): void {
    if (this.#subscription !== undefined) return;
    this.#subscription = this.#runs.bus.onAnyRun(
      (run) => {
        this.#onRunEvent(run);
        // Under one key: a lookup is short, and the principal is not known yet.
        if (this.#subscription !== undefined) this.#lookups.add("", run);
      },
      () => this.scan(),
    );
    void this.#startScanning(this.#subscription);
  }

  async #startScanning(subscription: Promise<unknown>): Promise<void> {
    const { report, lease, clock } = this.#context.settings;
    try {
      await subscription;
      if (this.#subscription !== subscription) return;
      this.scan();
      this.#stopScanning = every(clock, lease * LEASES_BETWEEN_SCANS, () => this.scan());
    } catch (error) {
      if (this.#subscription !== subscription) return;
      this.#subscription = undefined;
      report(error);
      this.#schedule("start", lease, () => this.start());
    }
  }

  /** Finds runs that were answered, or have expired, and that no process has continued. */
  scan(): void {
    if (this.#isScanning || this.#subscription === undefined) return;
    this.#isScanning = true;
    this.#scan()
      .catch(this.#context.settings.report)
      .finally(() => {
        this.#isScanning = false;
      });
  }

  /** Settles when this process has stopped continuing a run without its client; undefined if it does not continue it now. */
  settled(run: string): Promise<void> | undefined {
    return this.#queue.working(run);
  }

  /** Leaves the runs under way to other processes. */
  async close(): Promise<void> {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    this.#lookups.clear();
    this.#queue.clear();
    const { clock, grace } = this.#context.settings;
    const detaching = [...this.#clientPorts].map((clientPort) => clientPort.detach());
    const ended = Promise.all([...detaching, this.#lookups.idle(), this.#queue.idle()]);
    await withTimeout(ended, clock, grace);
    this.#stopScanning?.();
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
    const unsubscribe = await subscription?.catch(() => undefined);
    unsubscribe?.();
  }

  async #scan(): Promise<void> {
    await this.#each(
      (after) => this.#runs.overdue(after, PAGE_SIZE),
      // The run is then answered: the second part of the scan finds it.
      ({ run }) => this.#timeOut(run).catch(this.#context.settings.report),
    );
    const isAlive = new Map<string, Promise<boolean>>();
    await this.#each(
      (after) => this.#runs.awaitingProcess(after, PAGE_SIZE),
      async (open) => {
        const { process } = open;
        // A run on which a living process works is left to it until the next scan.
        if (process !== undefined && process !== this.#runs.process) {
          if (!isAlive.has(process)) isAlive.set(process, this.#runs.isAlive(process));
          if ((await isAlive.get(process)) === true) return;
        }
        this.#add(open);
      },
    );
  }

  async #each(
    read: (after: string | undefined) => Promise<OpenRuns>,
    act: (open: OpenRun) => Promise<void>,
  ): Promise<void> {
    let after: string | undefined;
    do {
      const { runs, next } = await read(after);
      for (const open of runs) await act(open);
      after = next;
    } while (after !== undefined && this.#subscription !== undefined);
  }

  #add({ run, principal, owner = principal }: OpenRun): void {
    if (this.#subscription !== undefined) this.#queue.add(owner, run);
  }

  async #lookUp(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    if (open?.awaitsProcess === true) this.#add(open);
    // A call that has claimed the run here may have missed that another process has continued it.
    else this.#runs.bus.notify(run);
  }

  /**
   * Records a timeout for all expired questions of a run at once: each reply restarts the time of the other questions. A process that
   * works on the run or has claimed it does this itself. A reply on a page of this process may be in no log, and counts.
   */
  async #timeOut(run: string): Promise<void> {
    const release = await this.#runs.tryAcquireLease(run);
    if (release === undefined) return;
    try {
      const open = await this.#runs.opened(run);
      if (open === undefined) return;
      const now = this.#runs.now();
      const expired = expirable(open).filter((question) => isExpired(question, now));
      if (expired.length === 0 || (await this.#runs.isClaimed(open))) return;
      if (await this.#context.handovers.hasPageReply(open)) return;
      if (await endIfCancelled(this.#runs, open)) return;
      const replies = expired.map((question) => [question, TIMEOUT] as const);
      // False if an answer was recorded first.
      if (await appendReplies(this.#runs, open, replies))
        for (const question of expired) await auditAnswer(this.#runs, run, question, TIMEOUT);
    } finally {
      await release();
    }
  }

  /** Continues a run, if it still waits for a process, and no other process works on it. */
  async #continueRun(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    if (open?.awaitsProcess !== true) return this.#runs.bus.notify(run);
    if (await endIfCancelled(this.#runs, open)) return;
    const release = (await this.#runs.isClaimed(open)) ? undefined : await this.#runs.tryAcquireLease(run);
    if (release === undefined) {
      this.#runs.bus.notify(run);
      // The process that has it may die before it has continued it.
      return this.#schedule(run, this.#context.settings.lease / LEASE_RETRY_FRACTION, () => this.#add(open));
    }
    try {
      await this.#continueLeased(run, release);
    } finally {
      await release();
    }
  }

  async #continueLeased(run: string, release: () => Promise<void>): Promise<void> {
    const open = await this.#runs.opened(run);
    const log = open?.awaitsProcess === true ? await this.#runs.find(run) : undefined;
    if (log === undefined || log.ending !== undefined) return;
    if (this.#subscription === undefined || !canReplay(this.#context, log.head)) return;
    const durable = new DurableCall({ log, release }, this.#runs);
    const clientPort = new AbsentClient(durable, this.#context.settings);
    this.#clientPorts.add(clientPort);
    try {
      await runInBackground(this.#context, durable, clientPort);
      if (!clientPort.isClosed) await this.#runs.publishGrown(run);
    } finally {
      this.#clientPorts.delete(clientPort);
    }
  }

  /** Calls `act` later, unless this is closed by then. Of several with one key, the first counts. */
  #schedule(key: string, delay: number, act: () => void): void {
    if (this.#timers.has(key)) return;
    const stop = this.#context.settings.clock.after(delay, () => {
      this.#timers.delete(key);
      act();
    });
    this.#timers.set(key, stop);
  }
}
