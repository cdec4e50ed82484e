/**
 * MCP over Streamable HTTP: POST, GET and DELETE; stateless requests and sessions at one URL.
 *
 *   1. A session begins with `initialize` and ends with DELETE, or when it was idle for too long.
 *   2. A client that loses its connection has cancelled nothing: it resumes the stream with `Last-Event-ID`.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account, Accounts, Refusal } from "../accounts.ts";
import { declaredRevision } from "../protocol/request-meta.ts";
import { untilTrue } from "../util/timers.ts";
import { MODERN, revisions, sessionRevisions } from "../protocol/revisions.ts";
import { SERVER_FULL, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { parseMessage } from "../jsonrpc/messages.ts";
import type { HandleStateless } from "../connection.ts";
import type { Connections } from "../sessions/connections.ts";
import type { ResumedSession } from "../sessions/shared-session.ts";
import type { Settings } from "../settings.ts";
import { SseKeepAlive, type EventStreamSettings } from "./event-stream.ts";
import { accepts, sendJson, header, sendError, sendUnavailable } from "../http/responses.ts";
import { answerStateless } from "./streamable-stateless.ts";
import { StreamableSession, FINISHED_TTL_MS, type Posted } from "./streamable-session.ts";
import { readBody } from "../http/body.ts";

export interface StreamableHttpTransport {
  handle(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void>;
  close(): Promise<void>;
}

type HttpSettings = Pick<Settings, "limits" | "clock" | "idle" | "maxRevision" | "report">;

/** How long a request may take to arrive when the server closes. */
const ARRIVAL_TIMEOUT_MS = 1000;
/** An app that mounts the router keeps accepting requests while this closes, so the passes are bounded. */
const MAX_CLOSING_PASSES = 10;
const SESSION = "mcp-session-id";
const VERSION = "mcp-protocol-version";

/** What Streamable HTTP needs of the server. */
export interface StreamableHttpEntryPoints {
  readonly connections: Connections;
  readonly handleStateless: HandleStateless;
  readonly accounts: Accounts;
}

export function serveStreamableHttp(
  { connections, handleStateless, accounts }: StreamableHttpEntryPoints,
  settings: HttpSettings,
): StreamableHttpTransport {
  const streaming = { ...settings, keepAlive: new SseKeepAlive(settings.clock) };
  let isClosed = false;
  const closed: Refusal = { error: new RpcError(OVER_LIMIT, SERVER_FULL), status: 503 };
  const refusalFor = (account: Account): Refusal | undefined =>
    isClosed ? closed : account.sessionRefusal();
  const accountOf = (request: IncomingMessage, principal: string): Account =>
    accounts.of(principal, request.socket.remoteAddress);
  const sessions = new Sessions(connections, streaming, refusalFor);
  /** How many requests are still being read or routed. */
  let arriving = 0;
  const spoken = revisions.filter((revision) => revision <= settings.maxRevision);

  async function post(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    let call: Promise<void> | undefined;
    arriving += 1;
    try {
      if (!accepts(request, "application/json") || !accepts(request, "text/event-stream"))
        return sendError(response, 406, "Accept both application/json and text/event-stream.");
      const account = accountOf(request, principal);
      const body = await readBody(request, settings, account);
      if ("refusal" in body) return sendJson(response, body.status, body.refusal);
      const { value } = body;
      const isStateless = declaresStateless(value, request);
      const problem = isStateless ? undefined : versionProblem(header(request, VERSION), spoken);
      if (problem !== undefined) return sendError(response, 400, problem);
      if (isStateless && isClosed) return sendError(response, 503, "This server was closed.");
      // Not awaited here: the request has arrived.
      if (isStateless)
        call = answerStateless(handleStateless, body, { principal, account }, request, response, streaming);
      else if (header(request, SESSION) !== undefined || !isInitialize(value)) {
        const session = known(request, principal) ?? (await found(request, response, principal));
        session?.post(body, request, response);
      } else {
        // After the body was read: other sessions may have begun meanwhile.
        const refusal = refusalFor(account);
        if (refusal !== undefined) sendUnavailable(response, refusal);
        else sessions.begin(body, request, response, { principal, account });
      }
    } finally {
      arriving -= 1;
    }
    return call;
  }

  /** Whether a message is stateless: by its `_meta`, or by a version header that no session has. */
  function declaresStateless(value: unknown, request: IncomingMessage): boolean {
    if (!spoken.includes(MODERN)) return false;
    if (declaredRevision(value) !== undefined) return true;
    const version = header(request, VERSION);
    const isSession = version === undefined || sessionRevisions.some((revision) => revision === version);
    return !isSession && header(request, SESSION) === undefined && !isInitialize(value);
  }

  const isModern = (request: IncomingMessage): boolean =>
    spoken.includes(MODERN) && header(request, VERSION) === MODERN;

  /** The caller's session that a request names, if this process has it. */
  function known(request: IncomingMessage, principal: string): StreamableSession | undefined {
    const id = header(request, SESSION);
    return id === undefined ? undefined : sessions.find(id, principal);
  }

  /** The same, also if it began in another process. Answers the request if there is none. */
  async function found(
    request: IncomingMessage,
    response: ServerResponse,
    principal: string,
  ): Promise<StreamableSession | undefined> {
    const id = header(request, SESSION);
    if (id === undefined) {
      sendError(response, 400, "Name the session in Mcp-Session-Id, or begin one with initialize.");
      return undefined;
    }
    const account = accountOf(request, principal);
    const session = known(request, principal) ?? (await sessions.reopen(id, { principal, account }));
    if (session instanceof StreamableSession) return session;
    if (session !== undefined) sendUnavailable(response, session);
    else sendError(response, 404, "There is no such session; begin a new one with initialize.");
    return undefined;
  }

  async function other(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    arriving += 1;
    try {
      if (isModern(request))
        return sendError(response, 405, `In ${MODERN} there is POST, and nothing else.`, { allow: "POST" });
      const problem = versionProblem(header(request, VERSION), spoken);
      if (problem !== undefined) return sendError(response, 400, problem);
      switch (request.method) {
        case "GET":
          if (!accepts(request, "text/event-stream"))
            return sendError(response, 406, "Accept text/event-stream.");
          return (await found(request, response, principal))?.get(request, response);
        case "DELETE":
          if ((await found(request, response, principal)) === undefined) return;
          await sessions.end(header(request, SESSION) ?? "", true);
          response.writeHead(204).end();
          return;
        default:
          return sendError(response, 405, "There is POST, GET and DELETE.", { allow: "POST, GET, DELETE" });
      }
    } finally {
      arriving -= 1;
    }
  }

  return {
    handle: (request, response, principal) =>
      (request.method === "POST" ? post : other)(request, response, principal),
    // Accepts messages while it closes: a 503 would fail a call that another process can continue.
    async close() {
      for (let passes = 0; passes < MAX_CLOSING_PASSES; passes++) {
        await sessions.close();
        await untilTrue(() => arriving === 0, settings.clock, ARRIVAL_TIMEOUT_MS);
        if (sessions.size === 0) break;
      }
      isClosed = true;
      await sessions.close();
    },
  };
}

