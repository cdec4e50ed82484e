/**
 * Handles requests of 2026-07-28. Each carries its client's identity and capabilities in `_meta`.
 *
 *   1. A request gets one response; its notifications are sent before it.
 *   2. A call that asks ends its request with `input_required`, and is parked. The request with the answers resumes it, or
 *      replays it if it is not in memory any more and its tool is durable.
 *   3. The same requestState with the same answers gets the same response. With other answers it is rejected, unless the first
 *      request has no outcome yet because it only waits for a page.
 *   4. A client that disconnects cancels its request, unless the request only waits for a page.
 */
import { RunCancelled } from "@photon/core";
import { LinkedList } from "../util/linked-list.ts";
import { calls, queries } from "../methods.ts";
import { CONTINUE, errorResult, isContinueTool, parseOwnedRef } from "../handover/model-text.ts";
import type { ServerContext } from "../context.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import { withTimeout } from "../util/timers.ts";
import { type RequestMeta, limitedClient, parseRequestMeta } from "../protocol/request-meta.ts";
import { checkHeaders } from "../protocol/http-headers.ts";
import { discovery, retryResult, stampOf } from "../protocol/results.ts";
import { featuresOf } from "../protocol/revisions.ts";
import { asRetryable, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { lazyNodeCrypto } from "../crypto/sealed-box.ts";
import { isRecord, type Params, type Request, type RequestId, type JsonObject } from "../jsonrpc/messages.ts";
import type { StatelessResponse, RequestContext } from "../connection.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { BackgroundWorker } from "../background/worker.ts";
import type { Settings } from "../settings.ts";
import { startCall, noMethod } from "./start-call.ts";
import type { RoundAnswers } from "./stateless-call.ts";
import { OwnerForwarding } from "./forward-to-owner.ts";
import { RequestAttempt } from "./request-attempt.ts";
import { handleSubscribe } from "./subscribe.ts";
import { unlimitedAbortController } from "../util/light-abort.ts";
import { replayOutcome, IdempotencyCache } from "./idempotency-cache.ts";
import { IN_ANOTHER_CALL } from "./stateless-client.ts";
import { type CallRef, ParkedCalls } from "./parked-calls.ts";
import { type RequestScope, closeTimeout, PendingRequest } from "./pending-request.ts";
import { toReplies, type InputResponses, parseInputResponses } from "./input-responses.ts";
import { bindingOf, callGone, invalidState, type RequestState, RequestStateCodec } from "./request-state.ts";
import { digestJson } from "../crypto/digest.ts";
import { followStored, resumeStored } from "./resume-durable.ts";

/** One request, read. */
interface StatelessRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly envelope: RequestMeta;
  readonly recipient: PendingRequest;
}

/** What a request brings back to a call. */
interface ResumeInput {
  readonly call: CallRef;
  readonly state: RequestState;
  readonly binding: string;
  readonly responses: InputResponses;
}

export class StatelessHandler {
  readonly #context: ServerContext;
  readonly #settings: Settings;
  readonly #states: RequestStateCodec;
  readonly #parkedCalls: ParkedCalls;
  readonly #outcomes: IdempotencyCache;
  /** There from the first request on that listens. */
  #closing: AbortController | undefined;
  readonly #scope: RequestScope;
  readonly #unattended: Pick<BackgroundWorker, "settled"> | undefined;
  readonly #forwarding: OwnerForwarding | undefined;

