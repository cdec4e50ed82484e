/**
 * The open connections of a server, and the sessions of Streamable HTTP.
 *
 * A connection carries both eras of the protocol at once:
 *   1. A request that declares its revision in `_meta` is stateless. All other messages belong to the session.
 *   2. Neither affects the other: a client that probes with `server/discover` may still open a session.
 *   3. A second `initialize` replaces the session: gateways use one pipe for all their clients. Calls of the first session are
 *      cancelled and not answered, since the ids of their requests may be used again. Durable calls are detached.
 *   4. Closing the connection ends everything that came in on it.
 */
import type { Account } from "../accounts.ts";
import type { ServerContext } from "../context.ts";
import {
  isRecord,
  isRequestId,
  parseMessage,
  type Request,
  type RequestId,
  type Response,
} from "../jsonrpc/messages.ts";
import type { HandleStateless, MessageHandler, ClientConnection } from "../connection.ts";
import { openSessionToken, type ResumedSession } from "./shared-session.ts";
import { Session } from "./session.ts";
import { hasSessionEnded } from "../durable/cancelled-calls.ts";
import type { Clock } from "@photon/core";
import { declaredRevision } from "../protocol/request-meta.ts";
import { MODERN } from "../protocol/revisions.ts";
import { LightAbortSignal } from "../util/light-abort.ts";
import { errorResponse, INVALID_REQUEST, OVER_LIMIT, RpcError, toRpcError } from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import { CompactMap } from "../util/compact-map.ts";

export class Connections {
  readonly #context: ServerContext;
  readonly #handleStateless: HandleStateless;
  readonly #open = new Map<Connection | Session, Account>();
  /** Closed ones whose bodies have not ended yet. */
  readonly #closing = new Set<Promise<void>>();

  constructor(context: ServerContext, handleStateless: HandleStateless) {
    this.#context = context;
    this.#handleStateless = handleStateless;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether other processes can continue the sessions of this one. */
  get areShared(): boolean {
    return this.#context.runs !== undefined;
  }

  /** Opens a connection that carries sessions and stateless requests. Throws when the server is full. */
  accept(client: ClientConnection): MessageHandler {
    const account = this.#accountFor(client);
    const connection: Connection = new Connection(
      client,
      account,
      this.#context,
      this.#handleStateless,
      (closing) => this.#onClosing(connection, closing),
    );
    this.#open.set(connection, account);
    return connection;
  }

  /** Opens a session for a client that names it in each message. Throws when the server is full. */
  openSession(client: ClientConnection, resumed?: ResumedSession): Session {
    const account = this.#accountFor(client);
    const session: Session = new Session(client, account, this.#context, {
      resumed,
      onClosing: (closing) => this.#onClosing(session, closing),
    });
    this.#open.set(session, account);
    return session;
  }

  /** The session of another process that a token names, unless it has ended or belongs to another principal. */
  async findShared(token: string, principal: string): Promise<ResumedSession | undefined> {
    const { runs, sealedBox } = this.#context;
    if (runs === undefined) return undefined;
    const claims = openSessionToken(token, principal, sealedBox, runs.now());
    if (claims === undefined || (await hasSessionEnded(claims.id, runs))) return undefined;
    return { token, claims, runs };
  }

  /** Ends the connection that the call of a run came in on, where the client can resume its stream. */
  disconnect(runId: string): void {
    for (const open of this.#open.keys()) if (open instanceof Session) open.requestHandler.disconnect(runId);
  }

  /** Closes all, and resolves when every body has ended. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((open) => open.closeConnection()));
    await Promise.all(this.#closing);
  }

  #accountFor({ account, principal = "" }: ClientConnection): Account {
    const found = account ?? this.#context.accounts.of(principal);
    const refusal = found.openSession();
    if (refusal !== undefined) throw refusal.error;
    return found;
  }

  #onClosing(closed: Connection | Session, closing: Promise<void>): void {
    this.#open.get(closed)?.closeSession();
    this.#open.delete(closed);
    const ending = closing.finally(() => this.#closing.delete(ending));
    this.#closing.add(ending);
  }
}

interface OpenStatelessRequest {
  /** Aborted when the client cancels the request, or closes the connection. */
  readonly signal: LightAbortSignal;
  /** Whether the response exists and is about to be sent. */
  isAnswered: boolean;
  /** Resolves when the response was sent. */
  ended: Promise<void> | undefined;
}

/** The delay of a response after the last progress, where the server cannot know whether the client has read that. */
const READ_GAP_MS = 10;

class Connection implements MessageHandler {
  readonly #client: ClientConnection;
  readonly #account: Account;
  readonly #context: ServerContext;
  readonly #handleStateless: HandleStateless;
  readonly #onClosing: (closing: Promise<void>) => void;
  readonly #acceptsStateless: boolean;
  #session: Session;
  /** Sessions that were replaced, until they have ended. */
  readonly #replaced = new Set<Promise<void>>();
  /** Created with the first one: most clients use one era only. */
  #stateless: CompactMap<RequestId, OpenStatelessRequest> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    client: ClientConnection,
    account: Account,
    context: ServerContext,
    handleStateless: HandleStateless,
    onClosing: (closing: Promise<void>) => void,
  ) {
    this.#client = client;
    this.#account = account;
    this.#context = context;
    this.#handleStateless = handleStateless;
    this.#onClosing = onClosing;
    this.#acceptsStateless = context.settings.maxRevision >= MODERN && client.sessionsOnly !== true;
    this.#session = new Session(client, account, context);
  }

