/**
 * Requests of 2026-07-28: each stands alone, and says itself who asks and what they can do.
 *
 *   1. A request is answered once; what it tells on the way belongs to it, and nothing is told after its answer.
 *   2. A call that asks ends its request with its questions, and is parked. The request that brings the answers goes on
 *      with it, or has it replayed where it is no longer here and its tool is durable.
 *   3. The same state with the same answers is given the same outcome. With other answers it is refused.
 *   4. Whoever goes away has cancelled what they waited for.
 */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { RunCancelled } from "@photon/core";
import type { Catalog } from "../catalog.ts";
import { calls, queries } from "../dispatch.ts";
import { readEnvelope, type Envelope } from "../mcp/envelope.ts";
import { checkHeaders } from "../mcp/headers.ts";
import { cacheable, discovery, stamped } from "../mcp/modern-results.ts";
import { featuresOf } from "../mcp/revisions.ts";
import {
  errorResponse,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  OVER_LIMIT,
  RpcError,
  rpcErrorOf,
  statusOf,
} from "../rpc/errors.ts";
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
  readonly #catalog: Catalog;
  readonly #settings: Settings;
  readonly #sealer: Sealer;
  readonly #parking: Parking;
  readonly #outcomes: Outcomes;
  /** Every call that has not ended, by the id of its run, and what settles when it has. */
  readonly #calls = new Map<string, { readonly conversation: Conversation; readonly over: Promise<void> }>();
  #closing = newController();
  readonly #answering = new Set<Promise<Answer>>();

  constructor(catalog: Catalog, settings: Settings) {
    this.#catalog = catalog;
    this.#settings = settings;
    this.#sealer = new Sealer(settings.keys);
    this.#parking = new Parking(settings, this.#sealer);
    this.#outcomes = new Outcomes(settings);
  }

  /** How many calls wait for answers. */
  get parked(): number {
    return this.#parking.size;
  }

  answer(request: Request, caller: Caller): Promise<Answer> {
    const answering = this.#answer(request, caller).finally(() => this.#answering.delete(answering));
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
    this.#closing.abort(reason);
    this.#closing = newController();
    const isShared = this.#settings.keys.length > 0;
    const ending = Array.from(this.#calls.values(), async ({ conversation, over }) => {
      if (!isShared || conversation.waiting?.isReplayable !== true) {
        await conversation.close(reason);
        return over;
      }
      this.#forget(conversation);
    });
    await Promise.all(ending);
    // Whoever was being answered has their answer then; whoever has come since is not waited for.
    await Promise.all(answering);
    this.#outcomes.clear();
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
      checkHeaders(request, (name) => caller.header?.(name), this.#catalog.paramHeaders(method, params));
    const most = this.#settings.limits.exchanges;
    if (this.#answering.size >= most)
      throw new RpcError(
        OVER_LIMIT,
        `This server answers ${most} requests at once already; come back later.`,
      );
    return { method, params, envelope: readEnvelope(params), caller };
  }

  async #perform(id: RequestId, asked: Asked): Promise<Wire> {
    const { method, params, caller, envelope } = asked;
    const features = featuresOf(envelope.revision);
    if (Object.hasOwn(calls, method)) return this.#call(asked);
    if (method === "server/discover")
      return cacheable(discovery(this.#settings), this.#settings.cacheFor, "public");
    if (method === "subscriptions/listen") {
      const { signal: closing } = this.#closing;
      return listen(id, params, caller, {
        catalog: this.#catalog,
        settings: this.#settings,
        features,
        closing,
      });
    }
    const query = Object.hasOwn(queries, method) ? queries[method] : undefined;
    if (query === undefined)
      throw new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}.`);
    const result = await query({ catalog: this.#catalog, features, params });
    return method.endsWith("/list") ? cacheable(result, this.#settings.cacheFor, "public") : result;
  }

  #call(asked: Asked): Promise<Wire> {
    const { method, params, caller } = asked;
    const { principal } = caller;
    const { name, uri } = params;
    const responses = responsesIn(params);
    const call = {
      principal,
      subject: [name, uri].find((one) => typeof one === "string") ?? method,
      binding: bindingOf(method, params, principal),
    };
    if (params["requestState"] === undefined) {
      this.#parking.refuseWhenFull(principal);
      return this.#begin(asked, { ...call, runId: randomUUID() }, new Leg(asked.envelope, caller), responses);
    }
    const state = openState(params["requestState"], this.#sealer, call.binding, this.#settings.clock.now());
    return this.#goOn(asked, { ...call, runId: state.run }, state, responses ?? {});
  }

  /** Goes on with a call from a state: gives again what came of it, resumes it, or replays it. */
  async #goOn(asked: Asked, call: Call, state: State, responses: Responses): Promise<Wire> {
    const { envelope, caller } = asked;
    const answers = digestOfGiven(responses);
    const kept = this.#outcomes.find(state);
    if (kept !== undefined && (this.#settings.singleUse || kept.answers !== answers)) throw invalidState();
    if (kept !== undefined && !kept.leg.isAbandoned) {
      kept.leg.join(caller);
      return kept.leg.outcome;
    }
    const found = this.#calls.get(call.runId);
    if (found === undefined) {
      if (state.journal === undefined) throw gone();
      const leg = new Leg(envelope, caller);
      this.#outcomes.keep(state, answers, leg);
      return this.#begin(asked, call, leg, responses, state);
    }
    const { conversation, over } = found;
    if (conversation.isAt(state)) {
      const { round = {} } = conversation.waiting ?? {};
      const replies = repliesTo(round, responses, featuresOf(envelope.revision), this.#settings.clock.now());
      const leg = new Leg(envelope, caller);
      this.#outcomes.keep(state, answers, leg);
      conversation.resume(leg, replies);
      return leg.outcome;
    }
    if (state.journal !== undefined && conversation.isBehind(state)) await this.#giveWay(conversation);
    // It has gone on since, from this very state or a later one.
    else if (kept === undefined) throw invalidState();
    // Whoever brought this state before has gone, and the body is being closed for it.
    else await over;
    return this.#goOn(asked, call, state, responses);
  }

  /** The run has gone on elsewhere. What waits here for answers that were given there is not told of an end that is none. */
  async #giveWay(conversation: Conversation): Promise<void> {
    if (conversation.waiting === undefined)
      await conversation.close(new RunCancelled("The call has gone on from a later state."));
    this.#forget(conversation);
  }

  #begin(
    { method, params, envelope }: Asked,
    call: Call,
    leg: Leg,
    responses: Responses | undefined,
    state?: State,
  ): Promise<Wire> {
    const conversation = new Conversation(call, this.#parking, leg, state?.round);
    const front = (logger: string): ModernFront =>
      new ModernFront(conversation, this.#settings, logger, responses, state);
    const features = featuresOf(envelope.revision);
    const over = conversation
      .begin(async () => {
        const result = await calls[method]?.({ catalog: this.#catalog, features, params, front });
        // Whether there is such a method was looked at before.
        const found = result ?? {};
        return method === "resources/read" ? cacheable(found, NOT_AT_ALL, "private") : found;
      })
      .finally(() => this.#forget(conversation));
    this.#calls.set(call.runId, { conversation, over });
    return leg.outcome;
  }

  #forget(conversation: Conversation): void {
    const { runId } = conversation.call;
    if (this.#calls.get(runId)?.conversation === conversation) this.#calls.delete(runId);
    this.#parking.leave(conversation);
  }
}

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