  /** `unattended` continues durable calls without their clients. */
  constructor(context: ServerContext, unattended?: Pick<BackgroundWorker, "settled">) {
    const { settings, waitingCalls: places, sealedBox: sealer } = context;
    this.#context = context;
    this.#unattended = unattended;
    const { runs } = context;
    this.#forwarding =
      runs &&
      new OwnerForwarding(runs, { ...settings, accounts: context.accounts }, (request, caller) =>
        this.answer(request, caller),
      );
    this.#settings = settings;
    this.#states = new RequestStateCodec(sealer);
    this.#parkedCalls = new ParkedCalls(settings, this.#states, places, (attempt, call, state, answers) =>
      this.#follow(attempt, call, state, answers),
    );
    this.#outcomes = new IdempotencyCache(settings);
    this.#scope = { settings, waiting: new LinkedList(), stamp: stampOf(settings) };
  }

  answer(request: Request, caller: RequestContext): Promise<StatelessResponse> {
    const refusal = this.#refusalOf(request, caller);
    const recipient = new PendingRequest(request, caller, this.#scope, refusal === undefined);
    // What is wrong with a request as a whole is wrong for HTTP, too.
    let status = 400;
    try {
      const asked = this.#read(request, recipient, refusal);
      status = 200;
      this.#perform(asked);
    } catch (error) {
      recipient.fail(error, status);
    }
    return recipient.response;
  }

  /**
   * Ends everything, and waits for it. Calls are closed, unless another process with the same keys can continue them: those
   * are detached, and the requests that wait for them are answered so that their clients send them again.
   */
  async close(): Promise<void> {
    const reason = new RunCancelled("The server was closed.");
    const waiting = [...this.#scope.waiting];
    this.#closing?.abort(reason);
    this.#closing = undefined;
    for (const recipient of waiting) recipient.limitWait();
    const isShared = this.#settings.keys.length > 0;
    const calling = this.#parkedCalls.all;
    const ending = calling.map(async (parked) => {
      if (isShared && parked.isReplayable && parked.waiting !== undefined) return;
      await parked.stop(reason);
    });
    const carried = waiting.map(({ awaiting: waitsFor }) => waitsFor?.stop(reason));
    await withTimeout(
      Promise.all([...ending, ...carried]),
      this.#settings.clock,
      closeTimeout(this.#settings),
    );
    for (const parked of calling) this.#parkedCalls.remove(parked);
    // Requests that have come since are not waited for.
    await Promise.all(waiting.map(({ response: answer }) => answer));
    this.#outcomes.clear();
  }

  /** A run was continued elsewhere: the call that waits here for its answers is removed. */
  moved(run: string): void {
    const parked = this.#parkedCalls.find(run);
    if (parked?.waiting !== undefined && parked.durable !== undefined) this.#parkedCalls.remove(parked);
  }

  /** Aborted when the server closes. */
  get #closingSignal(): AbortSignal {
    this.#closing ??= unlimitedAbortController();
    return this.#closing.signal;
  }

  /** Why a request is not answered, however it is meant: its principal, or the server, has too many under way. */
  #refusalOf({ params }: Request, { account, weight }: RequestContext): RpcError | undefined {
    const { statelessRequests, statelessRequestsPerPrincipal } = this.#settings.limits;
    const exceeded = account.statelessRequests.exceededBy(1);
    if (exceeded === "principal")
      return new RpcError(
        OVER_LIMIT,
        `You have reached your limit of requests being answered (${statelessRequestsPerPrincipal}); wait for one to end.`,
      );
    if (exceeded === "total")
      return new RpcError(
        OVER_LIMIT,
        `This server has reached its limit of requests being answered (${statelessRequests}); come back later.`,
      );
    const memory = account.reserveRequest(weight, params?.["requestState"] !== undefined);
    return memory && account.memoryRefusal(memory).error;
  }

  #read(request: Request, recipient: PendingRequest, refusal: RpcError | undefined): StatelessRequest {
    const { method, params = {} } = request;
    const { caller } = recipient;
    if (caller.header !== undefined)
      checkHeaders(
        request,
        (name) => caller.header?.(name),
        this.#context.catalog.paramHeaders(method, params),
      );
    // A client that is refused a discovery would take this for a server of older revisions; and it takes no time.
    if (refusal !== undefined && method !== "server/discover") throw refusal;
    return { id: request.id, method, params, envelope: parseRequestMeta(params), recipient };
  }

  #perform(asked: StatelessRequest): void {
    const { method, recipient } = asked;
    if (Object.hasOwn(calls, method)) return this.#call(asked);
    if (method === "server/discover") return recipient.succeed(discovery(this.#settings));
    const result = method === "subscriptions/listen" ? this.#listen(asked) : this.#query(asked);
    if (!(result instanceof Promise)) return recipient.succeed(result);
    result.then(
      (found) => recipient.succeed(found),
      (error: unknown) => recipient.fail(error),
    );
  }

  #listen({ id, params, envelope, recipient }: StatelessRequest): Promise<JsonObject> {
    return handleSubscribe(id, params, recipient.caller, {
      catalog: this.#context.catalog,
      settings: this.#settings,
      features: featuresOf(envelope.revision),
      closing: this.#closingSignal,
    });
  }

  #query({ method, params, envelope }: StatelessRequest): JsonObject | Promise<JsonObject> {
    const query = Object.hasOwn(queries, method) ? queries[method] : undefined;
    if (query === undefined) throw noMethod(method);
    const limited = limitedClient(envelope);
    return query({ context: this.#context, features: featuresOf(envelope.revision), params, limited });
  }

  #call(asked: StatelessRequest): void {
    const { method, params, envelope, recipient } = asked;
    const { principal, account, weight } = recipient.caller;
    const { name, uri, requestState } = params;
    const responses = parseInputResponses(params);
    const subject = typeof name === "string" ? name : typeof uri === "string" ? uri : method;
    const binding = bindingOf(method, params, principal);
    if (requestState === undefined) {
      const begin = (): void => {
        const call = { runId: lazyNodeCrypto().randomUUID(), principal, subject, account, weight };
        const attempt = new RequestAttempt(envelope, binding, params, recipient);
        startCall(asked, call, attempt, { responses }, this.#context, this.#parkedCalls);
      };
      const owner = isContinueTool(name) ? this.#context.handovers.ownerOf(params["arguments"]) : undefined;
      if (owner !== undefined) return this.#forward(asked, owner, begin);
      if (name === CONTINUE) return this.#continue(asked, binding, begin);
      // A call that continues another is not counted twice.
      if (!isContinueTool(name)) this.#context.waitingCalls.assertCapacity(account);
      return begin();
    }
    const state = this.#states.open(requestState, binding, this.#settings.clock.now());
    const call = { runId: state.run, principal, subject, account, weight };
    const brought = { call, state, binding, responses: responses ?? state.brought ?? {} };
    if (state.logged !== undefined) this.#stored(asked, brought, state.logged);
    else if (state.process === undefined || state.process === this.#context.runs?.process)
      this.#continueFromState(asked, brought);
    else this.#forward(asked, state.process, () => recipient.fail(callGone()));
  }

  /** Continues a call from a state, once an earlier request of it has ended. */
  #continueFromState(asked: StatelessRequest, brought: ResumeInput): void {
    this.#tryToContinue(asked, brought)
      ?.then(() => this.#continueFromState(asked, brought))
      .catch((error: unknown) => asked.recipient.fail(error));
  }

  /** Continues a call whose run is in the store, unless the same answers have an outcome here. */
  #stored(asked: StatelessRequest, brought: ResumeInput, logged: number): void {
    const { runs } = this.#context;
    if (runs === undefined) throw callGone();
    const { call, state, binding, responses } = brought;
    const answers = digestJson(responses);
    if (this.#replaysOutcome(brought, answers, asked.recipient)) return;
    const attempt = new RequestAttempt(
      asked.envelope,
      binding,
      asked.params,
      asked.recipient,
      state.answeredAt,
    );
    // At once: the same request, sent again meanwhile, waits for the same outcome.
    this.#outcomes.add(state, answers, attempt);
    attempt.retry = () => this.#retry(state, responses, call, attempt);
    const begin = (leased: LeasedLog, left: InputResponses): void => {
      // What was called first: this may be another call, which continues it.
      const { method, params } = leased.log.head;
      const called = { method, params, envelope: asked.envelope };
      startCall(called, call, attempt, { responses: left, state, leased }, this.#context, this.#parkedCalls);
    };
    const unattended = this.#unattended?.settled(call.runId);
    resumeStored(
      { call, state, responses, attempt, answers, logged, unattended, begin },
      runs,
      this.#parkedCalls,
      this.#settings,
    );
  }

  /** Continues a call from the log of its run, which another process has written to, for the request that waits here. */
  #follow(
    attempt: RequestAttempt,
    call: CallRef,
    state: RequestState,
    answers: RoundAnswers | undefined,
  ): void {
    const { runs } = this.#context;
    if (runs === undefined) return attempt.fail(callGone());
    const brought = answers?.responses;
    attempt.retry = () => this.#retry(state, brought, call, attempt);
    followStored(attempt, call, answers, runs, (leased, left) => {
      const { method, params } = leased.log.head;
      const called = { method, params, envelope: attempt.envelope };
      startCall(called, call, attempt, { responses: left, state, leased }, this.#context, this.#parkedCalls);
    });
  }

  /** Tells a client to send its request again, with the answers that it brought. */
  #retry(
    state: RequestState,
    brought: InputResponses | undefined,
    call: CallRef,
    { binding, answeredAt }: RequestAttempt,
  ): JsonObject {
    // The request without questions is a round, too, to its client.
    const roundsBefore = (state.roundsBefore ?? 0) - 1;
    return retryResult(
      this.#parkedCalls.seal({ ...state, roundsBefore, brought, answeredAt }, call, binding),
    );
  }

  /**
   * Continues a call whose client takes no more rounds of it, in another call, which has as many again. `otherwise`: no such
   * call waits.
   */
  #continue(asked: StatelessRequest, binding: string, otherwise: () => void): void {
    const { params, envelope, recipient } = asked;
    const { principal } = recipient.caller;
    const { arguments: given } = params;
    const run = isRecord(given) && typeof given["run"] === "string" ? parseOwnedRef(given["run"]).run : "";
    const parked = this.#parkedCalls.find(run);
    const isHere = parked?.isHandedOver === true && parked.durable === undefined;
    if (isHere && parked.principal === principal) {
      if (parked.waiting === undefined) return recipient.succeed(errorResult(IN_ANOTHER_CALL));
      const { round } = parked.waiting;
      const replies = toReplies(round, {}, featuresOf(envelope.revision), this.#settings.clock.now());
      return parked.continueIn(new RequestAttempt(envelope, binding, params, recipient), replies);
    }
    const { runs } = this.#context;
    if (runs === undefined) return otherwise();
    this.#continueStored(asked, run, binding, runs)
      .then((isContinued) => (isContinued ? undefined : otherwise()))
      .catch((error: unknown) => recipient.fail(asRetryable(error) ?? error));
  }

  /** Continues a call whose run is in the store. Says whether it is one of this principal's clients of 2026-07-28. */
  async #continueStored(
    asked: StatelessRequest,
    run: string,
    binding: string,
    runs: RunRepository,
  ): Promise<boolean> {
    const { params, envelope, recipient } = asked;
    const log = await runs.find(run);
    if (log === undefined || log.isHandedOver) return false;
    const { method, principal, revision, subject } = log.head;
    const isOwn = principal === recipient.caller.principal && revision === envelope.revision;
    if (!isOwn || method !== "tools/call") return false;
    await this.#parkedCalls.find(run)?.settled;
    await this.#unattended?.settled(run);
    await this.#parkedCalls.find(run)?.yieldToNewer();
    const state = {
      run,
      round: 0,
      handle: 0,
      questions: "",
      until: answerableUntil({}, this.#settings),
      logged: log.length,
    };
    const { account, weight } = recipient.caller;
    const call = { runId: run, principal, subject, account, weight };
    this.#follow(new RequestAttempt(envelope, binding, params, recipient), call, state, undefined);
    return true;
  }

  /**
   * Whether what was brought has come to something here, which is given again. Throws where something else was brought
   * with the same state; unless that only waits for a page, and is taken back.
   */
  #replaysOutcome({ call, state }: ResumeInput, answers: string, recipient: PendingRequest): boolean {
    const kept = this.#outcomes.find(state);
    if (kept === undefined) return false;
    if (!this.#settings.singleUse && kept.answers === answers) return replayOutcome(kept, recipient);
    if (this.#parkedCalls.find(call.runId)?.reclaim() !== true) throw invalidState();
    return false;
  }

  /** Has a request answered by the process that alone has its call; `otherwise`, where that does not live. */
  #forward(
    { id, method, params, recipient }: StatelessRequest,
    process: string,
    otherwise: () => void,
  ): void {
    if (this.#forwarding === undefined) return otherwise();
    const request = { jsonrpc: "2.0", id, method, params } as const;
    this.#forwarding
      .forward(process, request, recipient.caller)
      .then((answer) => (answer === undefined ? otherwise() : recipient.forward(answer)))
      .catch((error: unknown) => recipient.fail(asRetryable(error) ?? error));
  }

  /** Gives again what came of a call, resumes it, or replays it; unless something must end first: then that. */
  #tryToContinue(asked: StatelessRequest, brought: ResumeInput): Promise<void> | undefined {
    const { envelope, recipient } = asked;
    const { call, state, binding, responses } = brought;
    const answers = digestJson(responses);
    const isKnown = this.#outcomes.find(state) !== undefined;
    if (this.#replaysOutcome(brought, answers, recipient)) return undefined;
    const parked = this.#parkedCalls.find(call.runId);
    if (parked === undefined) {
      if (state.journal === undefined) throw callGone();
      const attempt = new RequestAttempt(envelope, binding, asked.params, recipient, state.answeredAt);
      this.#outcomes.add(state, answers, attempt);
      startCall(
        { ...asked, params: state.called ?? asked.params },
        call,
        attempt,
        { responses, state },
        this.#context,
        this.#parkedCalls,
      );
      return undefined;
    }
    if (parked.waitsFor(state)) {
      const { round = {} } = parked.waiting ?? {};
      const replies = toReplies(round, responses, featuresOf(envelope.revision), this.#settings.clock.now());
      const attempt = new RequestAttempt(envelope, binding, asked.params, recipient);
      this.#outcomes.add(state, answers, attempt);
      parked.resume(attempt, replies);
      return undefined;
    }
    if (state.journal !== undefined && parked.isOlderThan(state)) return parked.yieldToNewer();
    // The call has continued since, from this very state or a later one.
    if (!isKnown || parked.settled === undefined) throw invalidState();
    // The client that brought this state before has gone, and the body is being closed for it.
    return parked.settled;
  }
}
