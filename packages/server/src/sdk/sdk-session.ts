/** State of the session of an SDK server. */
import { declaredClient, type DeclaredClient } from "../protocol/client-info.ts";
import {
  type Features,
  featuresOf,
  negotiate,
  type SessionRevision,
  sessionRevisions,
} from "../protocol/revisions.ts";
import { DeadlineQueue } from "../calls/question-deadlines.ts";
import { LogThreshold } from "../sessions/session-methods.ts";
import type { Settings } from "../settings.ts";
import { ClientAtConnection, ClientTrust } from "../client-trust.ts";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";

/** What was mounted on each server: one for each time. */
const mounted = new WeakMap<LowServer, SdkSession[]>();

/** Resolves when no body of a server's mounted tools runs. */
export async function endedOn(server: LowServer): Promise<void> {
  await Promise.all((mounted.get(server) ?? []).map((session) => session.ended()));
}

export class SdkSession {
  readonly server: LowServer;
  readonly settings: Settings;
  /** What is known of the client that the server is connected to. */
  trust: ClientAtConnection;
  readonly deadlines: DeadlineQueue;
  /** The calls of our tools that are under way. */
  readonly calls: Set<Promise<unknown>> = new Set();
  /** How many of their questions are open. A ping is none. */
  asks = 0;
  /** Whether the client was pinged and did not answer in time: no later call waits for it. */
  isMute = false;
  #revision: SessionRevision;
  #logLevel = new LogThreshold();

  constructor(server: LowServer, settings: Settings) {
    this.server = server;
    this.settings = settings;
    this.trust = new ClientAtConnection(new ClientTrust(settings), "");
    this.deadlines = new DeadlineQueue(settings.clock);
    this.#revision = negotiate(undefined, settings.maxRevision);
    mounted.set(server, [...(mounted.get(server) ?? []), this]);
  }

  get features(): Features {
    return featuresOf(this.#revision, this.client.can.url);
  }

  get client(): DeclaredClient {
    return declaredClient({
      clientInfo: this.server.getClientVersion(),
      capabilities: this.server.getClientCapabilities(),
    });
  }

  /** Begins with a client; gives the revision to speak. One before ours, which the SDK still knows, is taken for our oldest. */
  begin(agreed: unknown): string {
    const newest = negotiate(undefined, this.settings.maxRevision);
    const spoken = String(agreed) > newest ? newest : String(agreed);
    const known = sessionRevisions.find((revision) => revision === spoken);
    this.#revision = known ?? sessionRevisions[0];
    this.isMute = false;
    this.trust = new ClientAtConnection(new ClientTrust(this.settings), "");
    this.#logLevel = new LogThreshold();
    return spoken;
  }

  async ended(): Promise<void> {
    while (this.calls.size > 0) await Promise.allSettled(this.calls);
  }

  setLogLevel(level: string): void {
    this.#logLevel.set(level);
  }

  isLogged(level: string): boolean {
    return this.#logLevel.admits(level);
  }
}

/** The servers of the MCP SDK, version 1, as far as they are touched here. */

/** `Server`, which the SDK calls deprecated under its own name. */
export type LowServer = McpServer["server"];
export type SdkServer = McpServer | LowServer;

/** The server that does the work. */
export const lowOf = (server: SdkServer): LowServer => ("server" in server ? server.server : server);

/** What the SDK gives a handler beside the request. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

type Handler = (request: object, extra: Extra) => Promise<{ [field: string]: unknown }>;

/**
 * The handler that a server has for a method.
 *
 * The SDK lets a handler be replaced and not be read. Every 1.x keeps them in the same private map.
 */
export function handlerOf(server: LowServer, method: string): Handler | undefined {
  const handlers: unknown = Reflect.get(server, "_requestHandlers");
  if (!(handlers instanceof Map))
    throw new TypeError("This is no server of @modelcontextprotocol/sdk 1.x: it has no map of handlers.");
  // The one type that `setRequestHandler` puts there.
  return handlers.get(method) as Handler | undefined;
}
