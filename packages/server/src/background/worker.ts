/**
 * Continues durable runs without their clients: those that were answered in the inbox or on a page, and those whose time is over.
 *
 *   1. Every process that shares the store receives a message about an answer. One of them acquires the lease, and runs the body to the
 *      next question or to its end.
 *   2. A run that a session has claimed is continued by the process of that session, as long as it lives.
 *   3. Runs that were answered or have expired while no process was there are found by the next process that starts.
 *   4. A run of a tool that this process does not offer waits for another process.
 *   5. A process continues at most `limits.backgroundRuns` runs at once, `limits.backgroundRunsPerPrincipal` of one principal. More
 *      of them wait, and principals take turns.
 */
import { milliseconds, type OpenQuestion, type Reply } from "@photon/core";
import type { ServerContext } from "../context.ts";
import { withTimeout } from "../util/timers.ts";
import type { AbsentClient } from "./background-run.ts";
import { DurableCall } from "../durable/durable-call.ts";
import { FairQueue } from "./fair-queue.ts";
import { dropIfCancelled } from "../durable/cancelled-calls.ts";
import type { OpenRun, OpenRuns, RunRepository } from "../durable/run-repository.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import type { Settings } from "../settings.ts";
import { auditAnswer, appendReplies } from "../durable/submit-answer.ts";
import { expirable } from "../durable/open-questions.ts";

/** How many runs are read at once to learn whose they are. A read never waits for a run that is continued. */
const MAX_LOOKUPS = 16;
/** How many are listed at once. */
const PAGE = 100;
/** How many lease times pass between two scans of the store. */
const LEASES_BETWEEN_SCANS = 6;
/** The part of a lease after which it is tried again to hold what another holds. */
const LEASE_RETRY_FRACTION = 4;

export class BackgroundWorker {
  readonly #context: ServerContext;
  readonly #runs: RunRepository;
  readonly #onRunEvent: (run: string) => void;
  /** Runs of which only the name is known. */
  readonly #lookups: FairQueue;
  /** Runs to be continued, by principal. */
  readonly #queue: FairQueue;
  readonly #clientPorts = new Set<AbsentClient>();
  readonly #timers = new Set<() => void>();
  /** Runs that are looked at again. */
  readonly #later = new Set<string>();
  #unsubscribe: Promise<() => void> | undefined;
  #isLooking = false;

