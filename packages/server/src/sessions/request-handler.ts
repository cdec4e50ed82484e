/**
 * What answers the requests of a session.
 *
 *   1. A request is answered once, unless the client cancelled it: then not at all.
 *   2. Any process continues a durable run. A call whose run has moved follows it, unless its client has come back elsewhere.
 */
import { milliseconds, RunCancelled } from "@photon/core";
import type { Account } from "../accounts.ts";
import { calls, queries } from "../methods.ts";
import type { ServerContext } from "../context.ts";
import {
  errorResponse,
  INTERNAL_ERROR,
  type RetryableError,
  asRetryable,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  OVER_LIMIT,
  RpcError,
  toRpcError,
} from "../jsonrpc/errors.ts";
import {
  isRecord,
  isRequestId,
  type Params,
  type Request,
  type RequestId,
  type Response,
} from "../jsonrpc/messages.ts";
import type { ClientConnection } from "../connection.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { RunLog } from "../durable/run-log.ts";
import { ownParams } from "../durable/log-records.ts";
import type { Respond, Session } from "./session.ts";
import { SessionCall } from "./session-call.ts";
import { type DurabilityOptions, SessionClient } from "./session-client.ts";
import { SessionMethods } from "./session-methods.ts";
import { CompactMap } from "../util/compact-map.ts";
import { CALL_BYTES } from "../calls/waiting-calls.ts";
import { withTimeout, START_TIMEOUT_MS, untilTrue } from "../util/timers.ts";
import type { Settings } from "../settings.ts";

/** What a call is known by. */
interface CallInfo {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly logger: string;
  readonly token: RequestId | undefined;
}

export class RequestHandler {
  readonly #session: Session;
  readonly #context: ServerContext;
  readonly #connection: ClientConnection;
  readonly #calls: InFlightCalls;
  /** Made when it is asked for: most sessions never need it. */
  #ownMethods: SessionMethods | undefined;

  constructor(session: Session, context: ServerContext, connection: ClientConnection) {
    this.#session = session;
    this.#context = context;
    this.#connection = connection;
    this.#calls = new InFlightCalls(context.settings, session.account);
  }

  isLogged(level: string): boolean {
    return this.#own.isLogged(level);
  }

