/**
 * A request of 2026-07-28, until it is answered.
 *
 *   1. They are answered once, and told nothing after that.
 *   2. Once they have gone, or the server closes, what they wait for is to end; where that takes too long, they are
 *      answered without it.
 */
import { milliseconds } from "@photon/core";
import type { LinkedList, ListNode } from "../util/linked-list.ts";
import { cached } from "../protocol/results.ts";
import { errorResponse, INTERNAL_ERROR, RpcError, toRpcError, httpStatusOf } from "../jsonrpc/errors.ts";
import type { Notification, Request, JsonObject } from "../jsonrpc/messages.ts";
import type { StatelessResponse, RequestContext } from "../connection.ts";
import type { Settings } from "../settings.ts";
import type { RequestAttempt } from "./request-attempt.ts";

/** What everybody has in common who sends requests to a server. */
export interface RequestScope {
  readonly settings: Settings;
  /** Everybody who is not answered yet. */
  readonly waiting: LinkedList<PendingRequest>;
  /** Says on a result who gave it. */
  readonly stamp: (result: JsonObject) => JsonObject;
}

/** What comes of a request. */
export type RequestOutcome = { readonly result: JsonObject } | { readonly error: unknown };

const nothing = (): void => {};

export class PendingRequest implements ListNode<PendingRequest> {
  readonly caller: RequestContext;
  /** When the request arrived. */
  readonly receivedAt: number;
  readonly response: Promise<StatelessResponse>;
  awaiting: RequestAttempt | undefined;
  previous: PendingRequest | undefined;
  next: PendingRequest | undefined;
  readonly #request: Pick<Request, "id" | "method">;
  readonly #scope: RequestScope;
  #resolve: (answer: StatelessResponse) => void = nothing;
  /** Whether it is counted for its principal. */
  readonly #isCounted: boolean;
  #isAnswered = false;
  #stopWaiting = nothing;

  /** `isCounted`: its memory is reserved, until it is answered. */
  constructor(
    request: Pick<Request, "id" | "method">,
    caller: RequestContext,
    scope: RequestScope,
    isCounted: boolean,
  ) {
    this.#request = request;
    this.#isCounted = isCounted;
    if (isCounted) caller.account.statelessRequests.add(1);
    this.caller = caller;
    this.receivedAt = scope.settings.clock.now();
    this.#scope = scope;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    scope.waiting.add(this);
    const { signal } = caller;
    // In the next microtask: `awaiting` is set in the same turn.
    if (signal.aborted) queueMicrotask(this.#leave);
    else signal.addEventListener("abort", this.#leave);
  }

  /** Tells them something on the way. */
  tell(notification: Notification): void | Promise<void> {
    if (!this.#isAnswered) return this.caller.notify(notification);
  }

  /** Gives them what came of their request. */
  settle(outcome: RequestOutcome): void {
    if ("result" in outcome) this.succeed(outcome.result);
    else this.fail(outcome.error);
  }

  /** Gives them what another process has answered. */
  forward(answer: StatelessResponse): void {
    this.#settle(answer);
  }

  succeed(result: JsonObject): void {
    const { id, method } = this.#request;
    const { settings, stamp } = this.#scope;
    const whole = stamp(cached(method, result, settings));
    this.#settle({ response: { jsonrpc: "2.0", id, result: whole }, status: 200 });
  }

  /** `status` is that of HTTP, where the error has none of its own. */
  fail(error: unknown, status = 200): void {
    const problem = toRpcError(error, this.#scope.settings.report);
    const response = errorResponse(this.#request.id, problem);
    this.#settle({ response, status: httpStatusOf(problem) ?? status });
  }

  /** Waits no longer than what they wait for may take to end. */
  limitWait(): void {
    if (this.#isAnswered || this.#stopWaiting !== nothing) return;
    const tooLate = (): void => this.fail(new RpcError(INTERNAL_ERROR, "The server was closed."));
    const { settings } = this.#scope;
    this.#stopWaiting = settings.clock.after(closeTimeout(settings), tooLate);
  }

  #settle(answer: StatelessResponse): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#stopWaiting();
    this.caller.signal.removeEventListener("abort", this.#leave);
    this.#scope.waiting.remove(this);
    if (this.#isCounted) {
      const { account, weight } = this.caller;
      account.statelessRequests.release(1);
      account.release(weight);
    }
    this.awaiting = undefined;
    this.#resolve(answer);
  }

  readonly #leave = (): void => {
    if (this.#isAnswered) return;
    this.limitWait();
    this.awaiting?.onRequestGone(this);
  };
}

/** Bodies have their grace; what an author does outside of them (completing, checking) has as long again. In milliseconds. */
export const closeTimeout = ({ grace }: Pick<Settings, "grace">): number => 2 * milliseconds(grace);
