/**
 * A request of 2026-07-28 until it is answered, and the attempt to continue a call that one or more requests wait for.
 *
 *   1. A request gets one response, and no notification after it.
 *   2. When its client disconnects or the server closes, its call is stopped, or does not start. If stopping takes too long, the
 *      request is answered with an error.
 *   3. An attempt ends once. Every request that waits for it gets the same outcome.
 *   4. An attempt is abandoned when the clients of all its requests have disconnected before it ended.
 */
import type { Account, Refusal } from "../accounts.ts";
import type { LinkedList, ListNode } from "../util/linked-list.ts";
import type { RequestMeta } from "../protocol/request-meta.ts";
import { withCacheLifetime } from "../protocol/results.ts";
import {
  errorResponse,
  httpStatusOf,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  RpcError,
  toRpcError,
} from "../jsonrpc/errors.ts";
import type { JsonObject, Notification, Params, Request } from "../jsonrpc/messages.ts";
import type { RequestContext, StatelessResponse } from "../connection.ts";
import type { Settings } from "../settings.ts";
import type { InputResponses } from "./client-questions.ts";
import { bindingOf, type RequestState, type RoundPosition } from "./request-state.ts";
import type { StatelessCall } from "./stateless-call.ts";

/** Shared by all requests to a server. */
export interface RequestScope {
  readonly settings: Settings;
  /** The requests that are not answered yet. */
  readonly pending: LinkedList<PendingRequest>;
  /** Adds the fields that every result has. */
  readonly stamp: (result: JsonObject) => JsonObject;
}

export type RequestOutcome = { readonly result: JsonObject } | { readonly error: unknown };

const nothing = (): void => {};

const requestCancelled = (): RpcError => new RpcError(INVALID_REQUEST, "The request was cancelled.");

const closedError = (): RpcError => new RpcError(INTERNAL_ERROR, "The server was closed.");

/** The time limit for closing, in milliseconds: the grace period of a body, and as long again for authors' code outside of bodies. */
export const closeTimeout = ({ grace }: Pick<Settings, "grace">): number => 2 * grace;

export class PendingRequest implements ListNode<PendingRequest> {
  readonly request: Request;
  readonly caller: RequestContext;
  readonly receivedAt: number;
  readonly response: Promise<StatelessResponse>;
  /** Why the request is over a limit, if it is. Otherwise it and its memory count for its principal until it is answered. */
  readonly refusal: Refusal | undefined;
  /** The attempt that the request waits for, if it calls a tool, prompt or resource. */
  attempt: RequestAttempt | undefined;
  previous: PendingRequest | undefined;
  next: PendingRequest | undefined;
  readonly #scope: RequestScope;
  #resolve: (response: StatelessResponse) => void = nothing;
  #isAnswered = false;
  /** Set while the work for the request is being stopped. */
  #stopTimer: (() => void) | undefined;

