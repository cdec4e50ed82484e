/**
 * The open connections of a server, and the sessions of Streamable HTTP.
 *
 * A connection carries a session and stateless requests at once:
 *   1. A request that declares its revision in `_meta` is stateless. All other messages belong to the session.
 *   2. Neither affects the other: a client that probes with `server/discover` may still open a session.
 *   3. A second `initialize` replaces the session: gateways use one pipe for all their clients. Calls of the first session are
 *      cancelled and not answered, since the ids of their requests may be used again. Durable calls are detached.
 *   4. Closing the connection ends its session and its stateless requests.
 */
import type { Account } from "../accounts.ts";
import type { ClientConnection, HandleStateless, MessageHandler } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import { hasSessionEnded } from "../durable/cancelled-calls.ts";
import { isRecord, isRequestId } from "../jsonrpc/messages.ts";
import { declaredRevision } from "../protocol/request-meta.ts";
import { STATELESS_REVISION } from "../protocol/revisions.ts";
import { Session } from "./session.ts";
import { openSessionToken, type ResumedSession } from "./shared-session.ts";
import { StatelessRequests } from "./stateless-requests.ts";

export class Connections {
  readonly context: ServerContext;
  readonly handleStateless: HandleStateless;
  readonly #open = new Set<Connection | Session>();
  /** Those that are closed, until their bodies have ended. */
  readonly #closing = new Set<Promise<void>>();

  constructor(context: ServerContext, handleStateless: HandleStateless) {
    this.context = context;
    this.handleStateless = handleStateless;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens a connection that carries sessions and stateless requests. Throws when the server is full. */
  accept(client: ClientConnection): MessageHandler {
    const connection = new Connection(client, this.#accountFor(client), this);
    this.#open.add(connection);
    return connection;
  }

  /** Opens a session for a client that names it in each message. Throws when the server is full. */
  openSession(client: ClientConnection, resumed?: ResumedSession): Session {
    const session = new Session(client, this.#accountFor(client), this.context, resumed);
    session.onClosing = (closing) => this.onClosing(session, closing);
    this.#open.add(session);
    return session;
  }

  /** The session of another process that a token names, unless it has ended or belongs to another principal. */
  async findShared(token: string, principal: string): Promise<ResumedSession | undefined> {
    const { runs, sealedBox } = this.context;
    if (runs === undefined) return undefined;
    const claims = openSessionToken(token, principal, sealedBox, runs.now());
    if (claims === undefined || (await hasSessionEnded(runs, claims.id))) return undefined;
    return { token, claims, runs };
  }

  /** Ends the HTTP response that carries the call of a run, if its client can resume it. */
  disconnect(runId: string): void {
    for (const open of this.#open) if (open instanceof Session) open.requestHandler.calls.disconnect(runId);
  }

  /** Closes all, and resolves when every body has ended. */
  async close(): Promise<void> {
    const closing = [...this.#open].map(async (open) => {
      await open.close();
      open.connection.close();
    });
    await Promise.all(closing);
    await Promise.all(this.#closing);
  }

  /** A connection or session begins to close. `closing` resolves when its bodies have ended. */
  onClosing(closed: Connection | Session, closing: Promise<void>): void {
    if (this.#open.delete(closed)) closed.account.closeSession();
    const ending = closing.finally(() => this.#closing.delete(ending));
    this.#closing.add(ending);
  }

  #accountFor({ account, principal = "" }: ClientConnection): Account {
    const found = account ?? this.context.accounts.of(principal);
    const refusal = found.openSession();
    if (refusal !== undefined) throw refusal.error;
    return found;
  }
}

class Connection implements MessageHandler {
  readonly connection: ClientConnection;
  readonly account: Account;
  readonly #connections: Connections;
  readonly #acceptsStateless: boolean;
  #session: Session;
  /** Resolves when the sessions that were replaced have ended. */
  #replaced: Promise<void> | undefined;
  /** Created with the first: most clients use either sessions or stateless requests. */
  #stateless: StatelessRequests | undefined;
  #closing: Promise<void> | undefined;

  constructor(client: ClientConnection, account: Account, connections: Connections) {
    const { context } = connections;
    this.connection = client;
    this.account = account;
    this.#connections = connections;
    this.#acceptsStateless =
      context.settings.maxRevision >= STATELESS_REVISION && client.sessionsOnly !== true;
    this.#session = new Session(client, account, context);
  }

  receive(message: unknown, bytes?: number): void {
    if (this.#closing !== undefined || this.#stateless?.cancel(message) === true) return;
    if (this.#acceptsStateless && declaredRevision(message) !== undefined) {
      this.#stateless ??= new StatelessRequests(this.connection, this.account, this.#connections);
      this.#stateless.receive(message, bytes);
    } else if (this.#isSecondInitialize(message)) this.#replaceSession(message, bytes);
    else this.#session.receive(message, bytes);
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#end();
      this.#connections.onClosing(this, this.#closing);
    }
    return this.#closing;
  }

  async #end(): Promise<void> {
    const stateless = this.#stateless?.close();
    await Promise.all([this.#session.close(), this.#replaced, stateless]);
  }

  #isSecondInitialize(message: unknown): boolean {
    const isInitialize =
      isRecord(message) && message["method"] === "initialize" && isRequestId(message["id"]);
    return isInitialize && this.#session.isOpen;
  }

  /** Replaces the session, unless `initialize` is refused. */
  #replaceSession(message: unknown, bytes: number | undefined): void {
    const next = new Session(this.connection, this.account, this.#connections.context);
    next.receive(message, bytes);
    const old = next.isOpen ? this.#session : next;
    if (next.isOpen) this.#session = next;
    // Without a value, which would contain the values of all promises before.
    this.#replaced = Promise.all([this.#replaced, old.replace()]).then(() => undefined);
  }
}