  /** `onRunEvent` is called for every run that was answered past its client, or continued without it. */
  constructor(context: ServerContext, runs: RunRepository, onRunEvent: (run: string) => void) {
    this.#context = context;
    this.#runs = runs;
    this.#onRunEvent = onRunEvent;
    const { limits, report } = context.settings;
    const { backgroundRuns: total, backgroundRunsPerPrincipal: perKey } = limits;
    this.#lookups = new FairQueue({ total: MAX_LOOKUPS, perKey: MAX_LOOKUPS }, (run) =>
      this.#lookUp(run).catch(report),
    );
    // A run that fails is found again by the next `look`.
    this.#queue = new FairQueue({ total, perKey }, (run) => this.#continueRun(run).catch(report));
  }

  /** Subscribes to messages about runs, and scans the store for those that it missed. */
  start(): void {
    if (this.#unsubscribe !== undefined) return;
    const subscribing = this.#runs.onAnyRunEvent(
      (run) => {
        this.#onRunEvent(run);
        this.#addUnknown(run);
      },
      () => this.scan(),
    );
    this.#unsubscribe = subscribing;
    const isCurrent = (): boolean => this.#unsubscribe === subscribing;
    subscribing.then(
      () => isCurrent() && this.#lookAndAgain(),
      (error: unknown) => {
        if (!isCurrent()) return;
        this.#unsubscribe = undefined;
        this.#context.settings.report(error);
        this.#schedule(() => this.start(), this.#context.settings.lease);
      },
    );
  }

  /** Looks for runs that were answered, or have expired, and that no process has continued. */
  scan(): void {
    if (this.#isLooking || this.#unsubscribe === undefined) return;
    this.#isLooking = true;
    this.#look()
      .catch((error: unknown) => this.#context.settings.report(error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** Settles when this process has stopped continuing a run without its client; undefined where it does not continue it now. */
  settled(run: string): Promise<void> | undefined {
    return this.#queue.working(run);
  }

  /** Stops where it is: runs under way are left to other processes. */
  async close(): Promise<void> {
    const unsubscribing = this.#unsubscribe;
    this.#unsubscribe = undefined;
    this.#lookups.clear();
    this.#queue.clear();
    const { clock, grace } = this.#context.settings;
    const detaching = [...this.#clientPorts].map((clientPort) => clientPort.detach());
    const ended = Promise.all([...detaching, this.#lookups.idle(), this.#queue.idle()]);
    await withTimeout(ended, clock, milliseconds(grace));
    for (const stop of this.#timers) stop();
    this.#timers.clear();
    this.#later.clear();
    await unsubscribing?.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #look(): Promise<void> {
    const { settings, handovers } = this.#context;
    const hasPageReply = async (open: OpenRun): Promise<boolean> =>
      (await handovers.durable?.hasPageReply(open)) ?? false;
    await this.#each(
      (after) => this.#runs.overdue(after, PAGE),
      async ({ run }) => {
        // From then on it is among those that were answered.
        await timeOut(this.#runs, run, settings, hasPageReply).catch(settings.report);
      },
    );
    const isAlive = new Map<string, Promise<boolean>>();
    await this.#each(
      (after) => this.#runs.answered(after, PAGE),
      async (open) => {
        const { process } = open;
        // A run that a living process works on is left to it, and looked at the next time.
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
    act: (open: OpenRun) => void | Promise<void>,
  ): Promise<void> {
    let after: string | undefined;
    do {
      const { runs, next } = await read(after);
      for (const open of runs) await act(open);
      after = next;
    } while (after !== undefined && this.#unsubscribe !== undefined);
  }

  #lookAndAgain(): void {
    this.scan();
    this.#schedule(() => this.#lookAndAgain(), this.#context.settings.lease * LEASES_BETWEEN_SCANS);
  }

  #add({ run, principal, owner = principal }: OpenRun): void {
    if (this.#unsubscribe !== undefined) this.#queue.add(owner, run);
  }

  /** Adds a run whose principal has to be read from the store first. */
  #addUnknown(run: string): void {
    // Under one key: lookups are short, and whose they are is not known yet.
    if (this.#unsubscribe !== undefined) this.#lookups.add("", run);
  }

  async #lookUp(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    if (open?.isAnswered === true) this.#add(open);
    // A call that is claimed here may have missed that another process has continued its run.
    else this.#runs.notifyLocal(run);
  }

  /** Continues a run, if it still waits for a process, and no other process works on it. */
  async #continueRun(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    if (open?.isAnswered !== true) return this.#runs.notifyLocal(run);
    if ((await dropIfCancelled(this.#runs, open)) === undefined) return;
    const release = (await this.#runs.isLive(open)) ? undefined : await this.#runs.tryAcquireLease(run);
    if (release === undefined) {
      this.#runs.notifyLocal(run);
      // The process that has it may die before it has continued it.
      return this.#again(open);
    }
    try {
      await this.#continueLeased(run, release);
    } finally {
      await release();
    }
  }

  async #continueLeased(run: string, release: () => Promise<void>): Promise<void> {
    const open = await this.#runs.opened(run);
    const log = open?.isAnswered === true ? await this.#runs.find(run) : undefined;
    if (log === undefined || log.ending !== undefined) return;
    // Most servers never need it.
    const { canReplay, runInBackground, AbsentClient: Client } = await import("./background-run.ts");
    if (!canReplay(this.#context, log.head)) return;
    const durable = new DurableCall({ log, release }, this.#runs);
    const clientPort = new Client(durable, this.#context.settings);
    this.#clientPorts.add(clientPort);
    try {
      if (this.#unsubscribe === undefined) return;
      await runInBackground(this.#context, durable, clientPort);
      if (!clientPort.isClosed) await this.#runs.publish({ grown: run });
    } finally {
      this.#clientPorts.delete(clientPort);
    }
  }

  /** Adds a run again later, once, however often this is called meanwhile. */
  #again(open: OpenRun): void {
    const { run } = open;
    if (this.#later.has(run)) return;
    this.#later.add(run);
    this.#schedule(() => {
      this.#later.delete(run);
      this.#add(open);
    }, this.#context.settings.lease / LEASE_RETRY_FRACTION);
  }

  /** Does something later, unless this is closed by then. */
  #schedule(act: () => void, wait: number): void {
    const stop = this.#context.settings.clock.after(wait, () => {
      this.#timers.delete(stop);
      act();
    });
    this.#timers.add(stop);
  }
}

const REPLY: Reply = { action: "timeout" };

/**
 * Records a timeout for the questions of a run whose time is over. Not for a run that a process works on or has claimed: that process
 * does it. Nor where a page of this process has a reply, which may be in no log (`hasPageReply`).
 */
async function timeOut(
  runs: RunRepository,
  run: string,
  settings: Pick<Settings, "audit" | "clock">,
  hasPageReply: (open: OpenRun) => Promise<boolean>,
): Promise<void> {
  const release = await runs.tryAcquireLease(run);
  if (release === undefined) return;
  try {
    const open = await runs.opened(run);
    const late = open === undefined ? [] : lateIn(open, runs.now());
    if (open === undefined || late.length === 0 || (await runs.isLive(open)) || (await hasPageReply(open)))
      return;
    if ((await dropIfCancelled(runs, open)) === undefined) return;
    // Where it is not the first, an answer came at the last moment.
    const isFirst = await appendReplies(
      runs,
      open,
      late.map((question) => [question, REPLY]),
    );
    if (isFirst) for (const question of late) await auditAnswer(runs, settings, run, question, REPLY);
  } finally {
    await release();
  }
}

/** All that have waited long enough: what is told one after another would give the others their time anew. */
const lateIn = (open: OpenRun, now: number): readonly OpenQuestion[] =>
  expirable(open).filter((question) => isExpired(question, now));
