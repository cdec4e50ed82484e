/**
 * The session of an SDK server, as the calls of mounted tools see it: the SDK sends what they send.
 *
 *   1. Everything is sent by the call's own `extra`, so that it travels on the stream of the call.
 *   2. Photon enforces deadlines: the SDK's own, 60 s, is never due first.
 *   3. A question that is withdrawn is cancelled on the wire; one that was answered is not.
 */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  EmptyResultSchema,
  McpError,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import type { LogLevel } from "@photon/core";
import { DeadlineQueue } from "../calls/question-deadlines.ts";
import { ClientAtConnection, ClientTrust } from "../client-trust.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import {
  ClientError,
  ConnectionClosed,
  type OutgoingRequest,
  type OutgoingRequests,
  type ResponseHandler,
} from "../jsonrpc/outgoing-requests.ts";
import { negotiate, sessionRevisions } from "../protocol/revisions.ts";
import { type Handshake, handshakeWith } from "../sessions/handshake.ts";
import type { SessionContext } from "../sessions/session-client.ts";
import type { Settings } from "../settings.ts";

/** `Server` of the MCP SDK 1.x, which the SDK marks as deprecated under that name. */
export type LowLevelServer = McpServer["server"];
/** A server of the official SDK 1.x: `McpServer` or `Server`. */
export type SdkServer = McpServer | LowLevelServer;

export const lowLevelServer = (server: SdkServer): LowLevelServer =>
  "server" in server ? server.server : server;

/** What the SDK passes to a handler beside the request. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The largest timeout of a timer in milliseconds: with more, it fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** The code of the SDK's error for a client that has disconnected. */
const CONNECTION_CLOSED = -32000;

/** One for each time that tools were mounted on a server. */
const sessions = new WeakMap<LowLevelServer, SdkSession[]>();

/** The servers whose request id 0 is used. */
const numbered = new WeakSet<LowLevelServer>();

/** Resolves when no body of a server's mounted tools runs. */
export async function allCallsEnded(server: SdkServer): Promise<void> {
  await Promise.all((sessions.get(lowLevelServer(server)) ?? []).map((session) => session.ended()));
}

/** The tools that were mounted on an SDK server, and their calls. */
export interface Mounted {
  /** How many calls of these tools are under way. */
  readonly calls: number;
  /** Resolves when no call is under way: closing an SDK server does not wait for the bodies that it closes. */
  ended(): Promise<void>;
}

export class SdkSession implements Mounted {
  readonly settings: Settings;
  readonly deadlines: DeadlineQueue;
  readonly running: Set<Promise<unknown>> = new Set();
  logLevel: LogLevel = "info";
  /** How many questions are open. Pings do not count. */
  openQuestions = 0;
  /** Whether the client was pinged and did not answer in time: no later call waits for it. */
  ignoresPings = false;
  readonly server: LowLevelServer;
  /** How far the connected client is trusted. */
  trust: ClientAtConnection;
  #revision: (typeof sessionRevisions)[number];

  constructor(server: LowLevelServer, settings: Settings) {
    this.server = server;
    this.settings = settings;
    this.trust = new ClientAtConnection(new ClientTrust(settings), "");
    this.deadlines = new DeadlineQueue(settings.clock);
    this.#revision = negotiate(undefined, settings.maxRevision);
    sessions.set(server, [...(sessions.get(server) ?? []), this]);
  }

  get calls(): number {
    return this.running.size;
  }

  get handshake(): Handshake {
    const clientInfo = this.server.getClientVersion();
    const capabilities = this.server.getClientCapabilities();
    return handshakeWith(this.#revision, { clientInfo, capabilities });
  }

  /** A client has connected. Returns the revision of the session. A revision that only the SDK knows counts as Photon's oldest. */
  initialize(agreed: unknown): string {
    const newest = negotiate(undefined, this.settings.maxRevision);
    const spoken = String(agreed) > newest ? newest : String(agreed);
    this.#revision = sessionRevisions.find((revision) => revision === spoken) ?? sessionRevisions[0];
    this.ignoresPings = false;
    this.trust = new ClientAtConnection(new ClientTrust(this.settings), "");
    this.logLevel = "info";
    return spoken;
  }

  async ended(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}

/** The session as one call sees it. */
export function contextOf(session: SdkSession, extra: Extra): SessionContext {
  const { settings, handshake, trust } = session;
  return {
    server: session,
    handshake,
    // The author of an SDK server decides whom it accepts.
    principal: "",
    trust,
    connection: { mayMergeReads: true },
    get logLevel() {
      return session.logLevel;
    },
    get ignoresPings() {
      return session.ignoresPings;
    },
    set ignoresPings(ignoresPings) {
      session.ignoresPings = ignoresPings;
    },
    requests: new SdkRequests(session, extra),
    async send(message) {
      try {
        // A `SessionClient` sends only notifications that a server may send.
        await extra.sendNotification(message as ServerNotification);
      } catch (error) {
        if (!extra.signal.aborted) settings.report(error);
      }
    },
  };
}

/** The requests of a call to its client: one at a time. */
class SdkRequests implements Pick<OutgoingRequests, "send" | "cancel" | "detach" | "size"> {
  readonly #session: SdkSession;
  readonly #extra: Extra;
  /** Cancels the request that is open. */
  #cancelling: AbortController | undefined;

  constructor(session: SdkSession, extra: Extra) {
    this.#session = session;
    this.#extra = extra;
  }

  get size(): number {
    return this.#session.openQuestions;
  }

  cancel(): void {
    this.#cancelling?.abort("No longer wanted.");
  }

  /** Only durable runs are detached, and there are none on an SDK server. */
  detach(): void {}

  send({ method, params }: OutgoingRequest, handler: ResponseHandler): void {
    const cancelling = new AbortController();
    this.#cancelling = cancelling;
    const questions = handler.countsAsQuestion ? 1 : 0;
    if (handler.countsAsQuestion) this.#useRequestIdZero();
    this.#session.openQuestions += questions;
    const respond = (call: () => void): void => {
      this.#session.openQuestions -= questions;
      if (this.#cancelling === cancelling) this.#cancelling = undefined;
      if (!cancelling.signal.aborted) call();
    };
    // A `SessionClient` sends only requests that a server may send.
    const request = { method, ...(params === undefined ? {} : { params }) } as ServerRequest;
    const options = { signal: cancelling.signal, timeout: MAX_TIMEOUT_MS };
    this.#extra.sendRequest(request, ResultSchema, options).then(
      (result: JsonObject) => respond(() => handler.onResult(result)),
      (error: unknown) => respond(() => handler.onError(toClientError(error))),
    );
  }

  /** An SDK server numbers its requests from 0, and an SDK client ignores that request 0 is cancelled: a ping gets that id. */
  #useRequestIdZero(): void {
    const { server } = this.#session;
    if (numbered.has(server)) return;
    numbered.add(server);
    // The response is not used.
    void this.#extra.sendRequest({ method: "ping" }, EmptyResultSchema).catch(() => {});
  }
}

/** The error for what the SDK throws if the client answered with an error, or has disconnected. */
function toClientError(error: unknown): Error {
  if (!(error instanceof McpError)) return error instanceof Error ? error : new Error(String(error));
  return error.code === CONNECTION_CLOSED ? new ConnectionClosed() : new ClientError(error);
}
