/**
 * Finds the call that a request starts or continues:
 *
 *   no requestState              a new call is started; `photon_continue` continues one that was handed over
 *   a state of the store         resume-durable.ts
 *   a state of another process   forward-to-owner.ts
 *   a state of a parked call     the call is resumed
 *   a state with a journal       a new StatelessCall replays it
 *
 * The same state with the same answers gets the same response (idempotency-cache.ts). With other answers it is rejected, unless its
 * first request only waits for a page: then that request is cancelled.
 */
import type { BackgroundWorker } from "../background/worker.ts";
import type { HandleStateless } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import { digestJson } from "../crypto/digest.ts";
import { CONTINUE, isContinueTool, parseOwnedRun } from "../handover/continue-tools.ts";
import { asRetryable } from "../jsonrpc/errors.ts";
import { isRecord } from "../jsonrpc/messages.ts";
import type { RequestMeta } from "../protocol/request-meta.ts";
import { retryResult } from "../protocol/results.ts";
import { CompactMap } from "../util/compact-map.ts";
import { type InputResponses, parseInputResponses } from "./client-questions.ts";
import { OwnerForwarding } from "./forward-to-owner.ts";
import { type CacheEntry, IdempotencyCache, replayOutcome } from "./idempotency-cache.ts";
import { type PendingRequest, RequestAttempt, type Resumption } from "./pending-request.ts";
import { callGone, invalidState, type RequestState, RequestStateCodec, subjectOf } from "./request-state.ts";
import { StoredCalls } from "./resume-durable.ts";
import { StatelessCall } from "./stateless-call.ts";
import type { CallOrigin } from "./stateless-client.ts";

export class CallRouter {
  readonly context: ServerContext;
  readonly states: RequestStateCodec;
  /** The calls that have been parked or continue from a state, and have not ended; also while a request continues them. */
  readonly #calls = new CompactMap<string, StatelessCall>();
  readonly #outcomes: IdempotencyCache;
  readonly #stored: StoredCalls | undefined;
  readonly #forwarding: OwnerForwarding | undefined;

  /** `handle` answers requests that other processes forward. */
  constructor(context: ServerContext, background: BackgroundWorker | undefined, handle: HandleStateless) {
    const { settings, runs } = context;
    this.context = context;
    this.states = new RequestStateCodec(context.sealedBox, settings.limits);
    this.#outcomes = new IdempotencyCache(settings);
    this.#stored = runs && new StoredCalls(this, runs, background);
    this.#forwarding = runs && new OwnerForwarding(runs, context, handle);
  }

  /** The calls that a later request can continue in this process. */
  get calls(): readonly StatelessCall[] {
    return this.#calls.values();
  }

  find(runId: string): StatelessCall | undefined {
    return this.#calls.get(runId);
  }

  /** Parks a call until a time. Throws over the limit of waiting calls, or of memory. */
  park(call: StatelessCall, until: number): void {
    const { waitingCalls } = this.context;
    const isNew = this.find(call.runId) !== call;
    if (isNew) waitingCalls.assertCapacity(call.account);
    waitingCalls.add(call, until);
    if (isNew) this.#calls.set(call.runId, call);
  }

  remove(call: StatelessCall): void {
    if (this.find(call.runId) === call) this.#calls.delete(call.runId);
    this.context.waitingCalls.remove(call);
  }

  /** Answers a request that calls something. */
  route(pending: PendingRequest, meta: RequestMeta): void {
    const { params = {} } = pending.request;
    const given = parseInputResponses(params);
    const attempt = new RequestAttempt(pending, meta);
    if (params["requestState"] === undefined) return this.#routeFirst(pending, attempt, given);
    const now = this.context.settings.clock.now();
    const state = this.states.decrypt(params["requestState"], attempt.binding, now);
    if (state.answeredAt !== undefined) attempt.answeredAt = state.answeredAt;
    const responses = given ?? state.receivedResponses ?? {};
    const resumption = { pending, attempt, state, responses, answersDigest: digestJson(responses) };
    if (state.logged !== undefined) this.#resumeStored(resumption, state.logged);
    else if (state.process === undefined || state.process === this.context.runs?.process)
      this.#resumeHere(resumption);
    else this.#forward(pending, state.process, () => attempt.fail(callGone()));
  }

  /** Starts a call, for its first request in this process. */
  start(attempt: RequestAttempt, origin: CallOrigin): void {
    let call: StatelessCall;
    try {
      call = new StatelessCall(this, attempt, origin);
    } catch (error) {
      void origin.leased?.release();
      return attempt.fail(error);
    }
    if (origin.state !== undefined) this.#calls.set(call.runId, call);
    call.start(attempt, origin);
  }

