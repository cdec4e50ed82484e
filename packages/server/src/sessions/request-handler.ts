/**
 * Handles the requests of a session: queries get a result, calls run a body. A durable run that began in another process is continued
 * from its log.
 *
 *   1. A request is answered once, unless the client cancelled it: then not at all.
 *   2. Any process continues a durable run. A call whose run has moved follows it, unless its client has reconnected to another process.
 */
import { logLevels } from "@photon/core";
import type { LeasedLog } from "../durable/durable-call.ts";
import { ownParams } from "../durable/log-records.ts";
import type { RunLog } from "../durable/run-log.ts";
import {
  asRetryable,
  errorResponse,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type RetryableError,
  RpcError,
  toRpcError,
} from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import {
  isRecord,
  isRequestId,
  type JsonObject,
  type Params,
  type Request,
  type RequestId,
  type Response,
} from "../jsonrpc/messages.ts";
import { callMethods, methodNotFound, queryMethods, textParam } from "../methods.ts";
import { parseLogLevel } from "../protocol/notifications.ts";
import { Subscriptions } from "../resource-subscriptions.ts";
import { InFlightCalls, type Respond, SessionCall } from "./in-flight-calls.ts";
import type { Session } from "./session.ts";
import { type CreateLog, SessionClient } from "./session-client.ts";

/** A request that runs a body. */
interface CallInfo {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly progressToken: RequestId | undefined;
}

export class RequestHandler {
  readonly calls: InFlightCalls;
  readonly #session: Session;
  /** Created with the first: most sessions have none. */
  #subscriptions: Subscriptions | undefined;

  constructor(session: Session) {
    this.#session = session;
    this.calls = new InFlightCalls(session);
  }

  handle(request: Request, bytes: number, respond: Respond): void {
    const call = new SessionCall(request, respond, this);
    const refusal = this.calls.add(call, bytes);
    if (refusal !== undefined) return respond(errorResponse(call.id, refusal), call.id);
    try {
      this.#start(request, call);
    } catch (error) {
      this.onError(call, error);
    }
  }

  /** Continues a call that began in another process. Its client has reconnected to this one. */
  resumeCall(leased: LeasedLog, respond: Respond): void {
    const { method, params, session } = leased.log.head;
    if (session === undefined) return void leased.release();
    const call = new SessionCall({ id: session.request, method }, respond, this);
    const refusal = this.calls.add(call, estimateBytes(params));
    if (refusal === undefined) return this.#continue(call, leased);
    void leased.release();
    throw refusal;
  }

  /** Another process has continued the run of a call, whose client waits here: the call continues from the log. */
  async follow(call: SessionCall, clientPort: SessionClient): Promise<void> {
    const { durable } = clientPort;
    try {
      const leased = durable && (await this.#session.server.runs?.findLeased(durable.log.run));
      if (leased !== undefined && !call.isCancelled) return this.#continue(call, leased, clientPort);
      await leased?.release();
      if (!call.isCancelled)
        throw new RpcError(INVALID_REQUEST, "The store no longer has the run of this call.");
      // A call that was detached meanwhile is left to other processes. One that its client has cancelled ends.
      await durable?.cancel(new RpcError(INVALID_REQUEST, "The client cancelled the call."));
      this.calls.remove(call);
    } catch (error) {
      this.onError(call, error);
    }
  }

  onResult(call: SessionCall, result: JsonObject): void {
    this.#end(call, { jsonrpc: "2.0", id: call.id, result });
  }

  onError(call: SessionCall, error: unknown): void {
    this.#end(call, call.isCancelled ? undefined : this.#errorResponse(call, error));
  }

  /** `isTerminated`: the client has ended the session, so durable runs end, too. */
  async close(isTerminated: boolean): Promise<void> {
    this.#subscriptions?.close();
    await this.calls.close(isTerminated);
  }

  #end(call: SessionCall, response: Response | undefined): void {
    this.calls.remove(call);
    if (!call.isCancelled) call.respond(response, call.id);
  }

