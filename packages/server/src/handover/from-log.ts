/** A run that is gone on with from its log, for another call than its own. */
import type { Replies, Round, Run, Runnable, RunOptions } from "@photon/core";
import type { Ask } from "../front.ts";
import { countedReply } from "../runs/counted-reply.ts";
import type { Ledger } from "../runs/ledger.ts";
import type { Runs } from "../runs/runs.ts";
import type { RepliesOrProblem } from "./passed-on.ts";

/** What was brought to a round, if anything was. */
export type Bring = (round: Round) => Promise<RepliesOrProblem | undefined>;

export class FromLog {
  readonly ledger: Ledger;
  readonly #runs: Runs;
  /** What was brought to the first round that is open, until it was. */
  #bring: Bring | undefined;
  /** Whether what is asked now is in the log. */
  #isLogged = false;
  #letGo: (() => Promise<void>) | undefined;

  /** `letGo`: the run is held, while its body goes on. */
  constructor(ledger: Ledger, runs: Runs, bring: Bring | undefined, letGo: () => Promise<void>) {
    this.ledger = ledger;
    this.#runs = runs;
    this.#bring = bring;
    this.#letGo = letGo;
  }

  options({ durable }: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal"> {
    this.#isLogged = durable === true;
    return { runId: this.ledger.run, journal: this.#isLogged ? this.ledger.begun() : undefined };
  }

  /** The run as whoever calls may close it: it stays where it was then, and may be gone on with once more. */
  closable(run: Run<unknown>): Run<unknown> {
    return {
      id: run.id,
      next: (replies) => run.next(replies),
      close: (reason) => {
        this.ledger.cutOff();
        return run.close(reason);
      },
    };
  }

  /** What was brought to a round, if that is the first. */
  async takeBrought(round: Round): Promise<RepliesOrProblem | undefined> {
    const bring = this.#bring;
    this.#bring = undefined;
    return bring?.(round);
  }

  /** Asks the client of the call that goes on with it. Nobody holds the run meanwhile, and the first answer counts. */
  async ask(round: Round, until: number, askThem: Ask, isClosed: () => boolean): Promise<Replies> {
    await this.ledger.opened(round, until, { isApart: !this.#isLogged });
    await this.letGo();
    const replies = await askThem(round);
    // Who has gone has said nothing.
    if (isClosed()) return {};
    this.#letGo = await this.#runs.hold(this.ledger.run);
    if (!this.#isLogged) return replies;
    const counted = Object.entries(replies).map(async ([key, reply]) => {
      const question = round[key];
      if (question === undefined) return [key, reply] as const;
      return [key, await countedReply(this.ledger, question, reply, this.#runs.now())] as const;
    });
    return Object.fromEntries(await Promise.all(counted));
  }

  async letGo(): Promise<void> {
    const letGo = this.#letGo;
    this.#letGo = undefined;
    await letGo?.();
  }
}
