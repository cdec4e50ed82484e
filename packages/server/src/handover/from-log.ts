/** A run that is gone on with from its log, for another call than its own. */
import type { Replies, Round, Run, Runnable, RunOptions } from "@photon/core";
import type { Ask } from "../calls/client-port.ts";
import type { DurableCall } from "../durable/durable-call.ts";
import type { RepliesOrProblem } from "./passed-on.ts";

/** What was brought to a round, if anything was. */
export type Bring = (round: Round) => Promise<RepliesOrProblem | undefined>;

export class FromLog {
  readonly durable: DurableCall;
  /** What was brought to the first round that is open, until it was given to it. */
  #bring: Bring | undefined;
  /** Whether the questions that are asked now are in the log. */
  #isLogged = false;

  constructor(durable: DurableCall, bring: Bring | undefined) {
    this.durable = durable;
    this.#bring = bring;
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "secrets"> {
    this.#isLogged = definition.durable === true;
    return this.#isLogged ? this.durable.options(definition) : { runId: this.durable.log.run };
  }

  /** The run as the call that continues it may close it: the run does not end, and another call continues it. */
  closable(run: Run<unknown>): Run<unknown> {
    return {
      id: run.id,
      next: (replies) => run.next(replies),
      close: () => this.durable.detach(run, { continues: false }),
      detach: () => this.durable.detach(run),
    };
  }

  /** What was brought to a round, if that is the first. */
  async takeBrought(round: Round): Promise<RepliesOrProblem | undefined> {
    const bring = this.#bring;
    this.#bring = undefined;
    return bring?.(round);
  }

  /** Asks the client of the call that continues the run. The lease is released meanwhile, and the first answer counts. */
  async ask(round: Round, until: number, askThem: Ask, isClosed: () => boolean): Promise<Replies> {
    const known = await this.durable.openRound(round, until, { isApart: !this.#isLogged });
    if (known !== undefined) return known;
    const replies = await askThem(round);
    // A client that has gone has said nothing.
    if (isClosed()) return {};
    await this.durable.acquire();
    if (!this.#isLogged) return replies;
    let next: Replies | undefined;
    for (const [key, reply] of Object.entries(replies)) {
      const question = round[key];
      if (question !== undefined) next = await this.durable.recordReply(question, reply);
    }
    // The rest of the round comes again, and its replies are known by then.
    return next ?? replies;
  }
}
