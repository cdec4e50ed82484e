/**
 * MCP over Streamable HTTP: POST, GET and DELETE at one URL. This file routes requests and owns the table of sessions.
 *
 *   1. A session begins with `initialize` and ends with DELETE, or when it was idle for too long.
 *   2. A client that loses its connection has cancelled nothing: it resumes the stream with `Last-Event-ID`.
 *
 * streamable-session.ts is one session: it decides which HTTP response carries a message. resumable-stream.ts is the stream of one
 * request, over one or more HTTP responses. event-stream.ts is one HTTP response. streamable-stateless.ts answers a stateless request.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Account, serverClosed } from "../accounts.ts";
import { declaredRevision } from "../protocol/request-meta.ts";
import { every, untilTrue } from "../util/timers.ts";
import { STATELESS_REVISION, type Revision, revisions, sessionRevisions } from "../protocol/revisions.ts";
import { parseMessage } from "../jsonrpc/messages.ts";
import type { Connections } from "../sessions/connections.ts";
import type { ResumedSession } from "../sessions/shared-session.ts";
import type { Settings } from "../settings.ts";
import { SseKeepAlive, type EventStreamSettings } from "./event-stream.ts";
import { accepts, sendJson, header, sendError, sendUnavailable } from "../http/responses.ts";
import { answerStateless } from "./streamable-stateless.ts";
import { FINISHED_TTL_MS, SESSION_HEADER, StreamableSession } from "./streamable-session.ts";
import { readBody } from "../http/body.ts";

/** How long a request may take to arrive when the server closes. */
const ARRIVAL_TIMEOUT_MS = 1000;
/** An app that mounts the router keeps accepting requests while this closes, so the passes are bounded. */
const MAX_CLOSING_PASSES = 10;
const VERSION_HEADER = "mcp-protocol-version";

/** The principal that sent a request, and the account whose limits count. */
export interface Caller {
  readonly principal: string;
  readonly account: Account;
}

export class StreamableHttpTransport {
  readonly connections: Connections;
  readonly settings: Settings & EventStreamSettings;
  /** The revisions that this server speaks. */
  readonly #revisions: readonly Revision[];
  /** The open sessions, by id. */
  readonly #sessions = new Map<string, StreamableSession>();
  #stopSweep: (() => void) | undefined;
  /** How many requests are still being read or routed. */
  #arriving = 0;
  #isClosed = false;

  constructor(connections: Connections, settings: Settings) {
    this.connections = connections;
    this.settings = { ...settings, keepAlive: new SseKeepAlive(settings.clock) };
    this.#revisions = revisions.filter((revision) => revision <= settings.maxRevision);
  }

