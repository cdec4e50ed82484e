/**
 * A call of 2026-07-28, from its first request to its end, however many requests that takes.
 *
 *   running    a request is answered with the next questions or the result; it gets the notifications
 *   awaiting   the same, but the body has not continued: a person is answering on a page or in the inbox
 *   parked     waits for the answers to a round of questions: a paused object, which retains no request
 *   detaching  the run is left to another process; the client is told to retry the request
 *   ended      this object is no longer used. The run may continue in another process, or in a new StatelessCall
 *
 * running ⇄ awaiting; running or awaiting → parked → running; running or awaiting → detaching → ended; any → ended.
 */
import { type Replies, type Round, RunCancelled } from "@photon/core";
import type { ClientReplies } from "../protocol/elicitation.ts";
import type { Account } from "../accounts.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import { type CallRunner, driveCall } from "../calls/call-runner.ts";
import { CALL_BYTES, type WaitingCall } from "../calls/waiting-calls.ts";
import { lazyNodeCrypto } from "../crypto/sealed-box.ts";
import { ownParams } from "../durable/log-records.ts";
import { errorTextResult, IN_ANOTHER_CALL } from "../handover/model-text.ts";
import { asRetryable, isMoved, RetryableError } from "../jsonrpc/errors.ts";
import type { JsonObject, Params } from "../jsonrpc/messages.ts";
import { START_TIMEOUT_MS, untilTrue, withTimeout } from "../util/timers.ts";
import type { CallRouter } from "./call-router.ts";
import { type InputRequests, type InputResponses, withoutDangerous } from "./client-questions.ts";
import type { ReceivedResponses, RequestAttempt } from "./pending-request.ts";
import { digestQuestions, randomWaitId, type RequestState, type RoundPosition } from "./request-state.ts";
import { continueResult, maxRounds, reportManyRounds } from "./rounds-per-call.ts";
import { type CallOrigin, createRunner, type StatelessClient } from "./stateless-client.ts";

/** Waits for the answers to `questions`. */
interface Parked extends RoundPosition {
  readonly is: "parked";
  readonly questions: Round;
}

/** `before`: the state to return to if the client disconnects. */
interface Awaiting {
  readonly is: "awaiting";
  readonly attempt: RequestAttempt;
  readonly before: Parked;
}

type CallState =
  | { readonly is: "running" | "detaching"; readonly attempt: RequestAttempt }
  | Awaiting
  | Parked
  | { readonly is: "ended" };

const ENDED = { is: "ended" } as const;

/** How a call was parked, and the client's replies to its questions. */
interface ResumedWith {
  readonly before: Parked;
  readonly replies: ClientReplies;
}

export class StatelessCall implements WaitingCall {
  runId: string;
  readonly principal: string;
  readonly account: Account;
  weight: number;
  reserved = 0;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  readonly clientPort: StatelessClient;
  readonly #router: CallRouter;
  readonly #runner: CallRunner;
  /** The weight of the first request: later ones repeat its arguments, and add only their answers. */
  readonly #requestWeight: number;
  /** Set by `start`. */
  #state: CallState = ENDED;
  /** Settles when the request under way is answered. */
  #answered: Promise<void> | undefined;
  /** Settles when the call was closed or detached. */
  #closing: Promise<void> | undefined;
  /** The number of rounds so far, and how many of them were asked before the client's current call. */
  #rounds: number;
  #roundsBefore: number;
  /** The parameters of the client's first call, where `photon_continue` continues it. */
  #called: Params | undefined;
  /** Whether the client's call ended at its limit of rounds, so that `photon_continue` continues it. */
  isHandedOver = false;

  /** Throws if the parameters name nothing that can be called. */
  constructor(router: CallRouter, attempt: RequestAttempt, origin: CallOrigin) {
    const { principal, account, weight } = attempt;
    const { state } = origin;
    this.#router = router;
    this.runId = state?.run ?? lazyNodeCrypto().randomUUID();
    this.principal = principal;
    this.account = account;
    this.weight = weight + CALL_BYTES;
    this.#requestWeight = weight;
    this.#rounds = state?.round ?? 0;
    this.#roundsBefore = state?.roundsBefore ?? 0;
    this.#called = state?.called;
    const { runner, clientPort } = createRunner(this, attempt, router.context, origin);
    this.#runner = runner;
    this.clientPort = clientPort;
  }

