/**
 * Handles requests of 2026-07-28. Each has its client's identity and capabilities in `_meta`.
 *
 *   1. A request gets one response; its notifications are sent before it.
 *   2. A call that asks ends its request with `input_required`, and is parked. The request with the answers resumes it, or
 *      replays it if it is not in memory any more and its tool is durable.
 *   3. The same requestState with the same answers gets the same response. With other answers it is rejected, unless the first
 *      request has no outcome yet because it only waits for a page.
 *   4. A client that disconnects cancels its request, unless the request only waits for a page.
 */
import { RunCancelled } from "@photon/core";
import type { BackgroundWorker } from "../background/worker.ts";
import type { HandleStateless } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { callMethods, methodNotFound, queryMethods } from "../methods.ts";
import { checkHeaders } from "../protocol/http-headers.ts";
import { limitedClient, parseRequestMeta, type RequestMeta } from "../protocol/request-meta.ts";
import { discoverResult, stampOf } from "../protocol/results.ts";
import { featuresOf } from "../protocol/revisions.ts";
import { unlimitedAbortController } from "../util/light-abort.ts";
import { LinkedList } from "../util/linked-list.ts";
import { withTimeout } from "../util/timers.ts";
import { CallRouter } from "./call-router.ts";
import { closeTimeout, PendingRequest, type RequestScope } from "./pending-request.ts";
import { handleSubscribe } from "./subscribe.ts";

export class StatelessHandler {
  readonly #context: ServerContext;
  readonly #router: CallRouter;
  readonly #scope: RequestScope;
  /** Aborted when the server closes. Created with the first subscription. */
  #closing: AbortController | undefined;

  /** `background` continues durable calls without their clients. */
  constructor(context: ServerContext, background: BackgroundWorker | undefined) {
    const { settings } = context;
    this.#context = context;
    this.#scope = { settings, pending: new LinkedList(), stamp: stampOf(settings) };
    this.#router = new CallRouter(context, background, this.answer);
  }

  readonly answer: HandleStateless = (request, caller) => {
    const pending = new PendingRequest(request, caller, this.#scope);
    // An error in the headers or `_meta` is also an HTTP error.
    let status = 400;
    try {
      const meta = this.#parse(pending);
      status = 200;
      this.#handle(pending, meta);
    } catch (error) {
      pending.fail(error, status);
    }
    return pending.response;
  };

  /**
   * Ends every call and request, and waits for it. Bodies are closed, unless another process with the same keys can continue them:
   * those are detached, and their clients are told to retry their requests.
   */
  async close(): Promise<void> {
    const reason = new RunCancelled("The server was closed.");
    const { settings } = this.#context;
    const { calls: waiting } = this.#router;
    const pending = [...this.#scope.pending];
    this.#closing?.abort(reason);
    this.#closing = undefined;
    for (const request of pending) request.limitWait();
    const stopped = [
      ...waiting.map((call) => call.stop(reason)),
      ...pending.map((request) => this.#router.stop(request, reason)),
    ];
    await withTimeout(Promise.all(stopped), settings.clock, closeTimeout(settings));
    for (const call of waiting) this.#router.remove(call);
    // Requests that arrived meanwhile are not waited for.
    await Promise.all(pending.map(({ response }) => response));
    this.#router.clear();
  }

  /** A run was continued without its client, or in another process: its call that is parked here is removed. */
  onRunMoved(run: string): void {
    const call = this.#router.find(run);
    if (call?.parked !== undefined && call.clientPort.durable !== undefined) this.#router.remove(call);
  }

  /** Checks the headers, and parses the `_meta` of a request. Throws the refusal, if there is one. */
  #parse({ request, caller, refusal }: PendingRequest): RequestMeta {
    const { method, params = {} } = request;
    if (caller.header !== undefined)
      checkHeaders(
        request,
        (name) => caller.header?.(name),
        this.#context.catalog.paramHeaders(method, params),
      );
    // A client whose discovery is refused would take this for a server of older revisions.
    if (refusal !== undefined && method !== "server/discover") throw refusal.error;
    return parseRequestMeta(params);
  }

  #handle(pending: PendingRequest, meta: RequestMeta): void {
    const { method } = pending.request;
    if (Object.hasOwn(callMethods, method)) return this.#router.route(pending, meta);
    if (method === "server/discover") return pending.succeed(discoverResult(this.#context.settings));
    const result =
      method === "subscriptions/listen" ? this.#subscribe(pending, meta) : this.#query(pending, meta);
    if (!(result instanceof Promise)) return pending.succeed(result);
    result.then(
      (found) => pending.succeed(found),
      (error: unknown) => pending.fail(error),
    );
  }

  #subscribe({ request, caller }: PendingRequest, { revision }: RequestMeta): Promise<JsonObject> {
    this.#closing ??= unlimitedAbortController();
    return handleSubscribe(request, caller, this.#context, featuresOf(revision), this.#closing.signal);
  }

  #query({ request }: PendingRequest, meta: RequestMeta): JsonObject | Promise<JsonObject> {
    const { method, params = {} } = request;
    const query = Object.hasOwn(queryMethods, method) ? queryMethods[method] : undefined;
    if (query === undefined) throw methodNotFound(method);
    const features = featuresOf(meta.revision);
    return query({ context: this.#context, features, params, limited: limitedClient(meta) });
  }
}