  receive(message: unknown, bytes?: number): void {
    if (this.#closing !== undefined || this.#cancelStateless(message)) return;
    if (this.#acceptsStateless && declaredRevision(message) !== undefined)
      this.#receiveStateless(message, bytes);
    else if (this.#isSecondInitialize(message)) this.#replaceSession(message, bytes);
    else this.#session.receive(message, bytes);
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#end();
      this.#onClosing(this.#closing);
    }
    return this.#closing;
  }

  async closeConnection(): Promise<void> {
    await this.close();
    this.#client.close();
  }

  async #end(): Promise<void> {
    const stateless = this.#stateless?.values() ?? [];
    for (const { signal, isAnswered } of stateless) if (!isAnswered) signal.abort();
    await Promise.all([this.#session.close(), ...this.#replaced, ...stateless.map(({ ended }) => ended)]);
  }

  #isSecondInitialize(message: unknown): boolean {
    const isInitialize =
      isRecord(message) && message["method"] === "initialize" && isRequestId(message["id"]);
    return isInitialize && this.#session.isOpen;
  }

  /** Replaces the session, unless `initialize` is refused. */
  #replaceSession(message: unknown, bytes: number | undefined): void {
    const next = new Session(this.#client, this.#account, this.#context);
    next.receive(message, bytes);
    const old = next.isOpen ? this.#session : next;
    if (next.isOpen) this.#session = next;
    const ending = old.replaced().finally(() => this.#replaced.delete(ending));
    this.#replaced.add(ending);
  }

  /** Whether a message cancels a stateless request. */
  #cancelStateless(message: unknown): boolean {
    if (!isRecord(message) || message["method"] !== "notifications/cancelled") return false;
    const requestId = isRecord(message["params"]) ? message["params"]["requestId"] : undefined;
    const cancelled = isRequestId(requestId) ? this.#stateless?.get(requestId) : undefined;
    cancelled?.signal.abort();
    return cancelled !== undefined;
  }

  #receiveStateless(message: unknown, bytes: number | undefined): void {
    const parsed = parseMessage(message);
    if (parsed.kind === "invalid") {
      const sentence = `That is no message: ${parsed.problem}.`;
      this.#send(errorResponse(parsed.id, new RpcError(INVALID_REQUEST, sentence)));
    }
    if (parsed.kind !== "request") return;
    const { id } = parsed.message;
    const refusal = this.#refusalOf(id);
    if (refusal !== undefined) return this.#send(errorResponse(id, refusal));
    const request: OpenStatelessRequest = {
      signal: new LightAbortSignal(),
      isAnswered: false,
      ended: undefined,
    };
    (this.#stateless ??= new CompactMap()).set(id, request);
    request.ended = this.#answer(parsed.message, estimateBytes(message, bytes), request);
  }

  async #answer(message: Request, weight: number, request: OpenStatelessRequest): Promise<void> {
    const { signal } = request;
    let hasProgress = false;
    const { response } = await this.#handleStateless(message, {
      principal: this.#client.principal ?? "",
      account: this.#account,
      weight,
      signal,
      notify: (notification) => {
        if (signal.aborted) return undefined;
        hasProgress ||= notification.method === "notifications/progress";
        return this.#client.send(notification);
      },
    });
    request.isAnswered = true;
    const isApart = hasProgress && this.#client.mayMergeReads;
    if (isApart && this.#client.sendUnmergeable === undefined && !signal.aborted) await this.#flushToReader();
    this.#stateless?.delete(message.id);
    if (!signal.aborted) this.#send(response, isApart);
  }

  #refusalOf(id: RequestId): RpcError | undefined {
    const { runsPerSession } = this.#context.settings.limits;
    if (this.#stateless?.has(id) === true)
      return new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    return (this.#stateless?.size ?? 0) >= runsPerSession
      ? new RpcError(
          OVER_LIMIT,
          `This connection has reached its limit of requests under way (${runsPerSession}); wait for one to end.`,
        )
      : undefined;
  }

  /** Clients of the SDK lose progress that they read together with the response. 2026-07-28 has no ping from the server. */
  #flushToReader(): Promise<void> {
    return this.#client.flushToReader?.() ?? pause(this.#context.settings.clock);
  }

  /** Sends a response; an error in its place when a tool's author put values in it that are not JSON. */
  #send(response: Response, isApart = false): void {
    try {
      if (isApart && this.#client.sendUnmergeable !== undefined) void this.#client.sendUnmergeable(response);
      else void this.#client.send(response);
    } catch (error) {
      void this.#client.send(errorResponse(response.id, toRpcError(error, this.#context.settings.report)));
    }
  }
}

const pause = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    clock.after(READ_GAP_MS, resolve);
  });