  /** The request that is being answered. */
  get attempt(): RequestAttempt | undefined {
    return "attempt" in this.#state ? this.#state.attempt : undefined;
  }

  get parked(): Parked | undefined {
    return this.#state.is === "parked" ? this.#state : undefined;
  }

  /** When the call expires, while it is parked. */
  get until(): number | undefined {
    return this.parked?.until;
  }

  /** Settles when the request under way is answered, or the call was closed. Undefined while it is parked. */
  get settled(): Promise<void> | undefined {
    return this.#closing ?? this.#answered;
  }

  /** Whether it waits for the answers that come with a state. */
  waitsFor({ waitId, logged }: RequestState): boolean {
    const { parked } = this;
    return (
      parked !== undefined && (logged === undefined ? parked.waitId === waitId : parked.logged === logged)
    );
  }

  /** Whether the run was continued in another process: that process sent the state. */
  isOlderThan(state: RequestState): boolean {
    const isHere = this.parked === undefined || this.waitsFor(state);
    return this.#rounds < state.round || (this.#rounds === state.round && !isHere);
  }

  /** Continues a run that was handed over by another call. */
  adoptRun(run: string): void {
    const older = this.#router.find(run);
    if (older !== undefined) this.#router.remove(older);
    this.runId = run;
  }

  /** Runs the call for its first request in this process. */
  start(attempt: RequestAttempt, { responses, state }: CallOrigin): void {
    attempt.received = responses && { responses, position: state, stage: "early" };
    this.#run(attempt);
  }

  /** Continues a parked call with replies, for another request. */
  resume(attempt: RequestAttempt, replies: ClientReplies, responses: InputResponses): void {
    const before = this.#state;
    if (before.is !== "parked") throw new Error("Only a parked call can be resumed.");
    this.weight += Math.max(0, attempt.weight - this.#requestWeight);
    attempt.received = { responses, position: before, stage: "open" };
    this.#run(attempt, { before, replies });
  }

  /** Continues a call that was handed over, in another call of its client, which has as many rounds again. */
  continueIn(attempt: RequestAttempt): void {
    const { parked } = this;
    if (parked === undefined) return attempt.finish(errorTextResult(IN_ANOTHER_CALL));
    this.#roundsBefore = this.#rounds;
    this.resume(attempt, this.clientPort.questions.parseReplies(parked.questions, {}), {});
  }

  /** Parks the call again if its request only waits for a page. Returns whether the call is parked. */
  reclaim(): boolean {
    if (this.#state.is === "awaiting") this.#returnTo(this.#state);
    return this.#state.is === "parked";
  }

  /** The client of the request under way has disconnected. */
  onDisconnect(): void {
    if (!this.reclaim()) void this.#abandon("The client cancelled the call.");
  }

  /** Drops the call for a later state of its run, which came from another process. The run does not end. */
  async yieldToNewer(): Promise<void> {
    if (this.attempt !== undefined) await this.#abandon("The call continued from a later requestState.");
    this.#router.remove(this);
  }

  /** The server closes. A run that other processes can continue is detached, and its client is told to retry its request. */
  async stop(reason: Error): Promise<void> {
    const { clock, keys } = this.clientPort.settings;
    if (keys.length === 0) return this.close(reason);
    const isKnown = (): boolean => this.clientPort.hasStarted || this.attempt === undefined;
    await untilTrue(isKnown, clock, START_TIMEOUT_MS);
    return this.clientPort.isDurable ? this.#detach({ continues: true }) : this.close(reason);
  }

  close(reason: Error): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: Error): Promise<void> {
    const { until } = this;
    if (until === undefined || (await this.clientPort.canEnd(until, reason))) await this.#closeBody(reason);
    await this.#answered;
    this.#setEnded();
  }

  /** Ends the work for the request. A run in the store stays where it is: the same request continues it. */
  #abandon(reason: string): Promise<void> {
    return this.clientPort.durable === undefined
      ? this.close(new RunCancelled(reason))
      : this.#detach({ continues: false });
  }

