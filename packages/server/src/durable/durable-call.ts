/**
 * A durable run on which this process works: its log, its lease, and the messages of other processes about it.
 *
 *   1. The process holds the lease of the run while the body works, and not while a person is asked.
 *   2. While the run is claimed, other processes leave it to this one while this process is alive. It is claimed while
 *      the body works; and while a question is open, if the client of a session waits for the answer here.
 *   3. Detaching leaves the run unfinished in the store, where any process continues it. The step in progress ends
 *      and is recorded; the body is neither resumed nor closed.
 */
import {
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
import type { Account } from "../accounts.ts";
import type { ClientPort } from "../calls/client-port.ts";
import { deferred, withTimeout } from "../util/timers.ts";
import { isForPage } from "../protocol/elicitation.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import { answerIfAwaited, findOpenQuestion } from "./submit-answer.ts";
import type { RunListener } from "./process-bus.ts";
import { type RunResult, isFinalError, encodeError } from "./log-records.ts";
import { endRun } from "./cancelled-calls.ts";
import type { RunLog } from "./run-log.ts";
import type { OpenQuestions } from "./open-questions.ts";
import { RunMoved } from "../errors.ts";
import type { RunRepository } from "./run-repository.ts";

/** A log that was read while this process holds the run's lease. */
export interface LeasedLog {
  readonly log: RunLog;
  /** Releases the lease. */
  readonly release: () => Promise<void>;
}

/** The client's side of a call, for the hosts of its run: the run may be in the store, and its questions may be asked elsewhere. */
export interface DurableClientPort extends ClientPort {
  /** Whose limits count; those of the principal without this. */
  readonly account?: Account | undefined;
  /** Whether the client no longer waits for the call. */
  readonly isClosed: boolean;
  /** Whether the call runs without its client. */
  readonly hasNoClient?: boolean;
  /** Whether the request is a call of `photon_continue` or `photon_answer`, and not of the tool that runs. */
  readonly continuesRun?: boolean;
  /** Whether the client can be asked a question. False once the client did not show it and it is asked elsewhere. */
  supports(question: OpenQuestion): boolean;
  /** Set by a handover: whether a question that the client does not show can be asked by other means. */
  canAskElsewhere?: ((question: OpenQuestion) => boolean) | undefined;
  /** The client's reply to a question that is then asked elsewhere. It counts only if no page can be opened. */
  askedElsewhereReply?(key: string): Reply | undefined;
  /** The run in the store; undefined if it is not in the store, or was handed over. */
  readonly durable: DurableCall | undefined;
  /** Continues the run of another call, which was handed over, in this call. */
  adopt(leased: LeasedLog): void;
  /** The run waits in the store for another call: the response to this call is not its end. */
  forgetRun(): void;
}

export class DurableCall {
  readonly log: RunLog;
  readonly #runs: RunRepository;
  /** The call on a session: it is notified when another process records a reply, or continues the run. */
  readonly #listener: RunListener | undefined;
  readonly #secrets = new SecretRedactor();
  /** Whether the run was handed over before: a call that ends without its result does not end the run. */
  readonly outlivesCall: boolean;
  #releaseLease: (() => Promise<void>) | undefined;
  #releaseClaim: (() => void) | undefined;
  #isDetached = false;

  /** `release` is given if this process has the lease already. */
  constructor(
    { log, release }: Pick<LeasedLog, "log"> & Partial<LeasedLog>,
    runs: RunRepository,
    listener?: RunListener,
  ) {
    this.log = log;
    this.outlivesCall = log.isHandedOver;
    this.#runs = runs;
    this.#listener = listener;
    this.#releaseLease = release;
  }

  /** Core's options for a body that starts. */
  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "secrets"> {
    this.log.describe(definition, this.#secrets);
    return { runId: this.log.run, journal: this.journal(), secrets: this.#secrets };
  }

  /** The journal of a body that starts. A new run is claimed before its first record is in the store. */
  journal(): Journal {
    this.log.beforeFirstAppend = () => this.acquire();
    return this.log.startBody();
  }

  /** Acquires the lease, once no other process has it, and claims the run. `release` is given if the caller has the lease. */
  async acquire(release?: () => Promise<void>): Promise<void> {
    this.#releaseLease ??= release ?? (await this.#runs.acquireLease(this.log.run));
    try {
      await this.#claim();
    } catch (error) {
      await this.release();
      throw error;
    }
    // The run was detached while this waited for the lease.
    if (this.#isDetached) await this.release();
  }

  async release(): Promise<void> {
    const release = this.#releaseLease;
    this.#releaseLease = undefined;
    await release?.();
  }

  /** Releases the claim and the lease: other processes may work on the run. */
  async releaseAll(): Promise<void> {
    this.unclaim();
    await this.release();
  }

  /**
   * Opens a round in the store, and releases the lease. If the log has a reply already, resolves with it: the body continues with that
   * reply, and the round is not asked.
   */
  async openRound(
    round: Round,
    until: number,
    options: Pick<OpenQuestions, "isUnlogged"> = {},
  ): Promise<Replies | undefined> {
    if (this.#listener === undefined) this.unclaim();
    if (this.log.nextReply(round) === undefined) await this.log.openRound(round, until, options);
    const known = this.log.nextReply(round);
    if (known === undefined) await this.release();
    else await this.acquire();
    return known && Object.fromEntries([known]);
  }

  /** Records a reply of the client. Resolves with the reply that the body is given next: the first one in the log counts. */
  async recordReply(question: OpenQuestion, reply: Reply): Promise<Replies> {
    // Only this process knows the answer of a page, which is in no log.
    if (isForPage(question)) return { [question.key]: reply };
    return Object.fromEntries([await this.log.recordReply(question, reply, this.#runs.now())]);
  }

  /** Records a reply to a question that another process now asks. */
  async passOn({ key, attempt }: OpenQuestion, reply: Reply): Promise<void> {
    await answerIfAwaited(this.#runs, () => findOpenQuestion(this.#runs, this.log.run, key, attempt), reply);
  }

  /**
   * The reply that the body is given next, if another process has recorded a reply that ends the question. Throws `RunMoved` if
   * the run was continued elsewhere.
   */
  async replyElsewhere(question: OpenQuestion): Promise<Replies | undefined> {
    await this.log.refresh();
    this.log.assertNotMoved();
    const reply = this.log.replyEnding(question);
    return reply && Object.fromEntries([reply]);
  }

  /**
   * Releases the run, and waits until its log has grown: a question was answered in the inbox, or has expired. Then it throws
   * `RunMoved`. Resolves when `stopped` does, or after so many milliseconds.
   */
  async untilGrown(stopped: Promise<void>, milliseconds: number): Promise<void> {
    const { run } = this.log;
    const { bus, settings } = this.#runs;
    const grown = deferred();
    const unsubscribe = await bus.onGrown(run, grown.resolve);
    this.log.forgetAnswers();
    try {
      await this.releaseAll();
      if (await this.log.refresh()) throw new RunMoved(run);
      await withTimeout(Promise.race([grown.promise, stopped]), settings.clock, milliseconds);
      if (await this.log.refresh()) throw new RunMoved(run);
    } finally {
      unsubscribe();
    }
  }

  /** Records how the run ended, unless it was detached or has ended before. */
  async end(ending: RunResult): Promise<void> {
    this.unclaim();
    try {
      if (!this.#isDetached && this.log.ending === undefined) await this.log.recordEnd(ending);
      // Other processes close their pages for a run that was handed over.
      if (this.log.isHandedOver) await this.#runs.publishGrown(this.log.run);
    } finally {
      await this.release();
    }
  }

  /** Ends the run for its client, also if another process has continued it meanwhile. */
  async cancel(error: RpcError): Promise<void> {
    if (this.#isDetached || (await this.fail(error))) return;
    await endRun(this.#runs, this.log.run, error);
  }

  /** Records the error as the end of the run, unless it is only an interruption. Resolves with whether it was recorded. */
  async fail(error: unknown): Promise<boolean> {
    if (!isFinalError(error) || this.#isDetached) {
      await this.releaseAll();
      return false;
    }
    try {
      await this.end(encodeError(error));
      return true;
    } catch (failure) {
      this.#reportUnlessMoved(failure);
      return false;
    }
  }

  /**
   * Leaves the run to other processes. Resolves when the step in progress has ended and was recorded; never rejects. With
   * `continues: false` only its own client continues the run.
   */
  async detach(
    run: Pick<Run<unknown>, "detach"> | undefined,
    { continues = true }: { readonly continues?: boolean } = {},
  ): Promise<void> {
    if (this.#isDetached) return;
    this.#isDetached = true;
    try {
      // A client that has disconnected has cancelled its call: the signal of the body is aborted.
      await run?.detach({ abortsBody: !continues });
      this.unclaim();
      await (continues ? this.log.recordDetached() : this.log.recordLeft());
      // Before the message: a process that receives it acquires the lease.
      await this.release();
      if (continues && this.log.length > 0) await this.#runs.publishGrown(this.log.run);
    } catch (error) {
      this.#reportUnlessMoved(error);
    } finally {
      await this.release();
    }
  }

  /** Ends the claim: other processes no longer leave the run to this one. */
  unclaim(): void {
    this.log.beforeFirstAppend = undefined;
    this.#releaseClaim?.();
    this.#releaseClaim = undefined;
  }

  async #claim(): Promise<void> {
    if (this.#releaseClaim !== undefined || this.#isDetached) return;
    const release = await this.#runs.claim(this.log.run, this.#listener);
    if (this.#isDetached) release();
    else this.#releaseClaim = release;
  }

  /** If the run has moved, another process works on it. */
  #reportUnlessMoved(error: unknown): void {
    if (!(error instanceof RunMoved)) this.#runs.settings.report(error);
  }
}
