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
import { setMaxListeners } from "node:events";
import { milliseconds, RunCancelled } from "@photon/core";
import { calls, queries } from "../dispatch.ts";
import { goesOn } from "../handover/taken-names.ts";
import type { House } from "../house.ts";
import { inTime } from "../in-time.ts";
import { readEnvelope, type Envelope } from "../mcp/envelope.ts";
import { checkHeaders } from "../mcp/headers.ts";
import { cacheable, discovery, INPUT_REQUIRED, stamped } from "../mcp/modern-results.ts";
import { featuresOf } from "../mcp/revisions.ts";
import {
  errorResponse,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  OVER_LIMIT,
  RpcError,
  rpcErrorOf,
  statusOf,
} from "../rpc/errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import type { Performance } from "../performance.ts";
import type { Params, Request, RequestId, Wire } from "../rpc/message.ts";
import type { Answer, Caller } from "../rpc/peer.ts";
import { Sealer } from "../seal.ts";
import type { Settings } from "../settings.ts";
import { Conversation, type Call } from "./conversation.ts";
import { Leg } from "./leg.ts";
import { listen } from "./listen.ts";
import { ModernFront } from "./modern-front.ts";
import { Outcomes } from "./outcomes.ts";
import { Parking } from "./parking.ts";
import { repliesTo, responsesIn, type Responses } from "./replies.ts";
import { bindingOf, digestOfGiven, invalidState, openState, type State } from "./state.ts";

/** How long results other than lists may be kept: whatever they say may change at any time. */
const NOT_AT_ALL = 0;

/** One request, read. */
interface Asked {
  readonly method: string;
  readonly params: Params;
  readonly envelope: Envelope;
  readonly caller: Caller;
}

export class Exchanges {
  readonly #house: House;
  readonly #settings: Settings;
  readonly #sealer: Sealer;
  readonly #parking: Parking;
  readonly #outcomes: Outcomes;
  /** There from the first request on. */
  #closing: AbortController | undefined;
  readonly #answering = new Set<Promise<Answer>>();

  constructor(house: House) {
    const { settings, places } = house;
    this.#house = house;
    this.#settings = settings;
    this.#sealer = new Sealer(settings.keys);
    this.#parking = new Parking(settings, this.#sealer, places);
    this.#outcomes = new Outcomes(settings);
  }

  answer(request: Request, caller: Caller): Promise<Answer> {
    const answer = this.#orGivenUp(this.#answer(request, caller), request, caller);
    const answering = answer.finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
    return answering;
  }

  /**
   * Ends everything, and waits for it. Calls that wait for answers are closed, unless another process with the same keys
   * can go on with them: then their bodies are not told of an end that is none.
   */
  async close(): Promise<void> {
    const reason = new RunCancelled("The server was closed.");
    const answering = [...this.#answering];
    this.#closing?.abort(reason);
    this.#closing = undefined;
    const isShared = this.#settings.keys.length > 0;
    const calling = this.#parking.all;
    const ending = calling.map(async (conversation) => {
      if (isShared && conversation.isReplayable && conversation.waiting !== undefined) return;
      await conversation.close(reason);
    });
    await inTime(Promise.all(ending), this.#settings.clock, this.#patience);
    for (const conversation of calling) this.#parking.leave(conversation);
    // Whoever was being answered has their answer then; whoever has come since is not waited for.
    await Promise.all(answering);
    this.#outcomes.clear();
  }

  /** Aborted when the server closes. */
  get #closingSignal(): AbortSignal {
    this.#closing ??= newController();
    return this.#closing.signal;
  }

  /** Bodies have their grace; what an author does outside of them (completing, checking) has as long again. */
  get #patience(): number {
    return 2 * milliseconds(this.#settings.grace ?? "5s");
  }

  /** An answer; an error in its place, where nobody waits any more and it does not come in time. */
  #orGivenUp(answer: Promise<Answer>, { id }: Request, { signal }: Caller): Promise<Answer> {
    const closing = this.#closingSignal;
    return new Promise((resolve) => {
      let stop: (() => void) | undefined;
      const giveUp = (): void => {
        const response = errorResponse(id, new RpcError(INTERNAL_ERROR, "The server was closed."));
        stop ??= this.#settings.clock.after(this.#patience, () => resolve({ response, status: 200 }));
      };
      const signals = [signal, closing];
      for (const one of signals) one.addEventListener("abort", giveUp);
      if (signal.aborted) giveUp();
      void answer.then(resolve).finally(() => {
        stop?.();
        for (const one of signals) one.removeEventListener("abort", giveUp);
      });
    });
  }