  constructor(request: Request, caller: RequestContext, scope: RequestScope) {
    const { account, weight, signal } = caller;
    const continuesCall = request.params?.["requestState"] !== undefined;
    this.refusal = account.refusalOf("statelessRequests") ?? account.reserveRequest(weight, continuesCall);
    if (this.refusal === undefined) account.add("statelessRequests");
    this.request = request;
    this.caller = caller;
    this.receivedAt = scope.settings.clock.now();
    this.#scope = scope;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    scope.pending.add(this);
    // In the next microtask: `attempt` is set in this tick.
    if (signal.aborted) queueMicrotask(this.#onDisconnect);
    else signal.addEventListener("abort", this.#onDisconnect);
  }

  notify(notification: Notification): void | Promise<void> {
    if (!this.#isAnswered) return this.caller.notify(notification);
  }

  settle(outcome: RequestOutcome): void {
    if ("result" in outcome) this.succeed(outcome.result);
    else this.fail(outcome.error);
  }

  succeed(result: JsonObject): void {
    const { id, method } = this.request;
    const { settings, stamp } = this.#scope;
    const stamped = stamp(withCacheLifetime(method, result, settings));
    this.respond({ response: { jsonrpc: "2.0", id, result: stamped }, status: 200 });
  }

  /** `status` is the HTTP status of errors that have none of their own. */
  fail(error: unknown, status = 200): void {
    const problem = toRpcError(error, this.#scope.settings.report);
    const response = errorResponse(this.request.id, problem);
    this.respond({ response, status: httpStatusOf(problem) ?? status });
  }

  /** Answers the request. Only the first response is sent. */
  respond(response: StatelessResponse): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#stopTimer?.();
    this.caller.signal.removeEventListener("abort", this.#onDisconnect);
    this.#scope.pending.remove(this);
    if (this.refusal === undefined) {
      const { account, weight } = this.caller;
      account.remove("statelessRequests");
      account.release(weight);
    }
    this.attempt = undefined;
    this.#resolve(response);
  }

  /** The work for the request is being stopped: answers it with an error if that takes too long. */
  limitWait(): void {
    if (this.#isAnswered || this.#stopTimer !== undefined) return;
    const { settings } = this.#scope;
    this.#stopTimer = settings.clock.after(closeTimeout(settings), () => this.fail(closedError()));
  }

  /** Throws if the client has disconnected or the server closes: a call that starts now would not be stopped. */
  assertAwaited(): void {
    if (this.caller.signal.aborted) throw requestCancelled();
    if (this.#stopTimer !== undefined) throw closedError();
  }

  readonly #onDisconnect = (): void => {
    if (this.#isAnswered) return;
    this.limitWait();
    this.attempt?.onDisconnect(this);
  };
}

/** The inputResponses of a request. */
export interface ReceivedResponses {
  readonly responses: InputResponses;
  /** Where the call waited for them. Undefined without a requestState: a client may send inputResponses with its first request. */
  readonly position: RoundPosition | undefined;
  /** `early`: the call has not reached a round in this process. `open`: it has. `given`: the body continues with them. */
  stage: "early" | "open" | "given";
}

/** A request that starts or continues a call, with the same request sent again meanwhile. */
export class RequestAttempt {
  readonly method: string;
  readonly params: Params;
  readonly meta: RequestMeta;
  readonly principal: string;
  readonly account: Account;
  /** The memory that the request takes, in bytes. */
  readonly weight: number;
  /** The requestState in its response is bound to this text, which is made before the body can change its input. */
  readonly binding: string;
  /** When the answers arrived: earlier than the request, if a process that has stopped since received them first. */
  answeredAt: number;
  received: ReceivedResponses | undefined;
  /** The call that works for it. */
  call: StatelessCall | undefined;
  /** The client gets this state to send the request again, if the server closes before a call works for it. */
  retryState: RequestState | undefined;
  /** Called once, before any request gets the outcome. `refused`: the attempt has changed nothing, its state can be used again. */
  onEnd: ((outcome: RequestOutcome, how: "ended" | "abandoned" | "refused") => void) | undefined;
  #requests: readonly PendingRequest[];
  /** Notifications go to the request that came first, until its client disconnects. */
  #first: PendingRequest | undefined;
  #isAbandoned = false;
  #isEnded = false;

  constructor(pending: PendingRequest, meta: RequestMeta) {
    const { method, params = {} } = pending.request;
    const { principal, account, weight } = pending.caller;
    this.method = method;
    this.params = params;
    this.meta = meta;
    this.principal = principal;
    this.account = account;
    this.weight = weight;
    this.binding = bindingOf(method, params, principal);
    this.answeredAt = pending.receivedAt;
    this.#requests = [pending];
    this.#first = pending;
    pending.attempt = this;
  }

  /** An abandoned attempt still ends, but its outcome is not kept. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The same request was sent again: it gets the same outcome. */
  addDuplicate(pending: PendingRequest): void {
    this.#requests = [...this.#requests, pending];
    pending.attempt = this;
  }

  /** A request whose client disconnected is answered at once; the last one is answered when the attempt has ended. */
  onDisconnect(pending: PendingRequest): void {
    if (this.#first === pending) this.#first = undefined;
    const others = this.#requests.filter((other) => other !== pending);
    if (others.length > 0) {
      this.#requests = others;
      return pending.fail(requestCancelled());
    }
    this.#isAbandoned = true;
    this.call?.onDisconnect();
  }

  notify(notification: Notification): void | Promise<void> {
    return this.#first?.notify(notification);
  }

  /** The run was given the answers: from here on its journal has them, also if the run is detached at the same time. */
  setGiven(): void {
    if (this.received !== undefined) this.received.stage = "given";
  }

  finish(result: JsonObject): void {
    this.#end({ result });
  }

  fail(error: unknown): void {
    this.#end({ error });
  }

  /** Ends with an error that leaves the call where it was: its client may send the same state again. */
  refuse(error: unknown): void {
    this.#end({ error }, true);
  }

  /** The client has disconnected: the call waits for the same request again. */
  cancel(): void {
    this.refuse(requestCancelled());
  }

  /** Whether the attempt has ended. Throws if its client has disconnected. */
  hasEndedOrThrow(): boolean {
    if (this.#isAbandoned) throw requestCancelled();
    return this.#isEnded;
  }

  #end(outcome: RequestOutcome, isRefused = false): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const requests = this.#requests;
    // An attempt may outlive its requests: it retains neither them nor the call.
    this.#requests = [];
    this.#first = undefined;
    this.call = undefined;
    this.onEnd?.(outcome, isRefused ? "refused" : this.#isAbandoned ? "abandoned" : "ended");
    this.onEnd = undefined;
    for (const pending of requests) pending.settle(outcome);
  }
}

/** A request that brings a state. */
export interface Resumption {
  readonly pending: PendingRequest;
  readonly attempt: RequestAttempt;
  readonly state: RequestState;
  readonly responses: InputResponses;
  readonly answersDigest: string;
}
