/**
 * Continues calls of 2026-07-28 whose runs are in a store, for a request that brings a state or calls `photon_continue`.
 *
 *   1. A process holds the lease of a run while it continues the run.
 *   2. Answers count if the run is where it was when its client was asked. The same answers again get the same outcome; other answers
 *      are too late.
 *   3. A call that is parked in this process is resumed if its log has not grown. Otherwise it is dropped, and the run is replayed
 *      from its log.
 */
import { answerableUntil } from "../calls/question-deadlines.ts";
import { asRetryable } from "../jsonrpc/errors.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import { decodeError, type SinceAsked, sinceAsked } from "../durable/log-records.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { BackgroundWorker } from "../background/worker.ts";
import type { CallRouter } from "./call-router.ts";
import type { InputResponses } from "./client-questions.ts";
import type { RequestAttempt, Resumption } from "./pending-request.ts";
import { callGone, invalidState, randomWaitId, type RequestState } from "./request-state.ts";
import type { StatelessCall } from "./stateless-call.ts";

type Release = LeasedLog["release"];

export class StoredCalls {
  readonly #router: CallRouter;
  readonly #runs: RunRepository;
  readonly #background: BackgroundWorker | undefined;

  constructor(router: CallRouter, runs: RunRepository, background: BackgroundWorker | undefined) {
    this.#router = router;
    this.#runs = runs;
    this.#background = background;
  }

  /** Resumes or replays the call of a state. `logged`: the length of its log when the client was asked. */
  resume(resumption: Resumption, logged: number): void {
    const { attempt, state, responses } = resumption;
    void this.#withLease(attempt, state, responses, async (release) => {
      const call = this.#router.find(state.run);
      if (call !== undefined && (await this.#resumeParked(resumption, call, release))) return;
      await call?.yieldToNewer();
      await this.#replay(resumption, logged, release);
    });
  }

  /** Continues a run from its log for a request whose call was dropped, because another process has written to the log. */
  follow(attempt: RequestAttempt, state: RequestState): void {
    const { received } = attempt;
    const logged = received?.position?.logged;
    const responses = logged === undefined ? undefined : received?.responses;
    void this.#withLease(attempt, state, responses, async (release) => {
      const log = await this.#find(state.run);
      if (finishWithEnding(log, attempt)) return release();
      const unused =
        responses && logged !== undefined
          ? unrecorded(responses, sinceAsked(await this.#runs.read(state.run, logged)))
          : undefined;
      if (attempt.hasEndedOrThrow()) return release();
      this.#router.start(attempt, { responses: unused, state, leased: { log, release } });
    });
  }

  /** Continues a run for `photon_continue`. Returns whether it is a call of the same principal that a client of 2026-07-28 began. */
  async continueRun(attempt: RequestAttempt, run: string): Promise<boolean> {
    const log = await this.#runs.find(run);
    if (log === undefined || log.isHandedOver) return false;
    const { method, principal, revision } = log.head;
    const isOwn = principal === attempt.principal && revision === attempt.meta.revision;
    if (!isOwn || method !== "tools/call") return false;
    await this.#untilFree(run);
    await this.#router.find(run)?.yieldToNewer();
    const until = answerableUntil({}, this.#router.context.settings);
    this.follow(attempt, { run, round: 0, waitId: randomWaitId(), until, logged: log.length, questions: "" });
    return true;
  }

  /** Resolves when neither an earlier request nor the background worker works on a run in this process. */
  async #untilFree(run: string): Promise<void> {
    await this.#router.find(run)?.settled;
    await this.#background?.settled(run);
  }

  /** Acquires the lease of a run, and releases it if the call cannot be started. Until it is, the client may be told to send the state again. */
  async #withLease(
    attempt: RequestAttempt,
    state: RequestState,
    receivedResponses: InputResponses | undefined,
    act: (release: Release) => Promise<void>,
  ): Promise<void> {
    attempt.retryState = { ...state, receivedResponses, answeredAt: attempt.answeredAt };
    try {
      await this.#untilFree(state.run);
      const release = await this.#runs.acquireLease(state.run);
      try {
        await (attempt.hasEndedOrThrow() ? release() : act(release));
      } catch (error) {
        await release();
        throw error;
      }
    } catch (error) {
      attempt.refuse(asRetryable(error) ?? error);
    }
  }

  async #find(run: string): Promise<RunLog> {
    const log = await this.#runs.find(run);
    if (log === undefined) throw callGone();
    return log;
  }

  /** Resumes a parked call, unless its run was continued elsewhere. Returns whether nothing is left to do. */
  async #resumeParked(
    { attempt, state, responses, answersDigest }: Resumption,
    call: StatelessCall,
    release: Release,
  ): Promise<boolean> {
    const { clientPort, parked } = call;
    const { durable } = clientPort;
    if (durable === undefined || parked === undefined || !call.waitsFor(state)) return false;
    if (await durable.log.refresh()) return false;
    const replies = clientPort.questions.parseReplies(parked.questions, responses);
    await durable.acquire(release);
    // If the server has closed meanwhile, its client was told to retry the request: another process may work on the run.
    if (attempt.isEnded || attempt.isAbandoned) {
      await durable.releaseAll();
      return attempt.hasEndedOrThrow();
    }
    durable.log.noteAnswers(answersDigest);
    call.resume(attempt, replies, responses);
    return true;
  }

  /** Replays the run from its log. If it has ended, the request gets its end. */
  async #replay(
    { attempt, state, responses, answersDigest }: Resumption,
    logged: number,
    release: Release,
  ): Promise<void> {
    const log = await this.#find(state.run);
    const since = sinceAsked(await this.#runs.read(state.run, logged));
    const { singleUse } = this.#router.context.settings;
    if (since.answersDigest !== undefined && (singleUse || since.answersDigest !== answersDigest))
      throw invalidState();
    if (finishWithEnding(log, attempt)) return release();
    if (since.isUntouched) log.noteAnswers(answersDigest);
    this.#router.start(attempt, { responses: unrecorded(responses, since), state, leased: { log, release } });
  }
}

/** The answers to questions that have no reply in the log. */
function unrecorded(responses: InputResponses, { answered }: SinceAsked): InputResponses {
  return Object.fromEntries(Object.entries(responses).filter(([key]) => !answered.has(key)));
}

/** Ends an attempt with the result or the error of a run that has ended. Returns whether the attempt has ended. */
function finishWithEnding({ ending }: RunLog, attempt: RequestAttempt): boolean {
  if (attempt.hasEndedOrThrow()) return true;
  if (ending === undefined) return false;
  if ("result" in ending) attempt.finish(ending.result);
  else attempt.fail(decodeError(ending));
  return true;
}
