/** The lines to clients that are open, whatever is spoken on them; and those that are not, whose calls have not ended yet. */
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
import type {
  HandleStateless,
  MessageHandler,
  AcceptConnection,
  ClientConnection,
  Returning,
} from "../connection.ts";
import { openSessionToken } from "./shared-session.ts";
import { type ResumedSession, Session } from "./session.ts";
import { hasSessionEnded } from "../durable/cancelled-calls.ts";
import type { Clock } from "@photon/core";
import { declaredRevision } from "../protocol/request-meta.ts";
import { MODERN } from "../protocol/revisions.ts";
import { LightAbortSignal } from "../util/light-abort.ts";
import { errorResponse, INVALID_REQUEST, OVER_LIMIT, RpcError, toRpcError } from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import { CompactMap } from "../util/compact-map.ts";
import type { Settings } from "../settings.ts";

export class Lines {
  readonly #context: ServerContext;
  readonly #exchange: HandleStateless;
  readonly #open = new Map<Connection, Account>();
  /** Of those whose clients have gone, and whose bodies have not ended yet. */
  readonly #ending = new Set<Promise<void>>();

  constructor(context: ServerContext, exchange: HandleStateless) {
    this.#context = context;
    this.#exchange = exchange;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens one; `reopened` is what it was begun with in another process, if it was. */
  open(client: ClientConnection, reopened?: ResumedSession): MessageHandler {
    const account = client.account ?? this.#context.accounts.of(client.principal ?? "");
    const refusal = account.openSession();
    if (refusal !== undefined) throw refusal.error;
    const connection = new Connection(client, account, this.#context, this.#exchange, reopened);
    this.#open.set(connection, account);
    return new OpenLine(connection, this);
  }

  /** What opens a session that was begun in another process, by its passport; nothing, where there is none, or it is not theirs. */
  async reopen(text: string, principal: string): Promise<AcceptConnection | undefined> {
    const { runs, sealedBox: sealer } = this.#context;
    if (runs === undefined) return undefined;
    const passport = openSessionToken(text, principal, sealer, runs.now());
    if (passport === undefined || (await hasSessionEnded(passport.id, runs))) return undefined;
    return (client) => this.open(client, { text, passport, runs });
  }

  disconnect(runId: string): void {
    for (const connection of this.#open.keys()) connection.disconnect(runId);
  }

  /** A client has hung up; settles when what it had under way has ended. */
  closed(connection: Connection, closing: Promise<void>): Promise<void> {
    this.#forget(connection);
    const ending = closing.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }

  /** Hangs up on everybody, and waits until everything has ended. */
  async close(): Promise<void> {
    const open = [...this.#open.keys()];
    await Promise.all(open.map((connection) => connection.hangUp()));
    for (const connection of open) this.#forget(connection);
    await Promise.all(this.#ending);
  }

  #forget(connection: Connection): void {
    this.#open.get(connection)?.closeSession();
    this.#open.delete(connection);
  }
}

/** A line, as its transport sees it. */
class OpenLine implements MessageHandler {
  readonly #connection: Connection;
  readonly #lines: Lines;

  constructor(connection: Connection, lines: Lines) {
    this.#connection = connection;
    this.#lines = lines;
  }

  get sharedSessionId(): string | undefined {
    return this.#connection.sharedSessionId;
  }

  receive(message: unknown, bytes?: number): void {
    this.#connection.receive(message, bytes);
  }

  forwardResponse(message: unknown): Promise<void> | undefined {
    return this.#connection.forwardResponse(message);
  }

  resumeStream(stream: string, returning: Returning): Promise<boolean> {
    return this.#connection.resumeStream(stream, returning);
  }

  resumed(stream: string): void {
    this.#connection.resumed(stream);
  }

  disconnected(about: RequestId): void {
    this.#connection.disconnected(about);
  }

  close(): Promise<void> {
    return this.#lines.closed(this.#connection, this.#connection.close());
  }

  recordTermination(): Promise<void> {
    return this.#connection.recordTermination();
  }

  terminate(): Promise<void> {
    return this.#lines.closed(this.#connection, this.#connection.terminate());
  }
}

/**
 * One line to one client, on which it may speak both eras at once.
 *
 *   1. A request that says itself what it is of stands alone; everything else belongs to the session.
 *   2. Neither has a say in the other: a client that only tries what the server speaks has decided nothing.
 *   3. A second handshake replaces the first: gateways keep one pipe for all their clients. The calls of the first are
 *      cancelled and not answered, since the ids of their requests may be used again; durable ones are detached.
 *   4. When the line is closed, everything that came in on it ends.
 */

/** A request under way that stands alone. */
interface UnderWay {
  /** Aborted when its answer is no longer wanted. */
  readonly over: LightAbortSignal;
  /** Whether there is an answer, which is about to be sent. */
  isAnswered: boolean;
  /** Settles when that was sent. */
  ended: Promise<void> | undefined;
}

/** How far an answer stays behind the last progress, where it cannot be known whether that was read; in milliseconds. */
const GAP = 10;

class Connection implements MessageHandler {
  readonly #client: ClientConnection;
  readonly #account: Account;
  readonly #context: ServerContext;
  #session: Session;
  /** The sessions that were replaced, until they have ended. */
  readonly #replaced = new Set<Promise<void>>();
  readonly #exchange: HandleStateless;
  readonly #settings: Settings;
  /** Whether requests that stand alone are spoken here. */
  readonly #isSpoken: boolean;
  /** The requests under way that stand alone, by their ids. Made with the first: most clients speak one era only. */
  #underWay: CompactMap<RequestId, UnderWay> | undefined;
  #isClosed = false;

  constructor(
    client: ClientConnection,
    account: Account,
    context: ServerContext,
    exchange: HandleStateless,
    reopened?: ResumedSession,
  ) {
    const { settings } = context;
    this.#client = client;
    this.#context = context;
    this.#account = account;
    this.#settings = settings;
    this.#exchange = exchange;
    this.#isSpoken = settings.maxRevision >= MODERN && client.sessionsOnly !== true;
    this.#session = new Session(client, account, context, reopened);
  }

  receive(message: unknown, bytes?: number): void {
    if (this.#isClosed || this.#cancels(message)) return;
    const weight = estimateBytes(message, bytes);
    if (this.#isSpoken && declaredRevision(message) !== undefined) this.#take(message, weight);
    else if (this.#isSecondHandshake(message)) this.#shakeHandsAgain(message, weight);
    else this.#session.receive(message, weight);
  }

  forwardResponse(message: unknown): Promise<void> | undefined {
    return this.#session.forwardResponse(message);
  }

  get sharedSessionId(): string | undefined {
    return this.#session.sharedSessionId;
  }

  resumeStream(stream: string, returning: Returning): Promise<boolean> {
    return this.#session.resumeStream(stream, returning);
  }

  resumed(stream: string): void {
    this.#session.resumed(stream);
  }

  disconnected(about: RequestId): void {
    this.#session.disconnected(about);
  }

  close(): Promise<void> {
    return this.#close(() => this.#session.close());
  }

  recordTermination(): Promise<void> {
    return this.#session.recordTermination();
  }

  terminate(): Promise<void> {
    return this.#close(() => this.#session.terminate());
  }

  async #close(closeSession: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    const underWay = this.#underWay?.values() ?? [];
    for (const { over, isAnswered } of underWay) if (!isAnswered) over.abort();
    await Promise.all([closeSession(), ...this.#replaced, ...underWay.map(({ ended }) => ended)]);
  }

  #isSecondHandshake(message: unknown): boolean {
    const isHandshake = isRecord(message) && message["method"] === "initialize" && isRequestId(message["id"]);
    return isHandshake && this.#session.isOpen && this.#client.hasSessionId !== true;
  }

  /** Lets a new session take the place of this one, unless the handshake is refused. */
  #shakeHandsAgain(message: unknown, weight: number): void {
    const next = new Session(this.#client, this.#account, this.#context);
    next.receive(message, weight);
    const old = next.isOpen ? this.#session : next;
    if (next.isOpen) this.#session = next;
    const ending = old.replaced().finally(() => this.#replaced.delete(ending));
    this.#replaced.add(ending);
  }

  /** Hangs up on a client that has not. */
  async hangUp(): Promise<void> {
    await this.close();
    this.#client.close();
  }

  disconnect(runId: string): void {
    this.#session.disconnect(runId);
  }

  /** Whether a message ends a request that stands alone. */
  #cancels(message: unknown): boolean {
    if (!isRecord(message) || message["method"] !== "notifications/cancelled") return false;
    const requestId = isRecord(message["params"]) ? message["params"]["requestId"] : undefined;
    const cancelled = isRequestId(requestId) ? this.#underWay?.get(requestId) : undefined;
    cancelled?.over.abort();
    return cancelled !== undefined;
  }

  #take(message: unknown, weight: number): void {
    const incoming = parseMessage(message);
    if (incoming.kind === "garbage") {
      const sentence = `That is no message: ${incoming.problem}.`;
      this.#reply(errorResponse(incoming.id, new RpcError(INVALID_REQUEST, sentence)));
    }
    if (incoming.kind !== "request") return;
    const { id } = incoming.message;
    const refusal = this.#refusalOf(id);
    if (refusal !== undefined) return this.#reply(errorResponse(id, refusal));
    const underWay: UnderWay = { over: new LightAbortSignal(), isAnswered: false, ended: undefined };
    (this.#underWay ??= new CompactMap()).set(id, underWay);
    underWay.ended = this.#answer(incoming.message, weight, underWay);
  }

  async #answer(request: Request, weight: number, underWay: UnderWay): Promise<void> {
    const { over } = underWay;
    let hasProgress = false;
    const { response } = await this.#exchange(request, {
      principal: this.#client.principal ?? "",
      account: this.#account,
      weight,
      signal: over,
      notify: (notification) => {
        if (over.aborted) return undefined;
        hasProgress ||= notification.method === "notifications/progress";
        return this.#client.send(notification);
      },
    });
    underWay.isAnswered = true;
    const isApart = hasProgress && this.#client.mayMergeReads;
    if (isApart && this.#client.sendUnmergeable === undefined && !over.aborted) await this.#untilRead();
    this.#underWay?.delete(request.id);
    if (!over.aborted) this.#reply(response, isApart);
  }

  #refusalOf(id: RequestId): RpcError | undefined {
    const most = this.#settings.limits.runsPerSession;
    if (this.#underWay?.has(id) === true)
      return new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    return (this.#underWay?.size ?? 0) >= most
      ? new RpcError(
          OVER_LIMIT,
          `This line has reached its limit of requests under way (${most}); wait for one to end.`,
        )
      : undefined;
  }

  /** Clients built on the SDK lose progress that they read together with the answer. They must not be asked whether they have read it. */
  #untilRead(): Promise<void> {
    return this.#client.flushToReader?.() ?? pause(this.#settings.clock);
  }

  /** Sends an answer. What is no JSON, because an author made it so, becomes an error. */
  #reply(response: Response, isApart = false): void {
    try {
      if (isApart && this.#client.sendUnmergeable !== undefined) void this.#client.sendUnmergeable(response);
      else void this.#client.send(response);
    } catch (error) {
      void this.#client.send(errorResponse(response.id, toRpcError(error, this.#settings.report)));
    }
  }
}

const pause = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    clock.after(GAP, resolve);
  });
