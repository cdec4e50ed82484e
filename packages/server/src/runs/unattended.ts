/**
 * Runs that were answered by another way than their client's line, or that nobody has answered in time: some process goes
 * on with each, whether or not its client is there.
 *
 *   1. Every process that shares the store hears of an answer. One of them holds the run, and goes on with it to the next
 *      question, or to its end; the others find that somebody has.
 *   2. A process that has the run live, with a client on a session, goes on with it itself, as long as it lives.
 *   3. What was answered, or has expired, while no process was there is found by the next that starts.
 *   4. A process goes on with what it has: a run of something that is not offered here waits for another process.
 */
import { RunCancelled } from "@photon/core";
import type { House } from "../house.ts";
import type { AbsentFront } from "./absent-front.ts";
import { stillWanted } from "./given-up.ts";
import { RunMoved } from "./run-moved.ts";
import type { OpenRun, OpenRuns, Runs } from "./runs.ts";

/** How many it goes on with at once. */
const MOST = 16;
/** How many are looked up at once. */
const PAGE = 100;
/** How many leases go by before it looks again for what nobody told of. */
const ROUNDS = 6;
/** The part of a lease after which it is tried again to hold what another holds. */
const PATIENCE = 4;

export class Unattended {
  readonly #house: House;
  readonly #runs: Runs;
  readonly #heard: (run: string) => void;
  /** What waits for its turn. */
  readonly #queue = new Set<string>();
  /** What is under way, by run. */
  readonly #working = new Map<string, Promise<void>>();
  readonly #fronts = new Set<AbsentFront>();
  readonly #timers = new Set<() => void>();
  /** Runs that are looked at again. */
  readonly #later = new Set<string>();
  #deafen: Promise<() => void> | undefined;
  #isLooking = false;

  /** `heard` is told of every run that was answered past its client, or has gone on without it. */
  constructor(house: House, runs: Runs, heard: (run: string) => void) {
    this.#house = house;
    this.#runs = runs;
    this.#heard = heard;
  }

  /** Begins to hear, and looks for what nobody was there to hear. */
  begin(): void {
    if (this.#deafen !== undefined) return;
    const hearing = this.#runs.attendAll((run) => {
      this.#heard(run);
      this.#add(run);
    });
    this.#deafen = hearing;
    const isOurs = (): boolean => this.#deafen === hearing;
    hearing.then(
      () => isOurs() && this.#lookAndAgain(),
      (error: unknown) => {
        if (!isOurs()) return;
        this.#deafen = undefined;
        this.#house.settings.report(error);
        this.#inAWhile(() => this.begin(), this.#house.settings.lease);
      },
    );
  }

  /** Looks for runs that were answered, or have expired, and that nobody has gone on with. */
  look(): void {
    if (this.#isLooking || this.#deafen === undefined) return;
    this.#isLooking = true;
    this.#look()
      .catch((error: unknown) => this.#house.settings.report(error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** Settles when nobody goes on here with a run without its client; nothing, where nobody does. */
  settled(run: string): Promise<void> | undefined {
    return this.#working.get(run);
  }

  /** Stops where it is: what was under way is left to others. */
  async close(): Promise<void> {
    const deafen = this.#deafen;
    this.#deafen = undefined;
    this.#queue.clear();
    const reason = new RunCancelled("The server was closed.");
    const closing = [...this.#fronts].map((front) => front.close(reason));
    await Promise.all([...closing, ...this.#working.values()]);
    for (const stop of this.#timers) stop();
    this.#timers.clear();
    this.#later.clear();
    await deafen?.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #look(): Promise<void> {
    const { settings, handovers } = this.#house;
    const isSaid = async (open: OpenRun): Promise<boolean> => (await handovers.kept?.hasSaid(open)) ?? false;
    await this.#each(
      (after) => this.#runs.overdue(after, PAGE),
      async ({ run }) => {
        const { timeOut } = await import("./time-out.ts");
        // From then on it is among those that were answered.
        await timeOut(this.#runs, run, settings, isSaid).catch(settings.report);
      },
    );
    await this.#each(
      (after) => this.#runs.answered(after, PAGE),
      ({ run }) => this.#add(run),
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
    } while (after !== undefined && this.#deafen !== undefined);
  }

  #lookAndAgain(): void {
    this.look();
    this.#inAWhile(() => this.#lookAndAgain(), this.#house.settings.lease * ROUNDS);
  }

  #add(run: string): void {
    if (this.#deafen === undefined) return;
    this.#queue.add(run);
    this.#work();
  }

  #work(): void {
    for (const run of this.#queue) {
      if (this.#working.size >= MOST) return;
      // Its turn comes when what is under way has ended.
      if (this.#working.has(run)) continue;
      this.#queue.delete(run);
      const working = this.#goOn(run)
        // It is found again when this looks the next time.
        .catch((error: unknown) => this.#house.settings.report(error))
        .finally(() => {
          this.#working.delete(run);
          this.#work();
        });
      this.#working.set(run, working);
    }
  }

  /** Goes on with a run, if that is still to be done, and nobody else does. */
  async #goOn(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    if (open?.isAnswered !== true || (await stillWanted(this.#runs, open)) === undefined) return;
    const letGo = (await this.#runs.isLive(open)) ? undefined : await this.#runs.tryToHold(run);
    if (letGo === undefined) {
      this.#runs.wake(run);
      // Whoever has it may die before they have gone on with it.
      return this.#again(run);
    }
    try {
      await this.#goOnHolding(run);
    } finally {
      await letGo();
    }
  }

  async #goOnHolding(run: string): Promise<void> {
    const open = await this.#runs.opened(run);
    const ledger = open?.isAnswered === true ? await this.#runs.find(run) : undefined;
    if (ledger === undefined || ledger.ending !== undefined) return;
    // Most servers never need it.
    const { offers, performAlone } = await import("./perform-alone.ts");
    const { AbsentFront } = await import("./absent-front.ts");
    if (!offers(this.#house, ledger.head)) return;
    const front = new AbsentFront(ledger, this.#house.settings);
    this.#fronts.add(front);
    try {
      if (this.#deafen === undefined) return;
      await performAlone(this.#house, ledger, front);
      if (!front.isClosed) await this.#runs.tell({ grown: run });
    } catch (error) {
      // Whoever has gone on with it elsewhere does so.
      if (!(error instanceof RunMoved)) throw error;
    } finally {
      this.#fronts.delete(front);
    }
  }

  /** Looks at a run again later, however often that is wanted meanwhile. */
  #again(run: string): void {
    if (this.#later.has(run)) return;
    this.#later.add(run);
    this.#inAWhile(() => {
      this.#later.delete(run);
      this.#add(run);
    }, this.#house.settings.lease / PATIENCE);
  }

  /** Does something later, unless this is closed by then. */
  #inAWhile(act: () => void, wait: number): void {
    const stop = this.#house.settings.clock.after(wait, () => {
      this.#timers.delete(stop);
      act();
    });
    this.#timers.add(stop);
  }
}
