/**
 * A durable run as this process works on it: its log, its lease, and what other processes do to it.
 *
 *   1. The process holds the lease of the run while the body works, and not while a person is asked.
 *   2. While the run is claimed, other processes leave it to this one for as long as this process lives. It is claimed while
 *      the body works; and while a question is open, if the client of a session waits for the answer here.
 *   3. Detaching leaves the run unfinished in the store, where any process continues it. The step under way ends and is
 *      recorded, and nothing else is.
 */
import {
  type Clock,
  type Journal,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  SecretRedactor,
} from "@photon/core";
import { withTimeout } from "../util/timers.ts";
import { isForPage } from "../protocol/input-requests.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import { answerIfAwaited, type OpenQuestionRef, findOpenQuestion } from "./submit-answer.ts";
import type { RunListener } from "./process-bus.ts";
import { type RunResult, isFinalError, encodeError } from "./log-records.ts";
import { endRun } from "./cancelled-calls.ts";
import type { RunLog } from "./run-log.ts";
import { RunMoved } from "../errors.ts";
import type { RunRepository } from "./run-repository.ts";

/** A log that was read while this process holds the run's lease. */
export interface LeasedLog {
  readonly log: RunLog;
  /** Releases the lease. */
  readonly release: () => Promise<void>;
}

const IGNORE: RunListener = { onAnswered() {}, onMoved() {} };

export class DurableCall {
  readonly log: RunLog;
  readonly #runs: RunRepository;
  /** The call on a session, which is told when another process records a reply, or takes the run over. */
  readonly #session: RunListener | undefined;
  readonly #secrets = new SecretRedactor();
  /** Whether the run was handed over before: a call that ends without its result does not end the run. */
  readonly outlivesCall: boolean;
  #releaseLease: (() => Promise<void>) | undefined;
  #releaseClaim: (() => void) | undefined;
  #isDetached = false;

  /** `release` is given where this process holds the lease already. */
  constructor(
    { log, release }: Pick<LeasedLog, "log"> & Partial<LeasedLog>,
    runs: RunRepository,
    session?: RunListener,
  ) {
    this.log = log;
    this.outlivesCall = log.isHandedOver;
    this.#runs = runs;
    this.#session = session;
    this.#releaseLease = release;
  }

