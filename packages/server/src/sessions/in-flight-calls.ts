/**
 * The requests of a session that are in flight: `SessionCall` is one of them, `InFlightCalls` has all of them by id.
 *
 *   1. An id belongs to one request, until that is answered or cancelled.
 *   2. A request that was cancelled is not answered. It counts until its body has ended.
 *   3. Closing waits for every answer, and for the bodies of cancelled requests. Durable calls are detached, and not answered.
 */
import { type Replies, RunCancelled } from "@photon/core";
import { type CallRunner, driveCall } from "../calls/call-runner.ts";
import { CALL_BYTES } from "../calls/waiting-calls.ts";
import {
  asRetryable,
  hasClientElsewhere,
  idInUse,
  isMoved,
  OVER_LIMIT,
  RpcError,
} from "../jsonrpc/errors.ts";
import type { JsonObject, Request, RequestId, Response } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";
import { CompactMap } from "../util/compact-map.ts";
import { deferred, START_TIMEOUT_MS, untilTrue, withTimeout } from "../util/timers.ts";
import type { RequestHandler } from "./request-handler.ts";
import type { ReplyListener } from "./sent-question.ts";
import type { Session } from "./session.ts";
import { cancellationReason, type SessionClient } from "./session-client.ts";

/** Sends the response to a message; undefined if it has none. `about`: the request that was answered. */
export type Respond = (response: Response | undefined, about?: RequestId) => void;

/**
 * One request of a client, until its response. A call that runs a body is driven from one question to the next. While a question is
 * open, the call is a paused object without promises: `resume` continues it with the reply (accept, decline, timeout …).
 */
export class SessionCall implements ReplyListener {
  readonly id: RequestId;
  /** Clients must not cancel `initialize`. */
  readonly isCancellable: boolean;
  readonly respond: Respond;
  /** A call that was cancelled, or detached for another process, gets no response here. */
  isCancelled = false;
  /** The body has ended here. The response waits until the client has read the progress before it. */
  hasEnded = false;
  /** The memory that is reserved for the messages of its client, in bytes. */
  weight = 0;
  /** The client's side of the call, if it runs a body. */
  clientPort: SessionClient | undefined;
  readonly #handler: RequestHandler;
  #runner: CallRunner | undefined;

  constructor({ id, method }: Pick<Request, "id" | "method">, respond: Respond, handler: RequestHandler) {
    this.id = id;
    this.isCancellable = method !== "initialize";
    this.respond = respond;
    this.#handler = handler;
  }

  async respondWith(result: JsonObject | Promise<JsonObject>): Promise<void> {
    try {
      this.#handler.onResult(this, await result);
    } catch (error) {
      this.#handler.onError(this, error);
    }
  }

  start(runner: CallRunner): void {
    this.#runner = runner;
    void this.#drive();
  }

  /** Continues the body with the reply to its question. */
  resume(replies: Replies): void {
    void this.#drive(replies);
  }

  failed(error: unknown): void {
    void this.#fail(error);
  }

  /** Leaves the run to other processes. Resolves when the step in progress has ended. */
  async detach(reason: Error): Promise<void> {
    await this.clientPort?.detach(reason);
    // The run has stopped: this closes its pages.
    await this.#runner?.close();
  }

  async #drive(replies?: Replies): Promise<void> {
    const { clientPort } = this;
    const runner = this.#runner;
    if (runner === undefined || clientPort === undefined) return;
    try {
      const result = await driveCall(runner, clientPort, (round) => clientPort.ask(round, this), replies);
      if (result === undefined) return;
      this.hasEnded = true;
      const reading = clientPort.beforeResponse(result["isError"] === true);
      if (reading !== undefined) await reading;
      this.#handler.onResult(this, result);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<void> {
    const { clientPort } = this;
    if (hasClientElsewhere(error) && !this.isCancelled) return this.#handler.calls.onMoved(this.id);
    // An interrupted run has not ended: its body must not be closed.
    if (asRetryable(error) !== undefined) await clientPort?.drop();
    await this.#runner?.close();
    if (clientPort?.durable !== undefined && isMoved(error) && !this.isCancelled)
      return this.#handler.follow(this, clientPort);
    await clientPort?.durable?.fail(error);
    this.hasEnded = asRetryable(error) === undefined;
    await clientPort?.beforeResponse(true);
    this.#handler.onError(this, error);
  }
}

