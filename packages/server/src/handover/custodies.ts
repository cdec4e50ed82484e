/** What only this process knows of the runs that were handed over, and that a store keeps. */
import { Vault, type Round } from "@photon/core";
import type { Account, Accounts } from "../accounts.ts";
import type { Front } from "../calls/client-port.ts";
import { inTime } from "../util/timers.ts";
import { isLate } from "../calls/question-deadlines.ts";
import { asksIn, type Desk, type OpenAsk } from "../pages/page.ts";
import { PAGE_PATIENCE, RunPages } from "../pages/run-pages.ts";
import type { Places } from "../calls/waiting-calls.ts";
import { answerQuestion, type InboxReply } from "../durable/submit-answer.ts";
import { NotAnswered } from "../runs/not-answered.ts";
import type { OpenRun, Runs } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import { Custody, type Custodian, type InCustody } from "./custody.ts";
import { giveAway, type Given, type KeptKeeper } from "./give-away.ts";

/** Where they are. */
export interface Premises {
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly places: Places;
  readonly desk: Desk;
  readonly runs: Runs;
}

export class Custodies implements KeptKeeper, Custodian {
  readonly #premises: Premises;
  readonly #byRun = new Map<string, Custody>();
  /** How often everything was closed: whoever waits since before that is given nothing more. */
  #closes = 0;

  constructor(premises: Premises) {
    this.#premises = premises;
  }

  find(run: string): Custody | undefined {
    return this.#byRun.get(run);
  }

  /** That of a run which waits, made if it is not there. */
  of({ run, subject, principal, until }: OpenRun): Custody {
    const pages = this.pagesOf(run, subject, principal);
    const account = this.#premises.accounts.of(principal);
    return this.entrust({ run, principal, account, secrets: new Vault(), pages, fronts: new Set() }, until);
  }

  /** The pages of a run: those that there are here, or where there will be some. */
  pagesOf(run: string, tool: string, principal: string): RunPages {
    const { desk, settings } = this.#premises;
    return this.find(run)?.pages ?? new RunPages(desk.open, { server: settings.name, tool, principal });
  }

  /** Whether something was said on a page here to what is open. */
  async hasSaid({ run, round }: OpenRun): Promise<boolean> {
    return Object.keys((await this.find(run)?.saidIn(round)) ?? {}).length > 0;
  }

  secretsOf(run: string): Vault | undefined {
    return this.find(run)?.secrets;
  }

  accountOf({ account, principal }: Pick<Front, "account" | "principal">): Account {
    return account ?? this.#premises.accounts.of(principal);
  }

  refuseWhenFull(run: string, account: Account): void {
    if (!this.#byRun.has(run)) this.#premises.places.refuseWhenFull(account);
  }

  lastMoment(round: Round): number {
    return this.#premises.places.lastMoment(round);
  }

  entrust(given: InCustody, until: number): Custody {
    const custody = this.find(given.run) ?? new Custody(given, this);
    custody.add(given.fronts);
    custody.until = until;
    this.#premises.places.take(custody, until);
    this.#byRun.set(given.run, custody);
    return custody;
  }

  giveAway(given: Given, round: Round): Promise<string | undefined> {
    return giveAway(given, round, this);
  }

  over(run: string): void {
    void this.find(run)?.close();
  }

  release(custody: Custody): void {
    if (this.find(custody.run) === custody) this.#byRun.delete(custody.run);
    this.#premises.places.leave(custody);
  }

  async write(run: string, { key, attempt }: OpenAsk, reply: InboxReply): Promise<void> {
    const { runs, settings } = this.#premises;
    try {
      const answer = { run, key, reply, principal: undefined, attempt, via: "page" } as const;
      await answerQuestion(runs, answer, settings);
    } catch (error) {
      // Somebody else was first, or it is in no log.
      if (!(error instanceof NotAnswered)) settings.report(error);
    }
  }

  /**
   * Waits a while for people to answer what is asked at that place of a log, on pages or by another way. Says whether anything
   * can come of it: the server may have been closed. Rejects with `PageRefused` where there can be no page.
   */
  async untilAnswered(run: string, length: number): Promise<boolean> {
    const { runs, settings } = this.#premises;
    const closes = this.#closes;
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const deafen = await runs.attendAll(
      (grown) => {
        if (grown === run) wake();
      },
      () => wake(),
    );
    try {
      const open = await runs.opened(run);
      if (open?.way !== "page" || open.length !== length || open.isAnswered === true) return true;
      const custody = this.of(open);
      const now = settings.clock.now();
      const asked = asksIn(open.round).filter((question) => !isLate(question, now));
      await Promise.all(asked.map((question) => custody.urlOf(question)));
      const answered = Promise.all(asked.map((question) => custody.answered(question)));
      await inTime(Promise.race([answered, woken]), settings.clock, PAGE_PATIENCE);
      return this.#closes === closes;
    } finally {
      deafen();
    }
  }

  /** Somebody else has gone on with a run, or answered it: lets go of what is over, and of pages that ask nothing any more. */
  heard(run: string): void {
    const custody = this.find(run);
    if (custody !== undefined) this.#look(custody).catch(this.#premises.settings.report);
  }

  /** The runs themselves wait on. */
  async close(): Promise<void> {
    this.#closes += 1;
    await Promise.all([...this.#byRun.values()].map((custody) => custody.close()));
  }

  async #look(custody: Custody): Promise<void> {
    const open = await this.#premises.runs.opened(custody.run);
    if (open === undefined) await custody.close();
    else custody.narrow(open.round);
  }
}
