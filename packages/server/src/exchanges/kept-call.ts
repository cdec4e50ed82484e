/**
 * A call of 2026-07-28, as far as there is a store: its run is kept there, if its tool is durable; else the others are
 * told that this process has it.
 */
import type { Journal, Round } from "@photon/core";
import { INVALID_REQUEST, RpcError } from "../rpc/errors.ts";
import type { Wire } from "../rpc/message.ts";
import { endsRun, failureOf } from "../runs/failure.ts";
import type { Ledger } from "../runs/ledger.ts";
import type { Head } from "../runs/records.ts";
import { RunMoved } from "../runs/run-moved.ts";
import type { Runs } from "../runs/runs.ts";
import type { Settings } from "../settings.ts";
import type { State } from "./state.ts";

/** What is carried of a call that a store knows of. */
type Carried = Pick<State, "logged" | "process">;

export class KeptCall {
  readonly #runs: Runs;
  readonly #head: () => Head;
  readonly #report: (error: unknown) => void;
  #ledger: Ledger | undefined;

  /** `ledger` has the run, where it goes on; `head` says of what call it is, where it begins. */
  constructor(
    runs: Runs,
    head: () => Head,
    ledger: Ledger | undefined,
    { report }: Pick<Settings, "report">,
  ) {
    this.#runs = runs;
    this.#head = head;
    this.#report = report;
    this.#ledger = ledger;
  }

  /** The log of the run, where it is kept. */
  get ledger(): Ledger | undefined {
    return this.#ledger;
  }

  get carried(): Carried {
    return this.#ledger === undefined ? { process: this.#runs.process } : { logged: this.#ledger.length };
  }

  /** Where the run is recorded from its beginning on; or its next one, where it begins again. */
  begin(run: string): Journal {
    this.#ledger ??= this.#runs.begin(run, this.#head());
    return this.#ledger.begun();
  }

  /** The client is about to be asked. `isApart`: by something else than the run itself. */
  async opened(round: Round, until: number, isApart: boolean): Promise<void> {
    if (this.#ledger === undefined) await this.#runs.live();
    else await this.#ledger.opened(round, until, { isApart });
  }

  async ended(result: Wire): Promise<void> {
    await this.#ledger?.ended({ result });
  }

  /** It has failed, unless it was only interrupted. Says whether that is its end. */
  async failed(error: unknown): Promise<boolean> {
    if (!endsRun(error)) return false;
    try {
      await this.#ledger?.ended(failureOf(error));
      return true;
    } catch (failure) {
      // Where it has gone on elsewhere, that is no failure.
      if (!(failure instanceof RunMoved)) this.#report(failure);
      return false;
    }
  }

  /**
   * Whether closing the call, which waits until then, ends the run. Others can go on with it until its time is over. Then it is
   * told so by whichever process finds out; where it cannot be told, one of all who have a copy of it ends it.
   */
  async mayEnd(until: number, reason: unknown): Promise<boolean> {
    if (this.#ledger === undefined) return true;
    if (this.#ledger.isDue || until > this.#runs.now()) return false;
    return this.failed(
      new RpcError(INVALID_REQUEST, reason instanceof Error ? reason.message : String(reason)),
    );
  }
}