  /** What a body is started with. */
  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "secrets"> {
    this.log.describe(definition, this.#secrets);
    return { runId: this.log.run, journal: this.journal(), secrets: this.#secrets };
  }

  /** The journal of a body that starts. A new run is claimed before its first record is in the store. */
  journal(): Journal {
    this.log.beforeFirstAppend = () => this.acquire();
    return this.log.startBody();
  }

  /** Acquires the lease, once no other process has it, and claims the run. `release` is given where the caller has the lease. */
  async acquire(release?: () => Promise<void>): Promise<void> {
    this.#releaseLease ??= release ?? (await this.#runs.acquireLease(this.log.run));
    try {
      await this.#claim();
    } catch (error) {
      await this.release();
      throw error;
    }
    // The run was detached while the lease was waited for.
    if (this.#isDetached) await this.release();
  }

  async release(): Promise<void> {
    const release = this.#releaseLease;
    this.#releaseLease = undefined;
    await release?.();
  }

  /** Stops working on the run: releases the claim and the lease. */
  async rest(): Promise<void> {
    this.unclaim();
    await this.release();
  }

  /**
   * Opens a round in the store, and releases the lease. Gives back a reply that is in the log already, if there is one: the
   * body continues with that, and the round is not asked.
   */
  async openRound(
    round: Round,
    until: number,
    options: Parameters<RunLog["openRound"]>[2] = {},
  ): Promise<Replies | undefined> {
    if (this.#session === undefined) this.unclaim();
    if (this.log.nextReply(round) === undefined) await this.log.openRound(round, until, options);
    const known = this.log.nextReply(round);
    if (known === undefined) await this.release();
    else await this.acquire();
    return known && Object.fromEntries([known]);
  }

  /** Records a reply of the client's. Gives back the reply that the body is given next: the first one in the log counts. */
  async recordReply(question: OpenQuestion, reply: Reply): Promise<Replies> {
    const { key } = question;
    // The answer of a page is known to this process only, and stands in no log.
    if (isForPage(question)) return { [key]: reply };
    return Object.fromEntries([await this.log.recordReply(question, reply, this.#runs.now())]);
  }

  /** Records a reply to a question that another process asks by now. */
  async passOn({ key, attempt }: OpenQuestion, reply: Reply): Promise<void> {
    const find = (): Promise<OpenQuestionRef | undefined> =>
      findOpenQuestion(this.#runs, this.log.run, key, attempt);
    await answerIfAwaited(this.#runs, find, reply);
  }

  /**
   * The reply that the body is given next, where another process has recorded a reply that ends the question. Throws `RunMoved`
   * where the run was continued elsewhere.
   */
  async replyElsewhere(question: OpenQuestion): Promise<Replies | undefined> {
    await this.log.refresh();
    this.log.assertNotMoved();
    const reply = this.log.replyEnding(question);
    return reply && Object.fromEntries([reply]);
  }

  /**
   * Releases the run, and waits until its log has grown: a question was answered in the inbox, or has expired. Then it throws
   * `RunMoved`. Resolves where `stopped` does, or so many milliseconds are over.
   */
  async untilGrown(stopped: Promise<void>, clock: Clock, most: number): Promise<void> {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const { run } = this.log;
    const leave = await this.#runs.onGrown(run, () => wake());
    this.log.forgetAnswers();
    try {
      await this.rest();
      if (await this.log.refresh()) throw new RunMoved(run);
      await withTimeout(Promise.race([woken, stopped]), clock, most);
      if (await this.log.refresh()) throw new RunMoved(run);
    } finally {
      leave();
    }
  }

  /** Records how the run ended; nothing, where it was detached or has ended before. */
  async end(ending: RunResult): Promise<void> {
    this.unclaim();
    try {
      if (!this.#isDetached && this.log.ending === undefined) await this.log.recordEnd(ending);
      // Other processes may have pages open for a run that was handed over: they close them.
      if (this.log.isHandedOver) await this.publishGrown();
    } finally {
      await this.release();
    }
  }

  /** Ends the run as its client wants, also where another process has continued it meanwhile. */
  async cancel(error: RpcError): Promise<void> {
    if (this.#isDetached || (await this.fail(error))) return;
    await endRun(this.#runs, this.log.run, error);
  }

  /** Records the error as the end of the run, unless it is only an interruption. Says whether it was recorded. */
  async fail(error: unknown): Promise<boolean> {
    if (!isFinalError(error) || this.#isDetached) {
      await this.rest();
      return false;
    }
    try {
      await this.end(encodeError(error));
      return true;
    } catch (failure) {
      // Where the run has moved, another process works on it.
      if (!(failure instanceof RunMoved)) this.#runs.report(failure);
      return false;
    }
  }

  /**
   * Leaves the run to other processes. Resolves when the step under way has ended and was recorded; never rejects. With
   * `continues: false` only its own client continues the run.
   */
  async detach(
    run: Pick<Run<unknown>, "detach"> | undefined,
    { continues = true }: { readonly continues?: boolean } = {},
  ): Promise<void> {
    if (this.#isDetached) return;
    this.#isDetached = true;
    try {
      // A client that has gone has cancelled its call: the body is told so.
      await run?.detach({ abortsBody: !continues });
      this.unclaim();
      await (continues ? this.log.recordDetached() : this.log.recordLeft());
      await this.release();
      // Before, the lease would keep other processes from continuing the run.
      if (continues && this.log.length > 0) await this.#runs.publish({ grown: this.log.run });
    } catch (error) {
      // Where the run has moved, another process works on it.
      if (!(error instanceof RunMoved)) this.#runs.report(error);
    } finally {
      await this.release();
    }
  }

  /** Tells every process that the run was continued. */
  async publishGrown(): Promise<void> {
    await this.#runs.publish({ grown: this.log.run }).catch(this.#runs.report);
  }

  /** Other processes no longer leave the run to this one. */
  unclaim(): void {
    this.log.beforeFirstAppend = undefined;
    this.#releaseClaim?.();
    this.#releaseClaim = undefined;
  }

  async #claim(): Promise<void> {
    if (this.#releaseClaim !== undefined || this.#isDetached) return;
    const release = await this.#runs.onRunEvents(this.log.run, this.#session ?? IGNORE);
    if (this.#isDetached) release();
    else this.#releaseClaim = release;
  }
}
