/**
 * A call of 2026-07-28, from its first request to its end, however many requests that takes.
 *
 *   1. One request at a time carries it: that one hears what it tells, and is ended by its questions or its result.
 *   2. While it is parked it waits for the answers to one round of questions. It is then a paused object: nothing of it
 *      runs, and it holds on to no request.
 *   3. Closing it closes the body, and waits for it. Detaching it leaves its run to other processes.
 *
 * A little longer than other files: which request carries it, and whether it waits, is decided nowhere else.
 */
import { milliseconds, type Replies, type Round, RunCancelled } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { RequestMeta } from "../protocol/request-meta.ts";
import { lazyNodeCrypto } from "../crypto/sealed-box.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import { CALL_BYTES, type WaitingCall } from "../calls/waiting-calls.ts";
import { RetryableError, asRetryable, INVALID_REQUEST, isMoved, RpcError } from "../jsonrpc/errors.ts";
import type { Notification, Params, JsonObject } from "../jsonrpc/messages.ts";
import type { RunningCall } from "./start-call.ts";
import type { RequestAttempt } from "./request-attempt.ts";
import type { CallRef, ParkedCalls } from "./parked-calls.ts";
import type { InputRequests, StatelessClient } from "./stateless-client.ts";
import { retryResult } from "../protocol/results.ts";
import { withTimeout, START_TIMEOUT_MS, untilTrue } from "../util/timers.ts";
import { driveCall } from "../durable/drive-call.ts";
import type { DurableCall } from "../durable/durable-call.ts";
import { ownParams } from "../durable/log-records.ts";
import { digestOfRound, type InputResponses, toReplies, withoutDangerous } from "./input-responses.ts";
import type { RequestState } from "./request-state.ts";

/** As many as `randomInt` can tell apart. */
const MOST_HANDLES = 2 ** 48 - 1;

/** What came with the request that begins the call here: answers, and the state that it continues from. */
interface SuppliedAnswers {
  readonly responses: InputResponses;
  readonly state: RequestState | undefined;
}

/** The answers of a request, and how many records the log had when their questions were asked. */
export interface RoundAnswers {
  readonly responses: InputResponses;
  readonly logged: number;
}

/** What a parked call waits for. */
interface Waiting extends Pick<RequestState, "handle" | "until" | "logged"> {
  readonly round: Round;
  /** When it was asked. */
  readonly at: number;
}

export class StatelessCall implements WaitingCall, CallRef {
  runId: string;
  readonly principal: string;
  readonly subject: string;
  readonly account: Account;
  reserved = 0;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  readonly #parked: ParkedCalls;
  /** How much its first request here weighs, and how much more the answers since. */
  readonly #first: number;
  #answersWeight = 0;
  #running: RunningCall | undefined;
  /** The request that carries it; none, while it is parked. */
  #attempt: RequestAttempt | undefined;
  /** Settles when that request is answered. */
  #answered: Promise<void> | undefined;
  /** Settles when it has been closed. */
  #closing: Promise<void> | undefined;
  #waiting: Waiting | undefined;
  /** Ends the request that carries it, while that only waits for a page. */
  #releaseWaiter: (() => void) | undefined;
  #rounds: number;
  /** How many of them there were before this call of its client. */
  #roundsBefore: number;
  /** Whether a call of its client has ended before it: another one continues it. */
  #isHandedOver = false;
  /** What was called, where another call continues it. */
  #called: Params | undefined;
  #isDetached = false;
  /** When the client was sent the questions that it has answered since. */
  #asked: number | undefined;
  /** Answers that came with a state, until the run was given them. */
  #brought: InputResponses | undefined;
  /** What came with the request that began it here, until the first round is open. */
  #early: SuppliedAnswers | undefined;
  /** What the request is answered with, where the call was parked. */
  #parkedWith: JsonObject | undefined;
  /** Answers to a round in the store, and the position of that round in the log, until the run has reached its next stage. */
  #answers: RoundAnswers | undefined;

