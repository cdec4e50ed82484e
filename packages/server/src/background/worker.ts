/**
 * Runs that were answered by another way than their client's line, or that nobody has answered in time: some process goes
 * on with each, whether or not its client is there.
 *
 *   1. Every process that shares the store hears of an answer. One of them holds the run, and goes on with it to the next
 *      question, or to its end; the others find that somebody has.
 *   2. A process that has the run live, with a client on a session, goes on with it itself, as long as it lives.
 *   3. What was answered, or has expired, while no process was there is found by the next that starts.
 *   4. A process goes on with what it has: a run of something that is not offered here waits for another process.
 *   5. A process continues at most `limits.unattendedRuns` runs at once, `limits.unattendedRunsPerPrincipal` of one principal. More
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
/** How many leases go by before it looks again for what nobody told of. */
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

  /** `heard` is told of every run that was answered past its client, or has gone on without it. */
  constructor(context: ServerContext, runs: RunRepository, heard: (run: string) => void) {
    this.#context = context;
    this.#runs = runs;
    this.#onRunEvent = heard;
    const { limits, report } = context.settings;
    const { unattendedRuns: total, unattendedRunsPerPrincipal: perKey } = limits;
    this.#lookups = new FairQueue({ total: MAX_LOOKUPS, perKey: MAX_LOOKUPS }, (run) =>
      this.#lookUp(run).catch(report),
    );
    // A run that fails is found again by the next `look`.
    this.#queue = new FairQueue({ total, perKey }, (run) => this.#continueRun(run).catch(report));
  }

  /** Begins to hear, and looks for what nobody was there to hear. */
  start(): void {
    if (this.#unsubscribe !== undefined) return;
    const hearing = this.#runs.onAnyRunEvent(
      (run) => {
        this.#onRunEvent(run);
        this.#addUnknown(run);
      },
      () => this.scan(),
    );
    this.#unsubscribe = hearing;
    const isOurs = (): boolean => this.#unsubscribe === hearing;
    hearing.then(
      () => isOurs() && this.#lookAndAgain(),
      (error: unknown) => {
        if (!isOurs()) return;
        this.#unsubscribe = undefined;
        this.#context.settings.report(error);
        this.#schedule(() => this.start(), this.#context.settings.lease);
      },
    );
  }

  /** Looks for runs that were answered, or have expired, and that nobody has gone on with. */
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
    const deafen = this.#unsubscribe;
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
    await deafen?.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #look(): Promise<void> {
    const { settings, handovers } = this.#context;
    const isSaid = async (open: OpenRun): Promise<boolean> =>
      (await handovers.durable?.hasPageReply(open)) ?? false;
    await this.#each(
      (after) => this.#runs.overdue(after, PAGE),
      async ({ run }) => {
        // From then on it is among those that were answered.
        await timeOut(this.#runs, run, settings, isSaid).catch(settings.report);
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

  /** Goes on with a run, if that is still to be done, and nobody else does. */
  async #continueRun(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    if (open?.isAnswered !== true) return this.#runs.notifyLocal(run);
    if ((await dropIfCancelled(this.#runs, open)) === undefined) return;
    const letGo = (await this.#runs.isLive(open)) ? undefined : await this.#runs.tryAcquireLease(run);
    if (letGo === undefined) {
      this.#runs.notifyLocal(run);
      // Whoever has it may die before they have gone on with it.
      return this.#again(open);
    }
    try {
      await this.#continueLeased(run, letGo);
    } finally {
      await letGo();
    }
  }

  async #continueLeased(run: string, release: () => Promise<void>): Promise<void> {
    const open = await this.#runs.opened(run);
    const log = open?.isAnswered === true ? await this.#runs.find(run) : undefined;
    if (log === undefined || log.ending !== undefined) return;
    // Most servers never need it.
    const { canReplay: offers, runInBackground: performAlone } = await import("./background-run.ts");
    const { AbsentClient } = await import("./background-run.ts");
    if (!offers(this.#context, log.head)) return;
    const durable = new DurableCall({ log, release }, this.#runs);
    const clientPort = new AbsentClient(durable, this.#context.settings);
    this.#clientPorts.add(clientPort);
    try {
      if (this.#unsubscribe === undefined) return;
      await performAlone(this.#context, durable, clientPort);
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
 * Tells a run that nobody has answered it in time, if that is so. One that somebody goes on with now, or that has its client,
 * is told by them; and so is what was said on a page here, which stands in no log (`isSaid`).
 */
async function timeOut(
  runs: RunRepository,
  run: string,
  settings: Pick<Settings, "audit" | "clock">,
  isSaid: (open: OpenRun) => Promise<boolean>,
): Promise<void> {
  const letGo = await runs.tryAcquireLease(run);
  if (letGo === undefined) return;
  try {
    const open = await runs.opened(run);
    const late = open === undefined ? [] : lateIn(open, runs.now());
    if (open === undefined || late.length === 0 || (await runs.isLive(open)) || (await isSaid(open))) return;
    if ((await dropIfCancelled(runs, open)) === undefined) return;
    // Where it is not the first, somebody has answered at the last moment, past whoever holds it.
    const isFirst = await appendReplies(
      runs,
      open,
      late.map((question) => [question, REPLY]),
    );
    if (isFirst) for (const question of late) await auditAnswer(runs, settings, run, question, REPLY);
  } finally {
    await letGo();
  }
}

/** All that have waited long enough: what is told one after another would give the others their time anew. */
const lateIn = (open: OpenRun, now: number): readonly OpenQuestion[] =>
  expirable(open).filter((question) => isExpired(question, now));