  async #answer(request: Request, caller: Caller): Promise<Answer> {
    const { id } = request;
    // What is wrong with a request as a whole is wrong for HTTP, too.
    let status = 400;
    try {
      const asked = this.#read(request, caller);
      status = 200;
      const result = stamped(await this.#perform(id, asked), this.#settings);
      return { response: { jsonrpc: "2.0", id, result }, status };
    } catch (error) {
      const problem = rpcErrorOf(error, this.#settings.report);
      return { response: errorResponse(id, problem), status: statusOf(problem) ?? status };
    }
  }

  #read(request: Request, caller: Caller): Asked {
    const { method, params = {} } = request;
    if (caller.header !== undefined)
      checkHeaders(
        request,
        (name) => caller.header?.(name),
        this.#house.catalog.paramHeaders(method, params),
      );
    const most = this.#settings.limits.exchanges;
    // A client that is refused a discovery would take this for a server of older revisions; and it takes no time.
    if (this.#answering.size >= most && method !== "server/discover")
      throw new RpcError(
        OVER_LIMIT,
        `This server answers ${most} requests at once already; come back later.`,
      );
    return { method, params, envelope: readEnvelope(params), caller };
  }

  async #perform(id: RequestId, asked: Asked): Promise<Wire> {
    const { method, params, caller, envelope } = asked;
    const features = featuresOf(envelope.revision);
    if (Object.hasOwn(calls, method)) {
      const result = await this.#call(asked);
      const isRead = method === "resources/read" && result["resultType"] !== INPUT_REQUIRED;
      return isRead ? cacheable(result, NOT_AT_ALL, "private") : result;
    }
    if (method === "server/discover")
      return cacheable(discovery(this.#settings), this.#settings.cacheFor, "public");
    if (method === "subscriptions/listen") {
      const closing = this.#closingSignal;
      return listen(id, params, caller, {
        catalog: this.#house.catalog,
        settings: this.#settings,
        features,
        closing,
      });
    }
    const query = Object.hasOwn(queries, method) ? queries[method] : undefined;
    if (query === undefined) throw noMethod(method);
    const result = await query({ house: this.#house, features, params });
    return method.endsWith("/list") ? cacheable(result, this.#settings.cacheFor, "public") : result;
  }

  #call(asked: Asked): Promise<Wire> {
    const { method, params, caller } = asked;
    const { principal } = caller;
    const { name, uri } = params;
    const responses = responsesIn(params);
    const subject = [name, uri].find((one) => typeof one === "string") ?? method;
    const binding = bindingOf(method, params, principal);
    if (params["requestState"] === undefined) {
      // What goes on with a call that waits is not one more.
      if (!goesOn(name)) this.#house.places.refuseWhenFull(principal);
      const call = { runId: nodeCrypto().randomUUID(), principal, subject, binding };
      return this.#begin(asked, call, new Leg(asked.envelope, caller), responses);
    }
    const state = openState(params["requestState"], this.#sealer, binding, this.#settings.clock.now());
    const call = { runId: state.run, principal, subject, binding };
    return this.#goOn(asked, call, state, responses ?? {});
  }

  /** Goes on with a call from a state: gives again what came of it, resumes it, or replays it. */
  async #goOn(asked: Asked, call: Call, state: State, responses: Responses): Promise<Wire> {
    const { envelope, caller } = asked;
    const answers = digestOfGiven(responses);
    const conversation = this.#parking.find(call.runId);
    const kept = this.#outcomes.find(state);
    const isUsed = kept !== undefined && (this.#settings.singleUse || kept.answers !== answers);
    if (isUsed && conversation?.takeBack() !== true) throw invalidState();
    if (!isUsed && kept?.leg?.isAbandoned === false) return kept.leg.join(caller);
    if (conversation === undefined) {
      if (state.journal === undefined) throw gone();
      const leg = new Leg(envelope, caller);
      this.#outcomes.keep(state, answers, leg);
      return this.#begin(asked, call, leg, responses, state);
    }
    if (conversation.isAt(state)) {
      const { round = {} } = conversation.waiting ?? {};
      const replies = repliesTo(round, responses, featuresOf(envelope.revision), this.#settings.clock.now());
      const leg = new Leg(envelope, caller);
      this.#outcomes.keep(state, answers, leg);
      conversation.resume(leg, replies);
      return leg.answer;
    }
    if (state.journal !== undefined && conversation.isBehind(state)) await this.#giveWay(conversation);
    // It has gone on since, from this very state or a later one.
    else if (kept === undefined || conversation.settled === undefined) throw invalidState();
    // Whoever brought this state before has gone, and the body is being closed for it.
    else await conversation.settled;
    return this.#goOn(asked, call, state, responses);
  }

  /** The run has gone on elsewhere. What waits here for answers that were given there is not told of an end that is none. */
  async #giveWay(conversation: Conversation): Promise<void> {
    if (conversation.waiting === undefined)
      await conversation.close(new RunCancelled("The call has gone on from a later state."));
    this.#parking.leave(conversation);
  }

  #begin(
    { method, params, envelope }: Asked,
    call: Call,
    leg: Leg,
    responses: Responses | undefined,
    state?: State,
  ): Promise<Wire> {
    const conversation = new Conversation(call, this.#parking, state?.round);
    const query = { house: this.#house, features: featuresOf(envelope.revision), params };
    const make = (): { readonly performance: Performance; readonly front: ModernFront } => {
      let front: ModernFront | undefined;
      const performance = calls[method]?.({
        ...query,
        front: (logger) => (front = new ModernFront(conversation, envelope, this.#house, logger, state)),
      });
      if (performance === undefined || front === undefined) throw noMethod(method);
      return { performance, front };
    };
    this.#parking.enter(conversation);
    conversation.begin(leg, make, responses && { responses, state });
    return leg.answer;
  }
}

const noMethod = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}.`);

/** One whose signal any number may listen to. */
function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

const gone = (): RpcError =>
  new RpcError(
    INVALID_PARAMS,
    "The call that this requestState belongs to is over; call again from the start.",
  );
