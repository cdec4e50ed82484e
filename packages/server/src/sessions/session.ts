/**
 * A session with one client, in a revision up to 2025-11-25: the client's requests go to request-handler.ts, its responses (accept,
 * decline, cancel …) to the questions that await them (sent-question.ts, by jsonrpc/outgoing-requests.ts).
 *
 *   1. A bad message costs its sender an error, and nothing else.
 *   2. A request is answered once, unless the client cancelled it: then not at all.
 *   3. A question belongs to the call that asks it, and travels on its stream.
 *   4. Closing the session closes every body it started, and waits for them. Where the client is still connected, open
 *      questions are cancelled and calls answered.
 */
import type { LogLevel } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { ListName, Watcher } from "../catalog.ts";
import { ClientAtConnection } from "../client-trust.ts";
import type { ClientConnection, MessageHandler } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { SessionListener } from "../durable/process-bus.ts";
import { errorResponse, INVALID_REQUEST, RpcError, withSerializationErrors } from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import {
  isRequestId,
  type JsonObject,
  type Message,
  type Notification,
  type Params,
  type ParsedMessage,
  parseMessage,
  type RequestId,
  type Response,
} from "../jsonrpc/messages.ts";
import { OutgoingRequests } from "../jsonrpc/outgoing-requests.ts";
import { initializeResult } from "../protocol/results.ts";
import { Batch, batchProblem } from "./batch.ts";
import { createHandshake, type Handshake, noHandshake, parseInitialize } from "./handshake.ts";
import { RequestHandler } from "./request-handler.ts";
import type { Respond } from "./in-flight-calls.ts";
import type { SessionContext } from "./session-client.ts";
import { createSharedSession, type ResumedSession, SharedSession } from "./shared-session.ts";

/** How many requests of a batch are started before other clients have a turn. */
const MAX_REQUESTS_PER_TURN = 50;

export class Session implements MessageHandler, SessionContext, SessionListener, Watcher {
  readonly server: ServerContext;
  readonly connection: ClientConnection;
  readonly account: Account;
  readonly requests: OutgoingRequests;
  readonly trust: ClientAtConnection;
  readonly requestHandler: RequestHandler;
  handshake: Handshake;
  /** Whether the client has sent `initialize`. */
  isOpen = false;
  /** Set by the handshake, if other processes can continue the session. */
  shared: SharedSession | undefined;
  logLevel: LogLevel = "info";
  ignoresPings = false;
  /** Called when the session begins to close, with a promise that resolves when its bodies have ended. */
  onClosing: ((closing: Promise<void>) => void) | undefined;
  #closing: Promise<void> | undefined;
  /** Once true, the session sends no message. */
  #isClosed = false;
  /** The memory of the client's `initialize`, in bytes. */
  #weight = 0;
  /** Batches that are not answered yet. */
  #batches: Set<Batch> | undefined;

  /** `resumed`: a session of another process, which this one continues. */
  constructor(
    connection: ClientConnection,
    account: Account,
    server: ServerContext,
    resumed?: ResumedSession,
  ) {
    this.server = server;
    this.connection = connection;
    this.account = account;
    this.trust = new ClientAtConnection(server.trust, this.principal);
    this.requests = new OutgoingRequests(this);
    this.requestHandler = new RequestHandler(this);
    this.handshake = noHandshake(server.settings);
    server.catalog.watch(this);
    if (resumed === undefined) return;
    const { token, claims, runs } = resumed;
    this.handshake = createHandshake(claims.revision, claims.client, claims.wantsDetails);
    this.isOpen = true;
    this.shared = new SharedSession(token, claims, runs, this);
  }

  get principal(): string {
    return this.connection.principal ?? "";
  }