export class InFlightCalls {
  readonly #session: Session;
  readonly #byId = new CompactMap<RequestId, SessionCall>();
  /** Calls that were cancelled or detached, until their bodies have ended. */
  #cancelled: Set<SessionCall> | undefined;
  /** How many calls run a body. */
  #running = 0;
  /** Called when no call is left, while `close` waits for that. */
  #onEmpty: (() => void) | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  get #settings(): Settings {
    return this.#session.server.settings;
  }

  /** Adds a call whose request takes so many bytes. Returns an error if the id is in use, or the limit of memory is exceeded. */
  add(call: SessionCall, bytes: number): RpcError | undefined {
    const { id } = call;
    if (this.#byId.has(id)) return idInUse(id);
    const refusal = this.#reserve(call, bytes, false);
    if (refusal === undefined) this.#byId.set(id, call);
    return refusal;
  }

  /** Reserves memory for a reply that a call keeps. Returns an error if the limit of memory is exceeded. */
  reserveReply(id: RequestId | undefined, bytes: number): RpcError | undefined {
    const call = id === undefined ? undefined : this.#byId.get(id);
    return call && this.#reserve(call, bytes, true);
  }

  /** A call runs a body. Throws over a limit; a run that began before, maybe in another process, needs memory only. */
  onBodyStarts(call: SessionCall, clientPort: SessionClient, isContinued: boolean): void {
    // A call that follows its run is counted already.
    if (call.clientPort === undefined) {
      const { runsPerSession } = this.#settings.limits;
      if (!isContinued && this.#running >= runsPerSession)
        throw new RpcError(
          OVER_LIMIT,
          `This session has reached its limit of calls under way (${runsPerSession}); wait for one to end.`,
        );
      const refusal = this.#reserve(call, CALL_BYTES, isContinued);
      if (refusal !== undefined) throw refusal;
      this.#running += 1;
    }
    call.clientPort = clientPort;
  }

  remove(call: SessionCall): void {
    this.#session.account.release(call.weight);
    call.weight = 0;
    const wasInFlight = call.isCancelled ? this.#cancelled?.delete(call) : this.#byId.delete(call.id);
    if (wasInFlight === true && call.clientPort !== undefined) this.#running -= 1;
    if (this.#byId.size === 0 && (this.#cancelled?.size ?? 0) === 0) this.#onEmpty?.();
  }

  /** The client has cancelled a request: its id is free from now on. Returns whether the request was in flight here. */
  cancel(id: RequestId, reason: unknown): boolean {
    const call = this.#byId.get(id);
    if (call?.isCancellable !== true) return false;
    call.isCancelled = true;
    this.#byId.delete(id);
    // Only a body takes time to close.
    if (call.clientPort !== undefined) (this.#cancelled ??= new Set()).add(call);
    void call.clientPort?.close(cancellationReason(reason));
    this.#leaveUnanswered(call, false);
    return true;
  }

  /** Another process has continued the run of a call: the call is detached here. */
  onMoved(id: RequestId): void {
    this.#leaveToOthers(this.#byId.get(id));
  }

  /** Leaves a run to other processes: its client continues it from the log. */
  leaveRun(run: string): void {
    this.#leaveToOthers(this.#ofRun(run));
  }

  /** The client has resumed the stream of a run. Another process may have continued the run meanwhile: its log is read. */
  onResumed(run: string): void {
    this.#ofRun(run)?.clientPort?.onGrown();
  }

  /** The client may resume a call in any process: the store must know of the run. */
  onDisconnected(id: RequestId): void {
    this.#byId.get(id)?.clientPort?.durable?.log.recordStart().catch(this.#settings.report);
  }

  /** Ends the HTTP response that carries the call of a run, if its client can resume it. */
  disconnect(run: string): void {
    const call = this.#ofRun(run);
    if (call !== undefined) this.#session.connection.disconnect?.(call.id);
  }

  /** `isTerminated`: the client has ended the session, so durable runs end, too. */
  async close(isTerminated: boolean): Promise<void> {
    const reason = new RunCancelled("The session was closed.");
    if (!isTerminated) await this.#detachDurable(reason);
    const calls = [...this.#byId.values(), ...(this.#cancelled ?? [])];
    if (calls.length === 0) return;
    const { clock, grace } = this.#settings;
    const ended = deferred();
    this.#onEmpty = ended.resolve;
    await Promise.all(calls.flatMap(({ clientPort }) => clientPort?.close(reason) ?? []));
    // An author's completions and checks may take no longer to end than a body.
    await withTimeout(ended.promise, clock, grace);
  }

  async #detachDurable(reason: Error): Promise<void> {
    const isChecked = ({ clientPort }: SessionCall): boolean =>
      clientPort === undefined || clientPort.run !== undefined;
    await untilTrue(() => this.#byId.values().every(isChecked), this.#settings.clock, START_TIMEOUT_MS);
    const durable = this.#byId
      .values()
      .filter(({ clientPort, hasEnded }) => clientPort?.durable?.outlivesCall === false && !hasEnded);
    await Promise.all(durable.map((call) => this.#detach(call, reason)));
  }

  #leaveToOthers(call: SessionCall | undefined): void {
    if (call === undefined) return;
    void this.#detach(call, new RunCancelled("Another process has taken over the run."));
    this.#leaveUnanswered(call, true);
  }

  /**
   * Leaves a durable run to other processes. Its client gets no response here, and can resume the stream later. Resolves when the
   * step in progress has ended, or the grace period is over.
   */
  async #detach(call: SessionCall, reason: Error): Promise<void> {
    if (call.clientPort === undefined || !this.#byId.delete(call.id)) return;
    call.isCancelled = true;
    (this.#cancelled ??= new Set()).add(call);
    const { clock, grace } = this.#settings;
    await withTimeout(call.detach(reason), clock, grace);
    this.remove(call);
  }

  #leaveUnanswered(call: SessionCall, continuesElsewhere: boolean): void {
    call.respond(undefined, call.id);
    this.#session.connection.endWithoutResponse?.(call.id, continuesElsewhere);
  }

  #ofRun(run: string): SessionCall | undefined {
    return this.#byId.values().find(({ clientPort }) => clientPort?.run?.id === run);
  }

  #reserve(call: SessionCall, bytes: number, continuesCall: boolean): RpcError | undefined {
    const refusal = this.#session.account.reserveRequest(bytes, continuesCall);
    if (refusal !== undefined) return refusal.error;
    call.weight += bytes;
    return undefined;
  }
}