  /** `state`: what it continues from. */
  constructor(
    { runId, principal, subject, account, weight }: CallRef,
    place: ParkedCalls,
    state?: RequestState,
  ) {
    this.runId = runId;
    this.principal = principal;
    this.subject = subject;
    this.account = account;
    this.#first = weight;
    this.#parked = place;
    this.#rounds = state?.round ?? 0;
    this.#roundsBefore = state?.roundsBefore ?? 0;
    this.#called = state?.called;
  }

  get weight(): number {
    return this.#first + this.#answersWeight + CALL_BYTES;
  }

  /** What the request that carries it says of itself. */
  get envelope(): RequestMeta | undefined {
    return this.#attempt?.envelope;
  }

  /** Until when it waits, while it is parked. */
  get until(): number | undefined {
    return this.#waiting?.until;
  }

  /** How many rounds of questions there have been. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Whether a call of its client has ended before it, so that another call may continue it. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** What it waits for, while it is parked. */
  get waiting(): Waiting | undefined {
    return this.#waiting;
  }

  /** Settles when the request that carries it is answered, or it has ended; nothing, where it only waits. */
  get settled(): Promise<void> | undefined {
    return this.#closing ?? this.#answered;
  }

  /** Whether another process can continue it. */
  get isReplayable(): boolean {
    return this.#running?.clientPort.isDurable === true;
  }