  #errorResponse({ id, clientPort }: SessionCall, error: unknown): Response {
    const { report } = this.#session.server.settings;
    const interruption = asRetryable(error);
    const log = clientPort?.durable?.log;
    if (interruption === undefined || log === undefined || log.length === 0)
      return errorResponse(id, toRpcError(interruption ?? error, report));
    if (interruption.reported !== undefined) report(interruption.reported);
    return errorResponse(id, unfinishedRun(interruption, log));
  }

  #start({ id, method, params = {} }: Request, call: SessionCall): void {
    const session = this.#session;
    if (method === "initialize") return void call.respondWith(session.initialize(params, call.weight));
    if (method === "ping") return void call.respondWith({});
    if (!session.isOpen) throw new RpcError(INVALID_REQUEST, `${method} came before initialize.`);
    if (Object.hasOwn(callMethods, method))
      return this.#runBody(call, { id, method, params, progressToken: parseProgressToken(params) });
    const { features } = session.handshake;
    const query = Object.hasOwn(queryMethods, method) ? queryMethods[method] : undefined;
    void call.respondWith(
      query === undefined
        ? this.#answerSessionMethod(method, params)
        : query({ context: this.#session.server, features, params }),
    );
  }

  /** The methods that only sessions have. */
  #answerSessionMethod(method: string, params: Params): JsonObject {
    switch (method) {
      case "logging/setLevel": {
        const level = parseLogLevel(params["level"]);
        if (level === undefined)
          throw new RpcError(INVALID_PARAMS, `A log level must be one of ${logLevels.join(", ")}.`);
        this.#session.logLevel = level;
        return {};
      }
      case "resources/subscribe":
        this.#openSubscriptions().add(textParam(params, "uri"), this.#session.handshake.features);
        return {};
      case "resources/unsubscribe":
        this.#openSubscriptions().remove(textParam(params, "uri"));
        return {};
      default:
        throw methodNotFound(method);
    }
  }

  #openSubscriptions(): Subscriptions {
    const method = "notifications/resources/updated";
    const { catalog, settings } = this.#session.server;
    this.#subscriptions ??= new Subscriptions(
      catalog,
      settings,
      (uri) => void this.#session.send({ jsonrpc: "2.0", method, params: { uri } }),
      this.#session.account,
    );
    return this.#subscriptions;
  }

  /** Ends a call with the result in its log, or runs its body from there. `before`: the client's side of it so far. */
  #continue(call: SessionCall, leased: LeasedLog, before?: SessionClient): void {
    const { id } = call;
    const { ending, head } = leased.log;
    const { method, params, session } = head;
    if (ending !== undefined) {
      void leased.release();
      return this.#end(call, { jsonrpc: "2.0", id, ...ending });
    }
    const progressToken = before?.progressToken ?? session?.progressToken;
    // A client cannot reconnect to a run that was handed over.
    if (this.#session.server.runs !== undefined && !leased.log.isHandedOver)
      leased.log.noteReconnect(this.#session.server.runs.process);
    try {
      this.#runBody(call, { id, method, params, progressToken }, (clientPort) =>
        clientPort.continueRun(leased, before),
      );
    } catch (error) {
      void leased.release();
      this.onError(call, error);
    }
  }

  /** Runs a body. `continueRun`: called for a run that began before, maybe in another process. */
  #runBody(call: SessionCall, info: CallInfo, continueRun?: (clientPort: SessionClient) => void): void {
    const { id, method, params, progressToken } = info;
    const createRunner = callMethods[method];
    if (createRunner === undefined) throw methodNotFound(method);
    const createClientPort = (subject: string): SessionClient => {
      const begin = this.#session.server.runs && createLog(this.#session, info, subject);
      const clientPort = new SessionClient(this.#session, id, progressToken, subject, begin);
      continueRun?.(clientPort);
      this.calls.onBodyStarts(call, clientPort, continueRun !== undefined);
      return clientPort;
    };
    const { features } = this.#session.handshake;
    call.start(
      createRunner({ context: this.#session.server, features, params, clientPort: createClientPort }),
    );
  }
}

/** Returns a function that begins the log of a run. Created here, so that a waiting call retains nothing else. */
function createLog(
  session: Session,
  { id: request, method, params, progressToken }: CallInfo,
  subject: string,
): CreateLog {
  return (runs) => {
    const { handshake, principal, account, connection, shared } = session;
    const run = connection.resumableStreamName?.(request) ?? crypto.randomUUID();
    return runs.begin(run, {
      method,
      subject,
      params: ownParams(params),
      principal,
      owner: account.name,
      client: handshake.client,
      revision: handshake.features.revision,
      ...(shared === undefined
        ? {}
        : { session: { id: shared.claims.id, request, progressToken, calledAt: runs.now() } }),
    });
  };
}

function parseProgressToken(params: Params): RequestId | undefined {
  const meta: unknown = params["_meta"];
  const token = isRecord(meta) ? meta["progressToken"] : undefined;
  return isRequestId(token) ? token : undefined;
}

/** The error for a client that must not send the request again, because that would begin another run. */
function unfinishedRun({ cause }: RetryableError, { run }: RunLog): RpcError {
  const why = cause instanceof Error ? cause.message : "";
  return new RpcError(
    INTERNAL_ERROR,
    `${why} The run ${run} has not ended: its questions and its result are in the inbox.`,
  );
}