  async handle(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    const { accounts } = this.connections.context;
    const caller = { principal, account: accounts.of(principal, request.socket.remoteAddress) };
    let call: Promise<void> | undefined;
    this.#arriving += 1;
    try {
      if (request.method !== "POST") return await this.#handleWithoutBody(request, response, caller);
      if (!accepts(request, "application/json") || !accepts(request, "text/event-stream"))
        return sendError(response, 406, "Accept both application/json and text/event-stream.");
      const body = await readBody(request, this.settings, caller.account);
      if ("refusal" in body) return sendJson(response, body.status, body.refusal);
      if (this.#isStateless(body.value, request)) {
        if (this.#isClosed) return sendError(response, 503, "This server was closed.");
        // Not awaited here: the request has arrived.
        call = answerStateless(this, body, caller, response);
      } else if (this.#hasKnownVersion(request, response)) {
        if (header(request, SESSION_HEADER) === undefined && isInitialize(body.value))
          return this.#openSession(caller, response)?.post(body, response);
        const found = this.#findSession(request, response, caller);
        const session = found instanceof Promise ? await found : found;
        session?.post(body, response);
      }
    } finally {
      this.#arriving -= 1;
    }
    return call;
  }

  /** Accepts messages while it closes: a 503 would fail a call that another process can continue. */
  async close(): Promise<void> {
    for (let passes = 0; passes < MAX_CLOSING_PASSES; passes++) {
      await this.#endAll();
      await untilTrue(() => this.#arriving === 0, this.settings.clock, ARRIVAL_TIMEOUT_MS);
      if (this.#sessions.size === 0) break;
    }
    this.#isClosed = true;
    await this.#endAll();
  }

  /** Adds a session to the table: it has an id from now on. */
  add(session: StreamableSession): void {
    const { clock, idle } = this.settings;
    this.#sessions.set(session.id, session);
    const interval = Math.min(FINISHED_TTL_MS, Math.max(1000, idle / 4));
    this.#stopSweep ??= every(clock, interval, () => this.#sweep());
  }

  /** `isTerminated`: the client has sent DELETE. Throws if the store cannot record that; the session then stays open. */
  async end(session: StreamableSession, isTerminated = false): Promise<void> {
    if (isTerminated) await session.session.shared?.recordTermination();
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    if (this.#sessions.size === 0) {
      this.#stopSweep?.();
      this.#stopSweep = undefined;
    }
    await session.end(isTerminated);
  }

  async #handleWithoutBody(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): Promise<void> {
    if (
      this.#revisions.includes(STATELESS_REVISION) &&
      header(request, VERSION_HEADER) === STATELESS_REVISION
    )
      return sendError(response, 405, `Revision ${STATELESS_REVISION} has POST only.`, { allow: "POST" });
    if (!this.#hasKnownVersion(request, response)) return;
    switch (request.method) {
      case "GET":
        if (!accepts(request, "text/event-stream"))
          return sendError(response, 406, "Accept text/event-stream.");
        (await this.#findSession(request, response, caller))?.get(request, response);
        return;
      case "DELETE": {
        const session = await this.#findSession(request, response, caller);
        if (session === undefined) return;
        await this.end(session, true);
        response.writeHead(204).end();
        return;
      }
      default:
        sendError(response, 405, "This URL accepts POST, GET and DELETE.", { allow: "POST, GET, DELETE" });
    }
  }

  /** Whether a message is stateless: by its `_meta`, or by a version header that no session has. */
  #isStateless(value: unknown, request: IncomingMessage): boolean {
    if (!this.#revisions.includes(STATELESS_REVISION)) return false;
    if (declaredRevision(value) !== undefined) return true;
    const version = header(request, VERSION_HEADER);
    const isSession = version === undefined || sessionRevisions.some((revision) => revision === version);
    return !isSession && header(request, SESSION_HEADER) === undefined && !isInitialize(value);
  }

  /** Refuses a request with an unknown version. */
  #hasKnownVersion(request: IncomingMessage, response: ServerResponse): boolean {
    const version = header(request, VERSION_HEADER);
    if (version === undefined || this.#revisions.some((revision) => revision === version)) return true;
    const known = this.#revisions.join(", ");
    sendError(response, 400, `This server does not support the revision ${version}; it supports ${known}.`);
    return false;
  }

  /** The session that a request names, if it belongs to the caller. Otherwise answers the request. */
  #findSession(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): StreamableSession | undefined | Promise<StreamableSession | undefined> {
    const id = header(request, SESSION_HEADER);
    if (id !== undefined) return this.#knownSession(id, caller) ?? this.#reopenSession(id, response, caller);
    sendError(response, 400, "Name the session in Mcp-Session-Id, or begin one with initialize.");
    return undefined;
  }

  #knownSession(id: string, { principal }: Caller): StreamableSession | undefined {
    const session = this.#sessions.get(id);
    return session?.principal === principal ? session : undefined;
  }

  /** Opens a session that began in another process. Responds with an error if no session has this id, or the server is full. */
  async #reopenSession(
    id: string,
    response: ServerResponse,
    caller: Caller,
  ): Promise<StreamableSession | undefined> {
    const resumed = await this.connections.findShared(id, caller.principal);
    // Another request may have opened it meanwhile.
    const known = this.#knownSession(id, caller);
    if (known !== undefined) return known;
    if (resumed !== undefined && !this.#sessions.has(id)) return this.#openSession(caller, response, resumed);
    sendError(response, 404, "There is no such session; begin a new one with initialize.");
    return undefined;
  }

  /** Opens a session, which is in the table once it is initialised. Answers the request if the server is full. */
  #openSession(
    caller: Caller,
    response: ServerResponse,
    resumed?: ResumedSession,
  ): StreamableSession | undefined {
    const refusal = this.#isClosed ? serverClosed() : caller.account.refusalOf("sessions");
    if (refusal !== undefined) {
      sendUnavailable(response, refusal);
      return undefined;
    }
    const session = new StreamableSession(this, caller, resumed);
    if (resumed !== undefined) this.add(session);
    return session;
  }

  /** Ends idle sessions, and drops streams that ended a while ago. */
  #sweep(): void {
    const { clock, idle } = this.settings;
    for (const session of this.#sessions.values()) {
      if (session.idleSince + idle <= clock.now()) void this.end(session);
      else session.dropFinished();
    }
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)));
  }
}

function isInitialize(value: unknown): boolean {
  const incoming = parseMessage(value);
  return incoming.kind === "request" && incoming.message.method === "initialize";
}