interface Owner {
  readonly principal: string;
  readonly account: Account;
}

/** The open sessions by id. Idle ones are ended. */
class Sessions {
  readonly #connections: Connections;
  readonly #settings: HttpSettings & EventStreamSettings;
  readonly #refusalFor: (account: Account) => Refusal | undefined;
  readonly #byId = new Map<string, StreamableSession>();
  #stopSweep: (() => void) | undefined;

  constructor(
    connections: Connections,
    settings: HttpSettings & EventStreamSettings,
    refusalFor: (account: Account) => Refusal | undefined,
  ) {
    this.#connections = connections;
    this.#settings = settings;
    this.#refusalFor = refusalFor;
  }

  get size(): number {
    return this.#byId.size;
  }

  find(id: string, principal: string): StreamableSession | undefined {
    const session = this.#byId.get(id);
    return session?.principal === principal ? session : undefined;
  }

  /** Opens a session that began in another process, unless it has ended, is another principal's, or the server is full. */
  async reopen(id: string, owner: Owner): Promise<StreamableSession | Refusal | undefined> {
    const { principal, account } = owner;
    const resumed = await this.#connections.findShared(id, principal);
    // Another request may have opened it meanwhile.
    if (resumed === undefined || this.#byId.has(id)) return this.find(id, principal);
    const refusal = this.#refusalFor(account);
    if (refusal !== undefined) return refusal;
    const session = this.#open(owner, () => id, resumed);
    this.#byId.set(id, session);
    this.#scheduleSweep();
    return session;
  }

  begin(initialize: Posted, request: IncomingMessage, response: ServerResponse, owner: Owner): void {
    let id: string = randomUUID();
    const session = this.#open(owner, () => id);
    this.#byId.set(id, session);
    this.#scheduleSweep();
    session.post(initialize, request, response, {
      onOpened: (token = id) => {
        this.#byId.delete(id);
        this.#byId.set(token, session);
        id = token;
        return { [SESSION]: id };
      },
      onRefused: () => void this.end(id),
    });
  }

  /** `isTerminated`: the client has sent DELETE. Throws when the store cannot record that: nothing has ended then. */
  async end(id: string, isTerminated = false): Promise<void> {
    const session = this.#byId.get(id);
    if (isTerminated) await session?.session.shared?.recordTermination();
    this.#byId.delete(id);
    if (this.#byId.size === 0) this.#stop();
    await session?.end(isTerminated);
  }

  #open({ principal, account }: Owner, id: () => string, resumed?: ResumedSession): StreamableSession {
    const connections = this.#connections;
    const isShared = connections.areShared;
    const onSessionEnded = (): void => void this.end(id());
    return new StreamableSession(
      (connection) => connections.openSession(connection, resumed),
      { principal, account, isShared, onSessionEnded },
      this.#settings,
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byId.keys()].map((id) => this.end(id)));
  }

  /** Ends idle sessions and drops ended streams from time to time, while there is a session. */
  #scheduleSweep(): void {
    const { clock, idle } = this.#settings;
    this.#stopSweep ??= clock.after(Math.min(FINISHED_TTL_MS, Math.max(1000, idle / 4)), () => {
      this.#stopSweep = undefined;
      const now = clock.now();
      for (const [id, session] of this.#byId) {
        if (session.idleSince + idle <= now) void this.end(id);
        else session.dropFinished();
      }
      if (this.#byId.size > 0) this.#scheduleSweep();
    });
  }

  #stop(): void {
    this.#stopSweep?.();
    this.#stopSweep = undefined;
  }
}

function isInitialize(value: unknown): boolean {
  const incoming = parseMessage(value);
  return incoming.kind === "request" && incoming.message.method === "initialize";
}

function versionProblem(version: string | undefined, spoken: readonly string[]): string | undefined {
  return version === undefined || spoken.includes(version)
    ? undefined
    : `${version} is no revision this server speaks; it speaks ${spoken.join(", ")}.`;
}