  /** Continues a run that another process has written to, from its log. */
  follow(attempt: RequestAttempt, state: RequestState): void {
    if (this.#stored === undefined) attempt.fail(callGone());
    else this.#stored.follow(attempt, state);
  }

  /** Tells the client to send the request again, with a state. */
  finishWithRetry(attempt: RequestAttempt, state: RequestState): void {
    const { binding, method, params } = attempt;
    // The client counts a response without questions as a round.
    const roundsBefore = (state.roundsBefore ?? 0) - 1;
    try {
      const text = this.states.encrypt({ ...state, roundsBefore }, binding, subjectOf(method, params));
      attempt.finish(retryResult(text));
    } catch (error) {
      attempt.fail(error);
    }
  }

  /** The server closes: stops the call of a request. If it has none yet, its client is told to retry the request. */
  async stop({ attempt }: PendingRequest, reason: Error): Promise<void> {
    if (attempt?.call !== undefined) await attempt.call.stop(reason);
    else if (attempt?.retryState !== undefined) this.finishWithRetry(attempt, attempt.retryState);
  }

  clear(): void {
    this.#outcomes.clear();
  }

  #routeFirst(pending: PendingRequest, attempt: RequestAttempt, responses: InputResponses | undefined): void {
    const { name, arguments: input } = attempt.params;
    const { handovers, waitingCalls } = this.context;
    const start = (): void => {
      pending.assertAwaited();
      this.start(attempt, { responses });
    };
    if (!isContinueTool(name)) {
      waitingCalls.assertCapacity(attempt.account);
      return start();
    }
    const owner = handovers.ownerOf(input);
    if (owner !== undefined) this.#forward(pending, owner, start);
    else if (name === CONTINUE) this.#continue(attempt, start);
    else start();
  }

  /**
   * Handles `photon_continue` for a call that reached its client's limit of rounds. `otherwise` is called if there is no such call: then
   * `photon_continue` is called like a tool.
   */
  #continue(attempt: RequestAttempt, otherwise: () => void): void {
    const input = attempt.params["arguments"];
    const ref = isRecord(input) ? input["run"] : undefined;
    const run = typeof ref === "string" ? parseOwnedRun(ref).run : "";
    const call = this.find(run);
    const isHere = call?.isHandedOver === true && call.clientPort.durable === undefined;
    if (isHere && call.principal === attempt.principal) return call.continueIn(attempt);
    if (this.#stored === undefined) return otherwise();
    this.#stored
      .continueRun(attempt, run)
      .then((isContinued) => isContinued || otherwise())
      .catch((error: unknown) => attempt.fail(asRetryable(error) ?? error));
  }

  #resumeStored(resumption: Resumption, logged: number): void {
    if (this.#stored === undefined) throw callGone();
    const earlier = this.#outcomes.find(resumption.state);
    if (earlier !== undefined && this.#answerAgain(earlier, resumption)) return;
    // Added in this tick: the same request, sent again before the run is resumed, waits for the same outcome.
    this.#outcomes.add(resumption);
    this.#stored.resume(resumption, logged);
  }

  /** Continues a call that only this process has, or whose journal is in the state. Waits for an earlier request of it to end. */
  #resumeHere(resumption: Resumption): void {
    resumption.pending.assertAwaited();
    this.#tryToResume(resumption)
      ?.then(() => this.#resumeHere(resumption))
      .catch((error: unknown) => resumption.pending.fail(error));
  }

  /** Resumes or replays the call. If an earlier request must end first, returns a promise that resolves when it has. */
  #tryToResume(resumption: Resumption): Promise<void> | undefined {
    const { attempt, state, responses } = resumption;
    const earlier = this.#outcomes.find(state);
    if (earlier !== undefined && this.#answerAgain(earlier, resumption)) return undefined;
    const call = this.find(state.run);
    if (call === undefined) {
      if (state.journal === undefined) throw callGone();
      this.#outcomes.add(resumption);
      this.start(attempt, { responses, state });
      return undefined;
    }
    if (call.parked !== undefined && call.waitsFor(state)) {
      const replies = call.clientPort.questions.parseReplies(call.parked.questions, responses);
      this.#outcomes.add(resumption);
      call.resume(attempt, replies, responses);
      return undefined;
    }
    if (state.journal !== undefined && call.isOlderThan(state)) return call.yieldToNewer();
    // The call has continued since, from this state or a later one.
    if (earlier === undefined || call.settled === undefined) throw invalidState();
    // The client of the first request with this state has disconnected, and the body is being closed.
    return call.settled;
  }

  /** Answers a request as an earlier one with the same state, and returns whether that was possible. Throws if that brought other answers. */
  #answerAgain(earlier: CacheEntry, { pending, state, answersDigest }: Resumption): boolean {
    if (!this.context.settings.singleUse && earlier.answersDigest === answersDigest)
      return replayOutcome(earlier, pending);
    if (this.find(state.run)?.reclaim() !== true) throw invalidState();
    return false;
  }

  /** Sends a request to the process that has its call. `otherwise` is called if that process has ended. */
  #forward(pending: PendingRequest, process: string, otherwise: () => void): void {
    if (this.#forwarding === undefined) return otherwise();
    this.#forwarding
      .forward(process, pending.request, pending.caller)
      .then((response) => (response === undefined ? otherwise() : pending.respond(response)))
      .catch((error: unknown) => pending.fail(asRetryable(error) ?? error));
  }
}