  /** Answers a request of so many bytes; not at all where the client cancels it. */
  handle(request: Request, weight: number, answer: Respond): void {
    const call = new SessionCall(request, answer, this);
    try {
      this.#calls.begin(call, weight);
    } catch (error) {
      return answer(errorResponse(call.id, toRpcError(error, this.#context.settings.report)), call.id);
    }
    try {
      this.#perform(request, call);
    } catch (error) {
      this.onCallEnded(call, this.onCallFailed(call, error));
    }
  }

  /** Continues a call that began in another process, and whose client has come back here. */
  resumeCall(leased: LeasedLog, answer: Respond): void {
    const { method, session } = leased.log.head;
    if (session === undefined) return void leased.release();
    const call = new SessionCall({ id: session.request, method }, answer, this);
    try {
      this.#calls.begin(call, estimateBytes(leased.log.head.params));
    } catch (error) {
      void leased.release();
      throw error;
    }
    this.#continue(call, leased);
  }

  /** Another process has continued the run: the call continues from its log, for the client that waits here. */
  follow(call: SessionCall, clientPort: SessionClient): void {
    this.#follow(call, clientPort).catch((error: unknown) =>
      this.onCallEnded(call, this.onCallFailed(call, error)),
    );
  }

  /** Continues a call from the log of its run, for the client that waits here. */
  async #follow(call: SessionCall, clientPort: SessionClient): Promise<void> {
    const { durable } = clientPort;
    const leased = durable && (await this.#context.runs?.findLeased(durable.log.run));
    if (leased !== undefined && !call.isCancelled) return this.#continue(call, leased, clientPort);
    await leased?.release();
    if (!call.isCancelled) throw new RpcError(INVALID_REQUEST, "The run of this call is no longer kept.");
    // A call that was detached meanwhile is left to other processes. One that its client has cancelled ends.
    await durable?.cancel(new RpcError(INVALID_REQUEST, "The client cancelled the call."));
    this.#calls.end(call);
  }

  /** Gives a call the end that is in its log, or runs its body from there. `before`: what the client was sent so far. */
  #continue(call: SessionCall, leased: LeasedLog, before?: SessionClient): void {
    const { id } = call;
    const { ending, head } = leased.log;
    const { method, params, subject: logger, session } = head;
    if (ending !== undefined) {
      void leased.release();
      return this.onCallEnded(call, { jsonrpc: "2.0", id, ...ending });
    }
    const token = before?.token ?? session?.token;
    // A call that continues a run which was handed over is not the one that its client could come back for.
    if (this.#context.runs !== undefined && !leased.log.isHandedOver)
      leased.log.noteReturn(this.#context.runs.process);
    try {
      this.#run(
        call,
        { id, method, params, logger, token },
        { leased, notifications: before?.notifications },
      );
    } catch (error) {
      void leased.release();
      this.onCallEnded(call, this.onCallFailed(call, error));
    }
  }

  /** A call keeps an answer of so many bytes; an error, where there is no memory for it. */
  grow(id: RequestId | undefined, weight: number): RpcError | undefined {
    const call = id === undefined ? undefined : this.#calls.find(id);
    if (call === undefined) return undefined;
    try {
      this.#calls.grow(call, weight);
      return undefined;
    } catch (error) {
      return toRpcError(error, this.#context.settings.report);
    }
  }

  /** Cancels a request that is under way; says whether there was one. */
  cancel(id: RequestId, reason: Error): boolean {
    const call = this.#calls.cancel(id, reason);
    if (call === undefined) return false;
    this.#leaveUnanswered(call, false);
    return true;
  }

  /** Another process has taken up the run of a request. */
  onCallMoved(id: RequestId): void {
    const call = this.#calls.find(id);
    if (call !== undefined) this.#leave(call);
  }

  /** Leaves the call of a run, which is continued from its log. */
  leaveRun(run: string): void {
    const call = this.#calls.ofRun(run);
    if (call !== undefined) this.#leave(call);
  }

  /** The client listens again to the call of a run, which looks at its log: another process may have continued it. */
  resumed(run: string): void {
    this.#calls.ofRun(run)?.clientPort?.onAnswered();
  }

  /** The client may come back for the rest of a call to any process: the store must know of the run. */
  disconnected(id: RequestId): void {
    const { report } = this.#context.settings;
    this.#calls.find(id)?.clientPort?.durable?.log.recordStart().catch(report);
  }

  #leave(call: SessionCall): void {
    void this.#calls.detach(call, new RunCancelled("Another process has taken over the run."));
    this.#leaveUnanswered(call, true);
  }

  onCallEnded(call: SessionCall, response: Response | undefined): void {
    this.#calls.end(call);
    if (!call.isCancelled) call.answer(response, call.id);
  }

  /** A call that was cancelled is not answered. */
  onCallFailed(call: SessionCall, error: unknown): Response | undefined {
    if (call.isCancelled) return undefined;
    const { report } = this.#context.settings;
    const interruption = asRetryable(error);
    const log = call.clientPort?.durable?.log;
    if (interruption === undefined || log === undefined || log.length === 0)
      return errorResponse(call.id, toRpcError(interruption ?? error, report));
    if (interruption.reported !== undefined) report(interruption.reported);
    return errorResponse(call.id, stillKept(interruption, log));
  }

  /** Ends the connection that the call of a run came in on, where the client can come back for the rest. */
  disconnect(runId: string): void {
    const call = this.#calls.ofRun(runId);
    if (call !== undefined) this.#connection.disconnect?.(call.id);
  }

  /** `isOver`: the client has ended the session, and durable runs end with it. */
  async close(isOver: boolean): Promise<void> {
    this.#ownMethods?.close();
    await this.#calls.close(new RunCancelled("The session was closed."), isOver);
  }

  #perform({ id, method, params = {} }: Request, call: SessionCall): void {
    const session = this.#session;
    if (method === "initialize") return void call.respondWith(session.initialize(params, call.weight));
    if (method === "ping") return void call.respondWith({});
    if (!session.isOpen) throw new RpcError(INVALID_REQUEST, `${method} came before initialize.`);
    if (Object.hasOwn(calls, method))
      return this.#run(call, { id, method, params, token: tokenIn(params), logger: "" });
    const { features } = session;
    const query = Object.hasOwn(queries, method) ? queries[method] : undefined;
    const result =
      query?.({ context: this.#context, features, params }) ?? this.#own.answer(method, params, features);
    if (result === undefined) throw noMethod(method);
    void call.respondWith(result);
  }

  /** Runs a body; from its log, where the run began before. */
  #run(
    call: SessionCall,
    known: CallInfo,
    before?: Pick<DurabilityOptions, "leased" | "notifications">,
  ): void {
    const { id, method, params, token } = known;
    const begin = calls[method];
    if (begin === undefined) throw noMethod(method);
    const clientPort = (logger: string): SessionClient => {
      const { runs } = this.#context;
      const durability = runs && {
        begin: startLog(this.#session, this.#connection, { ...known, logger }),
        leased: before?.leased,
        notifications: before?.notifications,
      };
      const made = new SessionClient(this.#session, id, token, logger, durability);
      this.#calls.run(call, made, before !== undefined);
      return made;
    };
    call.start(begin({ context: this.#context, features: this.#session.features, params, clientPort }));
  }

  get #own(): SessionMethods {
    this.#ownMethods ??= new SessionMethods(
      this.#context,
      this.#session.account,
      (told) => void this.#session.send(told),
    );
    return this.#ownMethods;
  }

  #leaveUnanswered(call: SessionCall, hasMoved: boolean): void {
    call.answer(undefined, call.id);
    this.#connection.requestCancelled?.(call.id, hasMoved);
  }
}

/** What begins the log of a call's run. A function of its own: what waits holds on to no more than this. */
function startLog(
  session: Session,
  connection: ClientConnection,
  known: CallInfo,
): DurabilityOptions["begin"] {
  const { id: request, method, params, logger: subject, token } = known;
  return (runs) => {
    const { known: client, principal, account, features, sharedId } = session;
    const head = {
      method,
      subject,
      params: ownParams(params),
      principal,
      owner: account.name,
      client,
      revision: features.revision,
    };
    const run = connection.resumableStreamName?.(request) ?? crypto.randomUUID();
    return runs.begin(
      run,
      sharedId === undefined ? head : { ...head, session: { id: sharedId, request, token, at: runs.now() } },
    );
  };
}

function tokenIn(params: Params): RequestId | undefined {
  const meta: unknown = params["_meta"];
  const token = isRecord(meta) ? meta["progressToken"] : undefined;
  return isRequestId(token) ? token : undefined;
}

/** What a client is told that cannot send the same request again: that would begin another run. */
function stillKept({ cause }: RetryableError, { run }: RunLog): RpcError {
  const why = cause instanceof Error ? cause.message : "";
  return new RpcError(
    INTERNAL_ERROR,
    `${why} The run ${run} has not ended: its questions and its result are in the inbox.`,
  );
}

const noMethod = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}.`);

/**
 * The requests of a session that are under way.
 *
 *   1. An id belongs to one request, until that is answered or cancelled.
 *   2. A request that was cancelled is not answered. It counts until its body has ended.
 *   3. Closing waits for every answer, and for the bodies of cancelled requests. Durable calls are detached, and not answered.
 */
class InFlightCalls {
  readonly #settings: Pick<Settings, "clock" | "grace" | "limits">;
  readonly #account: Account;
  readonly #byId = new CompactMap<RequestId, SessionCall>();
  /** Those that were cancelled, and whose bodies have not ended. */
  #cancelled: Set<SessionCall> | undefined;
  /** How many run a body. */
  #running = 0;
  /** Called when none is under way any more, while `close` waits for that. */
  #onEmpty: (() => void) | undefined;

  constructor(settings: Pick<Settings, "clock" | "grace" | "limits">, account: Account) {
    this.#settings = settings;
    this.#account = account;
  }

  /** Throws where the id is in use, or there is no memory for the request. */
  begin(call: SessionCall, weight: number): void {
    const { id } = call;
    if (this.#byId.has(id)) {
      throw new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    }
    this.#reserve(call, weight, false);
    this.#byId.set(id, call);
  }

  /** A call keeps an answer that its client sent. Throws where there is no memory for it. */
  grow(call: SessionCall, weight: number): void {
    this.#reserve(call, weight, true);
  }

  /** Lets a call run a body, if there is room for one more. A run that began before, maybe in another process, needs memory only. */
  run(call: SessionCall, clientPort: SessionClient, isContinued: boolean): void {
    const { runsPerSession } = this.#settings.limits;
    const isNew = call.clientPort === undefined;
    if (isNew && !isContinued && this.#running >= runsPerSession) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has reached its limit of calls under way (${runsPerSession}); wait for one to end.`,
      );
    }
    if (isNew) {
      this.#reserve(call, CALL_BYTES, isContinued);
      this.#running += 1;
    }
    call.clientPort = clientPort;
  }

  end(call: SessionCall): void {
    this.#account.release(call.weight);
    call.weight = 0;
    const isUnderWay = call.isCancelled ? this.#cancelled?.delete(call) : this.#byId.delete(call.id);
    if (isUnderWay === true && call.clientPort !== undefined) this.#running -= 1;
    if (this.#byId.size === 0 && (this.#cancelled?.size ?? 0) === 0) this.#onEmpty?.();
  }

  /** Cancels a request that is under way: its id is free from now on. Gives back what was cancelled. */
  cancel(id: RequestId, reason: Error): SessionCall | undefined {
    const call = this.#byId.get(id);
    if (call?.isCancellable !== true) return undefined;
    call.isCancelled = true;
    this.#byId.delete(id);
    // What runs no body cannot be closed, and is left alone.
    if (call.clientPort !== undefined) (this.#cancelled ??= new Set()).add(call);
    void call.clientPort?.close(reason);
    return call;
  }

  find(id: RequestId): SessionCall | undefined {
    return this.#byId.get(id);
  }

  /**
   * Leaves a durable run to other processes. Its client is told nothing, and can come back for the rest. Resolves when the step
   * under way has ended, or the grace period is over.
   */
  async detach(call: SessionCall, reason: Error): Promise<void> {
    if (call.clientPort === undefined || !this.#byId.delete(call.id)) return;
    call.isCancelled = true;
    (this.#cancelled ??= new Set()).add(call);
    const { clock, grace } = this.#settings;
    await withTimeout(call.detach(reason), clock, milliseconds(grace));
    this.end(call);
  }

  /** The call that a run belongs to, as long as its client waits for it. */
  ofRun(runId: string): SessionCall | undefined {
    return this.#byId.values().find(({ clientPort }) => clientPort?.runId === runId);
  }

  /** `isOver`: the client has ended the session, and durable runs end with it. */
  async close(reason: Error, isOver: boolean): Promise<void> {
    if (!isOver) await this.#detachDurable(reason);
    const open = [...this.#byId.values(), ...(this.#cancelled ?? [])];
    if (open.length === 0) return;
    const { clock, grace } = this.#settings;
    const ended = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    await Promise.all(open.flatMap(({ clientPort }) => clientPort?.close(reason) ?? []));
    // What an author does without a body (completing, checking) may take no longer to end than a body may.
    await withTimeout(ended, clock, milliseconds(grace));
  }

  async #detachDurable(reason: Error): Promise<void> {
    const isStarted = ({ clientPort }: SessionCall): boolean => clientPort?.hasStarted !== false;
    await untilTrue(() => this.#byId.values().every(isStarted), this.#settings.clock, START_TIMEOUT_MS);
    const durable = this.#byId
      .values()
      .filter(({ clientPort }) => clientPort?.durable?.outlivesCall === false);
    await Promise.all(durable.map((call) => this.detach(call, reason)));
  }

  #reserve(call: SessionCall, weight: number, continuesCall: boolean): void {
    const exceeded = this.#account.reserveRequest(weight, continuesCall);
    if (exceeded !== undefined) throw this.#account.memoryRefusal(exceeded).error;
    call.weight += weight;
  }
}

/** Why a call ends that its client cancelled. */
export function cancellationReason(reason: unknown): RunCancelled {
  return new RunCancelled(
    typeof reason === "string"
      ? `The client cancelled the call: ${reason}`
      : "The client cancelled the call.",
  );
}