  /** Whether it waits for the answers that come with this state. */
  waitsFor({ handle, logged }: RequestState): boolean {
    if (this.#waiting === undefined) return false;
    return logged === undefined ? this.#waiting.handle === handle : this.#waiting.logged === logged;
  }

  /** Its run in the store, where a store keeps it. */
  get durable(): DurableCall | undefined {
    return this.#running?.clientPort.durable;
  }

  /** Whether the run was continued elsewhere: by this state, it has been asked more than here, or the same there. */
  isOlderThan(state: RequestState): boolean {
    const isHere = this.#waiting === undefined || this.waitsFor(state);
    return this.#rounds < state.round || (this.#rounds === state.round && !isHere);
  }

  /** Continues a run that began in another call, and was handed over. */
  adoptRun(run: string): void {
    const older = this.#parked.find(run);
    if (older !== undefined) this.#parked.remove(older);
    this.runId = run;
  }

  tell(notification: Notification): void | Promise<void> {
    return this.#attempt?.tell(notification);
  }

  /** Begins, for its first request here. */
  begin(attempt: RequestAttempt, make: () => RunningCall, brought?: SuppliedAnswers): void {
    if (brought?.state !== undefined) this.#brought = brought.responses;
    const { logged, asked } = brought?.state ?? {};
    this.#asked = asked;
    this.#early = brought;
    if (brought !== undefined && logged !== undefined)
      this.#answers = { responses: brought.responses, logged };
    this.#attach(attempt, () => {
      this.#running = make();
    });
  }

  /** Continues with answers, for another request. */
  resume(attempt: RequestAttempt, replies: Replies, responses: InputResponses = {}): void {
    const running = this.#running;
    const waiting = this.#waiting;
    if (running === undefined || waiting === undefined) throw new Error("Only what is parked is resumed.");
    const { clientPort } = running;
    const { round, at } = waiting;
    this.#waiting = undefined;
    this.#asked = at;
    // A request that brings answers has the arguments once more.
    this.#answersWeight += Math.max(0, attempt.weight - this.#first);
    if (waiting.logged !== undefined) this.#answers = { responses, logged: waiting.logged };
    this.#attach(attempt, () => {
      const counted = clientPort.countReplies(round, replies, { asked: at, answered: attempt.answeredAt });
      this.#brought = responses;
      const elsewhere = this.#fromElsewhere(clientPort, round, counted);
      if (elsewhere === undefined) {
        this.#brought = undefined;
        return counted;
      }
      return this.#untilAnswered(attempt, waiting, elsewhere).then((given) => {
        if (!this.#isDetached) this.#brought = undefined;
        return given;
      });
    });
  }

  /** What people answer on pages or in the inbox in the place of what the client said, where that must be waited for. */
  #fromElsewhere(clientPort: StatelessClient, round: Round, counted: Replies): Promise<Replies> | undefined {
    const onPages = clientPort.fromPages(round, counted);
    if (onPages !== undefined) return onPages;
    const inInbox = clientPort.fromInbox(counted);
    // What the client said does not count, also where another process continues the run.
    if (inInbox !== undefined) this.#answers = this.#brought = undefined;
    return inInbox;
  }

  /** Asks what it waits for in another call of its client, which takes as many rounds again. */
  continueIn(attempt: RequestAttempt, replies: Replies): void {
    this.#roundsBefore = this.#rounds;
    this.resume(attempt, replies);
  }

  /** Takes it back from a request that only waits for a page, and has come to nothing yet; says whether there was one. */
  reclaim(): boolean {
    this.#releaseWaiter?.();
    return this.#waiting !== undefined;
  }

  /** The client of the request that carries it has gone. */
  onClientGone(): void {
    if (this.#releaseWaiter !== undefined) this.#releaseWaiter();
    // The run stays where it is: the same request continues it.
    else if (this.durable !== undefined) void this.#detach({ continues: false });
    else void this.close(new RunCancelled("The client cancelled the call."));
  }

  /** A later state of the run has come here, from another process: this copy is dropped, and its run does not end. */
  async yieldToNewer(): Promise<void> {
    if (this.#waiting === undefined && this.durable !== undefined) await this.#detach({ continues: false });
    else if (this.#waiting === undefined)
      await this.close(new RunCancelled("The call has gone on from a later state."));
    this.#parked.remove(this);
  }

  /** The server stops. A run that other processes can continue is left to them, and the client is told to send its request again. */
  async stop(reason: unknown): Promise<void> {
    const { clientPort } = this.#running ?? {};
    if (clientPort === undefined) return this.close(reason);
    const { clock, keys } = clientPort.settings;
    const isShared = keys.length > 0;
    if (isShared)
      await untilTrue(() => clientPort.hasStarted || this.#attempt === undefined, clock, START_TIMEOUT_MS);
    return isShared && this.isReplayable ? this.#detach({ continues: true }) : this.close(reason);
  }

  close(reason: unknown): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: unknown): Promise<void> {
    const { until } = this.#waiting ?? {};
    const ends = until === undefined ? true : await this.#running?.clientPort.mayEnd(until, reason);
    if (ends !== false) await this.#end(reason);
    await this.#answered;
    this.#waiting = undefined;
    this.#parked.remove(this);
  }

  #detach(options: { readonly continues: boolean }): Promise<void> {
    this.#isDetached = true;
    this.#closing ??= this.#leave(options);
    return this.#closing;
  }

  /** Leaves the run unfinished, once the step under way has ended or the grace period is over. */
  async #leave({ continues }: { readonly continues: boolean }): Promise<void> {
    const attempt = this.#attempt;
    const running = this.#running;
    if (running === undefined || attempt === undefined) return this.#parked.remove(this);
    const { clock, grace } = running.clientPort.settings;
    await withTimeout(running.clientPort.detach({ continues }), clock, milliseconds(grace));
    try {
      attempt.finish(retryResult(this.#parked.seal(this.#state(running, attempt), this, attempt.binding)));
    } catch (error) {
      attempt.fail(error);
    }
    this.#waiting = undefined;
    this.#detachRequest();
    await running.runner.close();
  }

  /** The state from which another request or another process continues the call. */
  #state({ clientPort }: RunningCall, { answeredAt }: RequestAttempt): RequestState {
    const hasAnswers = this.#brought !== undefined || this.#answers !== undefined;
    return {
      run: this.runId,
      round: this.#rounds,
      handle: lazyNodeCrypto().randomInt(MOST_HANDLES),
      questions: digestOfRound({}),
      until: answerableUntil({}, clientPort.settings),
      ...clientPort.carried,
      ...this.#ofCall,
      // The request without questions is a round, too, to its client.
      roundsBefore: this.#roundsBefore - 1,
      brought: this.#brought,
      ...(hasAnswers ? { asked: this.#asked, answeredAt } : {}),
    };
  }

  /** It has failed: the body is closed, and what it failed with is written down. */
  async #fail(error: unknown): Promise<void> {
    // An interrupted run has not ended: its body must not be closed.
    if (error instanceof RetryableError) await this.#running?.clientPort.drop();
    await this.#end();
    await this.durable?.fail(error);
  }

  async #end(reason?: unknown): Promise<void> {
    const running = this.#running;
    await running?.clientPort.close(reason);
    await running?.runner.close();
  }

  /**
   * Waits for what people answer on pages. A client that goes meanwhile leaves
   * the call where it was, and can come back.
   */
  async #untilAnswered(
    attempt: RequestAttempt,
    waiting: Waiting,
    answers: Promise<Replies>,
  ): Promise<Replies> {
    const left = new Promise<never>((_, reject) => {
      this.#releaseWaiter = () => {
        this.#releaseWaiter = undefined;
        this.#parked.park(this, waiting.until);
        this.#waiting = waiting;
        this.#running?.clientPort.stopWaiting();
        this.durable?.rest().catch((error: unknown) => this.#running?.clientPort.settings.report(error));
        this.#detachRequest();
        const cancelled = new RpcError(INVALID_REQUEST, "The request was cancelled.");
        attempt.refuse(cancelled);
        reject(cancelled);
      };
    });
    const given = await Promise.race([answers, left]);
    this.#releaseWaiter = undefined;
    return given;
  }

  /** Lets a request carry it. `start` gives the replies that the body continues with, if there are any. */
  #attach(attempt: RequestAttempt, start: () => Replies | void | Promise<Replies>): void {
    attempt.call = this;
    this.#attempt = attempt;
    this.#answered = this.#answer(attempt, start);
  }

  async #answer(attempt: RequestAttempt, start: () => Replies | void | Promise<Replies>): Promise<void> {
    try {
      const starting = start();
      const replies = starting instanceof Promise ? await starting : (starting ?? undefined);
      // `start` has made it, or it was parked.
      const { runner, clientPort } = this.#running as RunningCall;
      const ended = await driveCall(runner, clientPort, (round) => this.#ask(round, attempt), replies);
      const result = ended ?? this.#parkedWith ?? {};
      this.#parkedWith = undefined;
      if (this.#isDetached) return;
      this.#detachRequest();
      attempt.finish(result);
    } catch (thrown) {
      // The request was answered when the call was detached, or the client hung up and the call is parked again.
      if (attempt.isRefused || this.#isDetached) return;
      const error = asRetryable(thrown) ?? thrown;
      if (this.durable !== undefined && isMoved(error) && this.#waiting === undefined)
        return this.#follow(attempt);
      // What was no answer has left it where it was.
      const isUntouched = this.#waiting !== undefined;
      await (isUntouched ? this.durable?.rest() : this.#fail(error));
      this.#detachRequest();
      // Nothing has come of what was no answer, or was interrupted.
      if (isUntouched || error instanceof RetryableError) attempt.refuse(error);
      else attempt.fail(error);
    }
  }

  /** Another process has continued the run: a new `StatelessCall` continues it from its log, for the request that waits here. */
  async #follow(attempt: RequestAttempt): Promise<void> {
    // `#running` is set before a round is reached.
    const running = this.#running as RunningCall;
    const state = { ...this.#state(running, attempt), brought: undefined };
    const answers = this.#answers;
    // The server may close before another `StatelessCall` has the request.
    attempt.call = undefined;
    await running.clientPort.drop();
    this.#waiting = undefined;
    this.#detachRequest();
    await running.runner.close();
    this.#parked.follow(attempt, this, state, answers);
  }

  /** No request carries it any more: it waits for the next, or is over. */
  #detachRequest(): void {
    this.#attempt = undefined;
    this.#answered = undefined;
    if (this.#waiting !== undefined) return;
    this.#parked.remove(this);
    this.#running = undefined;
  }

  /** Parks the call, and ends its request with the questions; unless the replies are known already. */
  async #ask(round: Round, attempt: RequestAttempt): Promise<Replies | undefined> {
    const early = this.#early;
    this.#early = undefined;
    const replies = early && (await this.#earlyReplies(round, early, attempt));
    if (replies !== undefined) return replies;
    this.#answers = undefined;
    // What asks was started.
    const { clientPort } = this.#running as RunningCall;
    const requested = clientPort.requestsFor(round);
    const { requests, refused } = requested instanceof Promise ? await requested : requested;
    const until = answerableUntil(round, clientPort.settings);
    const opening = refused === undefined ? clientPort.openRound(round, until) : undefined;
    const known = refused ?? (opening && (await opening));
    if (known !== undefined) return known;
    const isTaken = this.#rounds - this.#roundsBefore < clientPort.roundsPerCall;
    this.#parkedWith = isTaken
      ? this.#park(round, until, requests, attempt)
      : this.#handOver(round, until, attempt);
    return undefined;
  }

  /** Replies from answers that came before anything was asked here: they count for the first round that is open. */
  async #earlyReplies(
    round: Round,
    { responses, state }: SuppliedAnswers,
    { answeredAt: answered }: RequestAttempt,
  ): Promise<Replies | undefined> {
    // What asks was started.
    const { clientPort } = this.#running as RunningCall;
    let replies: Replies;
    try {
      const answerable = state === undefined ? withoutDangerous(round) : round;
      replies = toReplies(answerable, responses, clientPort.features, clientPort.settings.clock.now());
    } catch (error) {
      // What is no answer leaves the run as it was: it waits for another at the state it came back from.
      if (state !== undefined) this.#waitAt(state, round, clientPort);
      throw error;
    }
    const counted = clientPort.countReplies(round, replies, { asked: state?.asked, answered });
    const answers = this.#fromElsewhere(clientPort, round, counted);
    const given = (await answers) ?? counted;
    if (answers !== undefined) await clientPort.durable?.acquire();
    // From here on the journal has them, also where the run is detached at the same time.
    if (!this.#isDetached) this.#brought = undefined;
    // A reply that does not count is taken, too: the question is asked elsewhere.
    return Object.keys(replies).length === 0 ? undefined : given;
  }

  #park(round: Round, until: number, requests: InputRequests, { binding }: RequestAttempt): JsonObject {
    // `#running` is set before a round is reached.
    const { clientPort } = this.#running as RunningCall;
    const { progress, journal, logged, process } = clientPort.carried;
    const state = {
      run: this.runId,
      round: this.#rounds + 1,
      handle: lazyNodeCrypto().randomInt(MOST_HANDLES),
      questions: digestOfRound(round),
      until,
      asked: clientPort.settings.clock.now(),
      progress,
      journal,
      logged,
      process,
      ...this.#ofCall,
    };
    const sealed = this.#parked.seal(state, this, binding);
    this.#waitAt(state, round, clientPort);
    clientPort.asked(this.#rounds);
    return clientPort.inputRequired(round, requests, sealed);
  }

  /** What a state says of the call of its client, where that is not the first. */
  get #ofCall(): Pick<RequestState, "roundsBefore" | "called"> {
    if (this.#roundsBefore === 0) return {};
    return { roundsBefore: this.#roundsBefore, called: this.#called };
  }

  /** Ends the call before a round that its client would not take. It waits with that round for another call. */
  #handOver(round: Round, until: number, { params }: RequestAttempt): JsonObject {
    // `#running` is set before a round is reached.
    const { clientPort } = this.#running as RunningCall;
    const { logged, journal } = clientPort.carried;
    const handle = lazyNodeCrypto().randomInt(MOST_HANDLES);
    this.#waitAt({ handle, until, logged, round: this.#rounds }, round, clientPort);
    this.#isHandedOver = true;
    if (journal !== undefined) this.#called ??= ownParams(params);
    return clientPort.handedOver();
  }

  #waitAt(
    state: Pick<RequestState, "handle" | "until" | "logged" | "round" | "asked">,
    round: Round,
    { settings }: StatelessClient,
  ): void {
    const { handle, until, logged, round: rounds, asked = settings.clock.now() } = state;
    this.#parked.park(this, until);
    this.#rounds = rounds;
    this.#waiting = { round, handle, until, logged, at: asked };
  }
}