  #detach(options: { readonly continues: boolean }): Promise<void> {
    this.#closing ??= this.#leave(options);
    return this.#closing;
  }

  /** Leaves the run to other processes, once the step under way has ended or the grace period is over. */
  async #leave(options: { readonly continues: boolean }): Promise<void> {
    const attempt = this.attempt;
    if (attempt === undefined) return this.#setEnded();
    this.#state = { is: "detaching", attempt };
    const { clock, grace } = this.clientPort.settings;
    await withTimeout(this.clientPort.detach(options), clock, grace);
    const state = this.#stateToContinue(attempt);
    this.#setEnded();
    this.#router.finishWithRetry(attempt, state);
    await this.#runner.close();
  }

  /** Whether the call still runs for a request. Otherwise the request was answered, or another process continues the run. */
  #runsFor(attempt: RequestAttempt): boolean {
    return this.#state.is === "running" && this.#state.attempt === attempt;
  }

  /** Runs the call for a request. `resumed`: for one that was parked. */
  #run(attempt: RequestAttempt, resumed?: ResumedWith): void {
    attempt.call = this;
    this.#state = { is: "running", attempt };
    this.#answered = this.#answer(attempt, resumed);
  }

  async #answer(attempt: RequestAttempt, resumed: ResumedWith | undefined): Promise<void> {
    try {
      const opening = resumed && this.#openReplies(attempt, resumed);
      const replies = opening instanceof Promise ? await opening : opening;
      if (!this.#runsFor(attempt)) return;
      const ask = (round: Round): Promise<Replies | undefined> => this.#ask(round, attempt);
      const result = await driveCall(this.#runner, this.clientPort, ask, replies);
      if (result === undefined || !this.#runsFor(attempt)) return;
      this.#setEnded();
      attempt.finish(result);
    } catch (thrown) {
      if (this.attempt !== attempt || this.#state.is === "detaching") return;
      const error = asRetryable(thrown) ?? thrown;
      if (this.clientPort.durable !== undefined && isMoved(error)) return this.#follow(attempt);
      // An interrupted run has not ended: its body is detached, not closed, and the same state can be used again.
      const isInterrupted = error instanceof RetryableError;
      if (isInterrupted) await this.clientPort.drop();
      await this.#closeBody();
      await this.clientPort.durable?.fail(error);
      this.#setEnded();
      if (isInterrupted) attempt.refuse(error);
      else attempt.fail(error);
    }
  }

  /** The replies with which a parked body continues. */
  #openReplies(attempt: RequestAttempt, { before, replies }: ResumedWith): Replies | Promise<Replies> {
    const counted = this.#countReplies(attempt, before.questions, replies);
    if (!(counted instanceof Promise)) {
      attempt.setGiven();
      return counted;
    }
    const awaiting = { is: "awaiting", attempt, before } as const;
    this.#state = awaiting;
    return counted.then((given) => {
      if (this.#state !== awaiting) return given;
      this.#state = { is: "running", attempt };
      attempt.setGiven();
      return given;
    });
  }

  /** The replies that count; a promise where a person answers on a page or in the inbox. */
  #countReplies(attempt: RequestAttempt, round: Round, replies: ClientReplies): Replies | Promise<Replies> {
    const times = { askedAt: attempt.received?.position?.askedAt, answeredAt: attempt.answeredAt };
    const counted = this.clientPort.questions.countReplies(round, replies, times);
    // The client's replies do not count, also if another process continues the run.
    if (counted.isLeftToInbox) attempt.received = undefined;
    return counted.replies;
  }

  /** Asks a round: parks the call and answers its request with the questions. Returns replies if there are some already. */
  async #ask(round: Round, attempt: RequestAttempt): Promise<Replies | undefined> {
    if (attempt.received?.stage === "early") {
      const replies = await this.#earlyReplies(round, attempt, attempt.received);
      if (replies !== undefined || !this.#runsFor(attempt)) return replies;
    }
    attempt.received = undefined;
    const { clientPort } = this;
    const requested = clientPort.questions.requestsFor(round);
    const { requests, unsupportedReplies } = requested instanceof Promise ? await requested : requested;
    const until = answerableUntil(round, clientPort.settings);
    const opening = unsupportedReplies === undefined ? clientPort.openRound(round, until) : undefined;
    const known = unsupportedReplies ?? (opening && (await opening));
    if (known !== undefined) return known;
    if (!this.#runsFor(attempt)) return undefined;
    attempt.finish(this.#parkRound(round, until, requests, attempt));
    return undefined;
  }

  /** The replies to the first round in this process, from answers that came before it was reached. Undefined if none came. */
  async #earlyReplies(
    round: Round,
    attempt: RequestAttempt,
    received: ReceivedResponses,
  ): Promise<Replies | undefined> {
    const { responses, position } = received;
    received.stage = "open";
    let replies: ClientReplies;
    try {
      // Answers that came without a state never answer a dangerous question.
      const answerable = position === undefined ? withoutDangerous(round) : round;
      replies = this.clientPort.questions.parseReplies(answerable, responses);
    } catch (error) {
      if (position === undefined) throw error;
      // The run is as it was: it waits for another answer to the state that the client sent.
      this.#park(round, position);
      await this.clientPort.durable?.releaseAll();
      attempt.refuse(error);
      return undefined;
    }
    const counted = this.#countReplies(attempt, round, replies);
    const given = await counted;
    if (counted instanceof Promise) await this.clientPort.durable?.acquire();
    if (this.#runsFor(attempt)) attempt.setGiven();
    // A reply that does not count was taken, too: the question is asked elsewhere.
    return Object.keys(replies).length === 0 ? undefined : given;
  }

  /**
   * Parks the call. Returns the result of its request: the questions with the state that continues the call, or a text for the model
   * if the client accepts no more rounds in this call.
   */
  #parkRound(questions: Round, until: number, requests: InputRequests, attempt: RequestAttempt): JsonObject {
    const { context, states } = this.#router;
    const { name, settings } = this.clientPort;
    const canAsk = this.#rounds - this.#roundsBefore < maxRounds(context, attempt);
    const round = canAsk ? this.#rounds + 1 : this.#rounds;
    const state = this.#stateAt(questions, round, until, settings.clock.now());
    if (!canAsk) {
      this.#park(questions, state);
      this.isHandedOver = true;
      if (state.journal !== undefined) this.#called ??= ownParams(attempt.params);
      return continueResult(context, this, attempt);
    }
    const requestState = states.encrypt(state, attempt.binding, name);
    this.#park(questions, state);
    reportManyRounds(context, name, round);
    return this.clientPort.questions.inputRequired(questions, requests, requestState, attempt.meta);
  }

  /** Throws over the limit of parked calls, or of memory. */
  #park(questions: Round, { round, waitId, until, askedAt, logged }: RoundPosition): void {
    this.#router.park(this, until);
    this.#rounds = round;
    this.#state = { is: "parked", questions, round, waitId, until, askedAt, logged };
    this.#answered = undefined;
  }

  /** Parks the call again with the round that it waited for: its client has disconnected, or has sent other answers. */
  #returnTo({ attempt, before }: Awaiting): void {
    this.#park(before.questions, before);
    this.clientPort.questions.stopWaiting();
    this.clientPort.durable?.releaseAll().catch(this.clientPort.settings.report);
    attempt.cancel();
  }

  /** The state with which a request continues the call: after the answers to these questions, or from where it is. */
  #stateAt(questions: Round, round: number, until: number, askedAt: number | undefined): RequestState {
    return {
      run: this.runId,
      round,
      waitId: randomWaitId(),
      questions: digestQuestions(questions),
      until,
      askedAt,
      roundsBefore: this.#roundsBefore || undefined,
      called: this.#called,
      ...this.clientPort.runState,
    };
  }

  /** The state with which the request under way, or another process, continues the call, with the answers that it has not used. */
  #stateToContinue({ received, answeredAt }: RequestAttempt): RequestState {
    const until = answerableUntil({}, this.clientPort.settings);
    const state = this.#stateAt({}, this.#rounds, until, received?.position?.askedAt);
    if (received?.position === undefined) return state;
    return {
      ...state,
      answeredAt,
      ...(received.stage === "given" ? {} : { receivedResponses: received.responses }),
    };
  }

  /** Another process has continued the run: a new StatelessCall continues it from its log, for the same request. */
  async #follow(attempt: RequestAttempt): Promise<void> {
    const state = this.#stateToContinue(attempt);
    // The server may close before another call works for the request.
    attempt.call = undefined;
    await this.clientPort.drop();
    this.#setEnded();
    await this.#runner.close();
    this.#router.follow(attempt, state);
  }

  async #closeBody(reason?: Error): Promise<void> {
    await this.clientPort.close(reason);
    await this.#runner.close();
  }

  #setEnded(): void {
    this.#state = ENDED;
    this.#answered = undefined;
    this.#router.remove(this);
  }
}
