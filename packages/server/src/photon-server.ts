/** A server as the program around it sees it: what it is given, and what it does. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Router } from "express";
import type { Definitions } from "./catalog.ts";
import type { Listening } from "./app/listen.ts";
import type { HttpOptions } from "./app/router.ts";
import type { Identifying } from "./pages/types.ts";
import type { Open } from "./rpc/peer.ts";
import type { Transport } from "./transports/sdk-transport.ts";
import type { Inbox } from "./durable/inbox.ts";
import type { GivenSettings } from "./settings.ts";

/** What it is told of HTTP holds for `listen`, `handler` and `router` alike, unless `listen` or `router` is told otherwise. */
export interface ServerOptions
  extends Definitions, HttpOptions, GivenSettings, Pick<Identifying, "identify"> {}

export interface ListenOptions extends HttpOptions {
  /** 0, the default: any that is free. */
  readonly port?: number;
  /** 127.0.0.1 without this. The server may be reached by this name as well. */
  readonly host?: string;
  /** Lets anybody in who reaches a host that is not this machine's own. Secrets and files are not asked for then. */
  readonly noAuth?: boolean;
}

export interface LineOptions {
  /**
   * Who is at the other end, by the name that they have elsewhere (`tokens`, `identify`): at stdin, whoever started the
   * process. Pages at a `publicUrl` are theirs by that name. Nobody in particular, without this.
   */
  readonly principal?: string;
}

/** What an express app needs to serve Photon as well. */
export interface Mountable {
  readonly router: Router;
  /**
   * Takes the WebSocket upgrades of the app's server at a path: `/mcp`, or what the router's prefix makes of it. Throws
   * where they are taken already.
   */
  readonly attach: (server: HttpServer, path?: string) => void;
}

export interface PhotonServer {
  /** Opens a session for a client that has connected by other means. Throws where there are as many as it takes. */
  readonly open: Open;
  /** Serves the client at the other end of an SDK transport, or of anything of that shape. */
  connect(transport: Transport, options?: LineOptions): Promise<void>;
  /** Serves the client at stdin and stdout; settles when it has gone. Rejects where one is served there already. */
  stdio(options?: LineOptions): Promise<void>;
  /** Serves over HTTP: `/mcp`, `/sse`, `/healthz`, `/readyz`. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** The same, for a server of Node's own: `http.createServer(server.handler)`. Lets nobody in once this was closed. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** The same, to be mounted in an express app. */
  router(options?: HttpOptions): Promise<Mountable>;
  /** Puts other tools, prompts or resources in place; clients are told. */
  replace(definitions: Definitions): void;
  /**
   * Ends the connection that the call of a run came in on. Over Streamable HTTP a client of 2025-11-25 comes back for the
   * rest, which frees what a long call would hold; for anybody else nothing happens.
   */
  disconnect(runId: string): void;
  /** What durable runs wait for, and what they have come to. Throws where there is no store. */
  readonly inbox: Inbox;
  /** How many sessions there are: lines to clients, whatever is spoken on them. */
  readonly sessions: number;
  /** How many calls of 2026-07-28 wait for answers. */
  readonly parked: number;
  /** Closes every session, and waits until every body has ended. */
  close(): Promise<void>;
}