  send(message: Message, about?: RequestId): void | Promise<void> {
    if (!this.#isClosed) return this.connection.send(message, about);
  }

  receive(message: unknown, bytes?: number): void {
    if (this.#closing !== undefined) return;
    if (Array.isArray(message)) this.#receiveBatch(message);
    else this.#route(parseMessage(message), estimateBytes(message, bytes), this.#respond);
  }

  /** Forwards a response to the process that awaits it; undefined if this one does. */
  forwardResponse(message: unknown): Promise<void> | undefined {
    if (this.shared === undefined || this.#closing !== undefined) return undefined;
    const incoming = parseMessage(message);
    if (incoming.kind !== "response" || this.requests.handlerOf(incoming.message.id) !== undefined)
      return undefined;
    return this.shared.forwardResponse(incoming.message);
  }

  onForwarded(message: JsonObject): void {
    const incoming = parseMessage(message);
    if (incoming.kind === "response") this.requests.resolve(incoming.message);
    else if (incoming.kind === "notification") this.#cancelRequest(incoming.message);
  }

  onTerminated(): void {
    void this.close(true);
    this.connection.onSessionEnded?.();
  }

  /** Continues a call that began in another process. */
  resumeCall(leased: LeasedLog): void {
    // The session was closed while the lease was awaited: another process continues the run.
    if (this.#closing !== undefined) return void leased.release();
    this.requestHandler.resumeCall(leased, this.#respond);
  }

  onCallMoved(request: RequestId): void {
    this.requestHandler.calls.onMoved(request);
  }

  initialize(params: Params, bytes: number): JsonObject {
    const { settings, runs } = this.server;
    if (this.isOpen) throw new RpcError(INVALID_REQUEST, "This session is initialized already.");
    // Before its memory is counted: nothing is kept of an `initialize` that is refused.
    const handshake = parseInitialize(params, settings);
    this.account.reserveOrThrow(bytes);
    this.#weight += bytes;
    this.handshake = handshake;
    this.isOpen = true;
    if (this.connection.resumableStreamName !== undefined && runs !== undefined)
      this.shared = createSharedSession(this, runs);
    return initializeResult(settings, this.handshake.features);
  }

  changed(lists: readonly ListName[]): void {
    if (!this.isOpen) return;
    for (const list of lists)
      void this.send({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
  }

  /**
   * The client has disconnected, or has terminated the session: then durable runs end, too. Resolves when its calls have ended, or
   * were detached for another process.
   */
  close(isTerminated = false): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#end(isTerminated);
      this.onClosing?.(this.#closing);
    }
    return this.#closing;
  }

  /** The client has sent another `initialize` on the same connection: this session sends no further message. */
  replace(): Promise<void> {
    this.#isClosed = true;
    return this.close();
  }

  async #end(isTerminated: boolean): Promise<void> {
    this.server.catalog.unwatch(this);
    this.shared?.leave();
    await this.requestHandler.close(isTerminated);
    this.requests.close();
    this.#isClosed = true;
    this.account.release(this.#weight);
    // Batches with a call that was left to another process, or does not end.
    for (const batch of this.#batches ?? []) batch.release();
  }

  #receiveBatch(messages: readonly unknown[]): void {
    const { batch: maxCount, queueBytes } = this.server.settings.limits;
    const isSupported = this.isOpen && this.handshake.features.batches;
    const problem = batchProblem(messages.length, isSupported, maxCount);
    if (problem !== undefined) return this.#sendResponse(errorResponse(undefined, problem));
    const batch = new Batch(messages.length, queueBytes, this.account, (responses, about) => {
      this.#batches?.delete(batch);
      if (responses.length > 0) this.#sendResponse(responses, about);
    });
    (this.#batches ??= new Set()).add(batch);
    this.#routeBatch(messages.values(), batch.respond);
  }

  /** Routes messages of a batch up to MAX_REQUESTS_PER_TURN requests, and the rest in the next turn of the event loop. */
  #routeBatch(messages: Iterator<unknown>, respond: Respond): void {
    if (this.#closing !== undefined) return;
    let requests = 0;
    for (let next = messages.next(); next.done !== true; next = messages.next()) {
      const incoming = parseMessage(next.value);
      this.#route(incoming, estimateBytes(next.value), respond);
      if (incoming.kind === "request") requests += 1;
      if (requests === MAX_REQUESTS_PER_TURN)
        return void setImmediate(() => this.#routeBatch(messages, respond));
    }
  }

  #route(incoming: ParsedMessage, bytes: number, respond: Respond): void {
    switch (incoming.kind) {
      case "request":
        return this.requestHandler.handle(incoming.message, bytes, respond);
      case "notification":
        this.#receiveNotification(incoming.message);
        return respond(undefined);
      case "response":
        return respond(this.#receiveResponse(incoming.message, bytes));
      case "invalid":
        return respond(incoming.refusal);
      default:
        incoming satisfies never;
    }
  }

  #receiveNotification(message: Notification): void {
    const elsewhere = this.#cancelRequest(message);
    if (elsewhere !== undefined)
      this.shared?.forwardCancel(elsewhere, message).catch(this.server.settings.report);
  }

  /** Cancels the request that `notifications/cancelled` names. Returns its id if it is not in flight in this process. */
  #cancelRequest({ method, params = {} }: Notification): RequestId | undefined {
    const { requestId, reason } = params;
    if (method !== "notifications/cancelled" || !isRequestId(requestId)) return undefined;
    return this.requestHandler.calls.cancel(requestId, reason) ? undefined : requestId;
  }

  /** Passes the client's reply to the question that awaits it. Returns an error under its id if the limit of memory is exceeded. */
  #receiveResponse(response: Response, bytes: number): Response | undefined {
    const handler = this.requests.handlerOf(response.id);
    // A response of a batch: the transport has forwarded one that came alone, with `forwardResponse`.
    if (handler === undefined) this.shared?.forwardResponse(response).catch(this.server.settings.report);
    const about = handler?.countsAsQuestion === true ? handler.about : undefined;
    const refusal = this.requestHandler.calls.reserveReply(about, bytes);
    if (refusal !== undefined) return errorResponse(response.id, refusal);
    this.requests.resolve(response);
    return undefined;
  }

  /** Responds to a message that is not part of a batch. */
  readonly #respond: Respond = (response, about) => {
    if (response !== undefined) this.#sendResponse(response, about);
  };

  #sendResponse(response: Response | readonly Response[], about?: RequestId): void {
    if (this.#isClosed) return;
    void withSerializationErrors(response, this.server.settings.report, (json) =>
      this.connection.send(json, about),
    );
  }
}
