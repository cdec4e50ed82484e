/**
 * Requests of 2026-07-28: each stands alone, and says itself who asks and what they can do.
 *
 *   1. A request is answered once; what it tells on the way belongs to it, and nothing is told after its answer.
 *   2. A call that asks ends its request with its questions, and is parked. The request that brings the answers goes on
 *      with it, or has it replayed where it is no longer here and its tool is durable.
 *   3. The same state with the same answers is given the same outcome. With other answers it is refused, unless nothing
 *      has come of the first yet, because they only wait for a page.
 *   4. Whoever goes away has cancelled what they waited for; a page they can come back to.
 */
import { RunCancelled } from "@photon/core";
import { Crowd } from "../util/linked-list.ts";
import { calls, queries } from "../methods.ts";
import { CONTINUE, failed, goesOn, ownerIn } from "../handover/model-text.ts";
import type { House } from "../context.ts";
import { inTime } from "../util/timers.ts";
import { type Envelope, limitedClient, readEnvelope } from "../protocol/request-meta.ts";
import { checkHeaders } from "../protocol/http-headers.ts";
import { discovery, retryResult, stampOf } from "../protocol/results.ts";
import { featuresOf } from "../protocol/revisions.ts";
import { interruptionOf, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { nodeCrypto } from "../crypto/sealed-box.ts";
import { isRecord, type Params, type Request, type RequestId, type Wire } from "../jsonrpc/messages.ts";
import type { Answer, Caller } from "../connection.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { Runs } from "../durable/run-repository.ts";
import type { Unattended } from "../background/worker.ts";
import type { Settings } from "../settings.ts";
import { beginCall, noMethod } from "./start-call.ts";
import type { RoundAnswers } from "./stateless-call.ts";
import { Forwarding } from "./forward-to-owner.ts";
import { Leg } from "./request-attempt.ts";
import { listen } from "./subscribe.ts";
import { crowdController } from "../util/light-abort.ts";
import { givenAgain, Outcomes } from "./idempotency-cache.ts";
import { IN_ANOTHER_CALL } from "./stateless-client.ts";
import { type Call, Parking } from "./parked-calls.ts";
import { type Hall, patienceOf, Recipient } from "./pending-request.ts";
import { repliesTo, type Responses, responsesIn } from "./input-responses.ts";
import { bindingOf, digestOfGiven, gone, invalidState, type State, States } from "./request-state.ts";
import { followStored, resumeStored } from "./resume-durable.ts";

/** One request, read. */
interface Asked {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly envelope: Envelope;
  readonly recipient: Recipient;
}

/** What a request brings back to a call. */
interface BroughtBack {
  readonly call: Call;
  readonly state: State;
  readonly binding: string;
  readonly responses: Responses;
}

export class Exchanges {
  readonly #house: House;
  readonly #settings: Settings;
  readonly #states: States;
  readonly #parking: Parking;
  readonly #outcomes: Outcomes;
  /** There from the first request on that listens. */
  #closing: AbortController | undefined;
  readonly #hall: Hall;
  readonly #unattended: Pick<Unattended, "settled"> | undefined;
  readonly #forwarding: Forwarding | undefined;

  /** `unattended` goes on with calls without their clients, where a store keeps them. */
  constructor(house: House, unattended?: Pick<Unattended, "settled">) {
    const { settings, places, sealer } = house;
    this.#house = house;
    this.#unattended = unattended;
    const { runs } = house;
    this.#forwarding =
      runs &&
      new Forwarding(runs, { ...settings, accounts: house.accounts }, (request, caller) =>
        this.answer(request, caller),
      );
    this.#settings = settings;
    this.#states = new States(sealer);
    this.#parking = new Parking(settings, this.#states, places, (leg, call, state, answers) =>
      this.#follow(leg, call, state, answers),
    );
    this.#outcomes = new Outcomes(settings);
    this.#hall = { settings, waiting: new Crowd(), stamp: stampOf(settings) };
  }

  answer(request: Request, caller: Caller): Promise<Answer> {
    const refusal = this.#refusalOf(request, caller);
    const recipient = new Recipient(request, caller, this.#hall, refusal === undefined);
    // What is wrong with a request as a whole is wrong for HTTP, too.
    let status = 400;
    try {
      const asked = this.#read(request, recipient, refusal);
      status = 200;
      this.#perform(asked);
    } catch (error) {
      recipient.fail(error, status);
    }
    return recipient.answer;
  }

  /**
   * Ends everything, and waits for it. Calls are closed, unless another process with the same keys can continue them: those
   * are detached, and the requests that wait for them are answered so that their clients send them again.
   */
  async close(): Promise<void> {
    const reason = new RunCancelled("The server was closed.");
    const waiting = [...this.#hall.waiting];
    this.#closing?.abort(reason);
    this.#closing = undefined;
    for (const recipient of waiting) recipient.hurry();
    const isShared = this.#settings.keys.length > 0;
    const calling = this.#parking.all;
    const ending = calling.map(async (conversation) => {
      if (isShared && conversation.isReplayable && conversation.waiting !== undefined) return;
      await conversation.stop(reason);
    });
    const carried = waiting.map(({ waitsFor }) => waitsFor?.stop(reason));
    await inTime(Promise.all([...ending, ...carried]), this.#settings.clock, patienceOf(this.#settings));
    for (const conversation of calling) this.#parking.leave(conversation);
    // Whoever was being answered has their answer then; whoever has come since is not waited for.
    await Promise.all(waiting.map(({ answer }) => answer));
    this.#outcomes.clear();
  }

  /** A run has gone on elsewhere: what waits here for its answers takes up no place any more. */
  moved(run: string): void {
    const parked = this.#parking.find(run);
    if (parked?.waiting !== undefined && parked.durable !== undefined) this.#parking.leave(parked);
  }

  /** Aborted when the server closes. */
  get #closingSignal(): AbortSignal {
    this.#closing ??= crowdController();
    return this.#closing.signal;
  }

  /** Why a request is not answered, however it is meant: its principal, or the server, has too many under way. */
  #refusalOf({ params }: Request, { account, weight }: Caller): RpcError | undefined {
    const { exchanges, exchangesPerPrincipal } = this.#settings.limits;
    const exceeded = account.exchanges.exceededBy(1);
    if (exceeded === "principal")
      return new RpcError(
        OVER_LIMIT,
        `You have reached your limit of requests being answered (${exchangesPerPrincipal}); wait for one to end.`,
      );
    if (exceeded === "total")
      return new RpcError(
        OVER_LIMIT,
        `This server has reached its limit of requests being answered (${exchanges}); come back later.`,
      );
    const memory = account.reserveRequest(weight, params?.["requestState"] !== undefined);
    return memory && account.memoryRefusal(memory).error;
  }

  #read(request: Request, recipient: Recipient, refusal: RpcError | undefined): Asked {
    const { method, params = {} } = request;
    const { caller } = recipient;
    if (caller.header !== undefined)
      checkHeaders(
        request,
        (name) => caller.header?.(name),
        this.#house.catalog.paramHeaders(method, params),
      );
    // A client that is refused a discovery would take this for a server of older revisions; and it takes no time.
    if (refusal !== undefined && method !== "server/discover") throw refusal;
    return { id: request.id, method, params, envelope: readEnvelope(params), recipient };
  }

  #perform(asked: Asked): void {
    const { method, recipient } = asked;
    if (Object.hasOwn(calls, method)) return this.#call(asked);
    if (method === "server/discover") return recipient.finish(discovery(this.#settings));
    const result = method === "subscriptions/listen" ? this.#listen(asked) : this.#query(asked);
    if (!(result instanceof Promise)) return recipient.finish(result);
    result.then(
      (found) => recipient.finish(found),
      (error: unknown) => recipient.fail(error),
    );
  }

  #listen({ id, params, envelope, recipient }: Asked): Promise<Wire> {
    return listen(id, params, recipient.caller, {
      catalog: this.#house.catalog,
      settings: this.#settings,
      features: featuresOf(envelope.revision),
      closing: this.#closingSignal,
    });
  }

  #query({ method, params, envelope }: Asked): Wire | Promise<Wire> {
    const query = Object.hasOwn(queries, method) ? queries[method] : undefined;
    if (query === undefined) throw noMethod(method);
    const limited = limitedClient(envelope);
    return query({ house: this.#house, features: featuresOf(envelope.revision), params, limited });
  }

  #call(asked: Asked): void {
    const { method, params, envelope, recipient } = asked;
    const { principal, account, weight } = recipient.caller;
    const { name, uri, requestState } = params;
    const responses = responsesIn(params);
    const subject = typeof name === "string" ? name : typeof uri === "string" ? uri : method;
    const binding = bindingOf(method, params, principal);
    if (requestState === undefined) {
      const begin = (): void => {
        const call = { runId: nodeCrypto().randomUUID(), principal, subject, account, weight };
        const leg = new Leg(envelope, binding, params, recipient);
        beginCall(asked, call, leg, { responses }, this.#house, this.#parking);
      };
      const owner = goesOn(name) ? this.#house.handovers.ownerOf(params["arguments"]) : undefined;
      if (owner !== undefined) return this.#passOn(asked, owner, begin);
      if (name === CONTINUE) return this.#continue(asked, binding, begin);
      // What goes on with a call that waits is not one more.
      if (!goesOn(name)) this.#house.places.refuseWhenFull(account);
      return begin();
    }
    const state = this.#states.open(requestState, binding, this.#settings.clock.now());
    const call = { runId: state.run, principal, subject, account, weight };
    const brought = { call, state, binding, responses: responses ?? state.brought ?? {} };
    if (state.logged !== undefined) this.#stored(asked, brought, state.logged);
    else if (state.process === undefined || state.process === this.#house.runs?.process)
      this.#goOn(asked, brought);
    else this.#passOn(asked, state.process, () => recipient.fail(gone()));
  }

  /** Goes on with a call from a state, once what is in its way has ended. */
  #goOn(asked: Asked, brought: BroughtBack): void {
    this.#tryToGoOn(asked, brought)
      ?.then(() => this.#goOn(asked, brought))
      .catch((error: unknown) => asked.recipient.fail(error));
  }

  /** Goes on with a call that a store keeps, unless what was brought has come to something here. */
  #stored(asked: Asked, brought: BroughtBack, logged: number): void {
    const { runs } = this.#house;
    if (runs === undefined) throw gone();
    const { call, state, binding, responses } = brought;
    const answers = digestOfGiven(responses);
    if (this.#givenBefore(brought, answers, asked.recipient)) return;
    const leg = new Leg(asked.envelope, binding, asked.params, asked.recipient, state.answeredAt);
    // At once: whoever sends the same again meanwhile waits for the same.
    this.#outcomes.keep(state, answers, leg);
    leg.retry = () => this.#retry(state, responses, call, leg);
    const begin = (leased: LeasedLog, left: Responses): void => {
      // What was called first: this may be another call, which continues it.
      const { method, params } = leased.log.head;
      const called = { method, params, envelope: asked.envelope };
      beginCall(called, call, leg, { responses: left, state, leased }, this.#house, this.#parking);
    };
    const unattended = this.#unattended?.settled(call.runId);
    resumeStored(
      { call, state, responses, leg, answers, logged, unattended, begin },
      runs,
      this.#parking,
      this.#settings,
    );
  }

  /** Continues a call from the log of its run, which another process has written to, for the request that waits here. */
  #follow(leg: Leg, call: Call, state: State, answers: RoundAnswers | undefined): void {
    const { runs } = this.#house;
    if (runs === undefined) return leg.fail(gone());
    const brought = answers?.responses;
    leg.retry = () => this.#retry(state, brought, call, leg);
    followStored(leg, call, answers, runs, (leased, left) => {
      const { method, params } = leased.log.head;
      const called = { method, params, envelope: leg.envelope };
      beginCall(called, call, leg, { responses: left, state, leased }, this.#house, this.#parking);
    });
  }

  /** Tells a client to send its request again, with the answers that it brought. */
  #retry(state: State, brought: Responses | undefined, call: Call, { binding, answeredAt }: Leg): Wire {
    // The request without questions is a round, too, to its client.
    const roundsBefore = (state.roundsBefore ?? 0) - 1;
    return retryResult(this.#parking.seal({ ...state, roundsBefore, brought, answeredAt }, call, binding));
  }

  /**
   * Continues a call whose client takes no more rounds of it, in another call, which has as many again. `otherwise`: no such
   * call waits.
   */
  #continue(asked: Asked, binding: string, otherwise: () => void): void {
    const { params, envelope, recipient } = asked;
    const { principal } = recipient.caller;
    const { arguments: given } = params;
    const run = isRecord(given) && typeof given["run"] === "string" ? ownerIn(given["run"]).run : "";
    const conversation = this.#parking.find(run);
    const isHere = conversation?.isHandedOver === true && conversation.durable === undefined;
    if (isHere && conversation.principal === principal) {
      if (conversation.waiting === undefined) return recipient.finish(failed(IN_ANOTHER_CALL));
      const { round } = conversation.waiting;
      const replies = repliesTo(round, {}, featuresOf(envelope.revision), this.#settings.clock.now());
      return conversation.continueIn(new Leg(envelope, binding, params, recipient), replies);
    }
    const { runs } = this.#house;
    if (runs === undefined) return otherwise();
    this.#continueStored(asked, run, binding, runs)
      .then((isContinued) => (isContinued ? undefined : otherwise()))
      .catch((error: unknown) => recipient.fail(interruptionOf(error) ?? error));
  }

  /** Continues a call whose run is in the store. Says whether it is one of this principal's clients of 2026-07-28. */
  async #continueStored(asked: Asked, run: string, binding: string, runs: Runs): Promise<boolean> {
    const { params, envelope, recipient } = asked;
    const log = await runs.find(run);
    if (log === undefined || log.isHandedOver) return false;
    const { method, principal, revision, subject } = log.head;
    const isTheirs = principal === recipient.caller.principal && revision === envelope.revision;
    if (!isTheirs || method !== "tools/call") return false;
    await this.#parking.find(run)?.settled;
    await this.#unattended?.settled(run);
    await this.#parking.find(run)?.giveWay();
    const state = {
      run,
      round: 0,
      handle: 0,
      questions: "",
      until: this.#parking.lastMoment({}),
      logged: log.length,
    };
    const { account, weight } = recipient.caller;
    const call = { runId: run, principal, subject, account, weight };
    this.#follow(new Leg(envelope, binding, params, recipient), call, state, undefined);
    return true;
  }

  /**
   * Whether what was brought has come to something here, which is given again. Throws where something else was brought
   * with the same state; unless that only waits for a page, and is taken back.
   */
  #givenBefore({ call, state }: BroughtBack, answers: string, recipient: Recipient): boolean {
    const kept = this.#outcomes.find(state);
    if (kept === undefined) return false;
    if (!this.#settings.singleUse && kept.answers === answers) return givenAgain(kept, recipient);
    if (this.#parking.find(call.runId)?.takeBack() !== true) throw invalidState();
    return false;
  }

  /** Has a request answered by the process that alone has its call; `otherwise`, where that does not live. */
  #passOn({ id, method, params, recipient }: Asked, process: string, otherwise: () => void): void {
    if (this.#forwarding === undefined) return otherwise();
    const request = { jsonrpc: "2.0", id, method, params } as const;
    this.#forwarding
      .forward(process, request, recipient.caller)
      .then((answer) => (answer === undefined ? otherwise() : recipient.pass(answer)))
      .catch((error: unknown) => recipient.fail(interruptionOf(error) ?? error));
  }

  /** Gives again what came of a call, resumes it, or replays it; unless something must end first: then that. */
  #tryToGoOn(asked: Asked, brought: BroughtBack): Promise<void> | undefined {
    const { envelope, recipient } = asked;
    const { call, state, binding, responses } = brought;
    const answers = digestOfGiven(responses);
    const isKnown = this.#outcomes.find(state) !== undefined;
    if (this.#givenBefore(brought, answers, recipient)) return undefined;
    const conversation = this.#parking.find(call.runId);
    if (conversation === undefined) {
      if (state.journal === undefined) throw gone();
      const leg = new Leg(envelope, binding, asked.params, recipient, state.answeredAt);
      this.#outcomes.keep(state, answers, leg);
      beginCall(
        { ...asked, params: state.called ?? asked.params },
        call,
        leg,
        { responses, state },
        this.#house,
        this.#parking,
      );
      return undefined;
    }
    if (conversation.isAt(state)) {
      const { round = {} } = conversation.waiting ?? {};
      const replies = repliesTo(round, responses, featuresOf(envelope.revision), this.#settings.clock.now());
      const leg = new Leg(envelope, binding, asked.params, recipient);
      this.#outcomes.keep(state, answers, leg);
      conversation.resume(leg, replies);
      return undefined;
    }
    if (state.journal !== undefined && conversation.isBehind(state)) return conversation.giveWay();
    // It has gone on since, from this very state or a later one.
    if (!isKnown || conversation.settled === undefined) throw invalidState();
    // Whoever brought this state before has gone, and the body is being closed for it.
    return conversation.settled;
  }
}
