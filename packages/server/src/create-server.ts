/**
 * The library's door: tools in, a server out.
 *
 * One server serves any number of clients, over any of its transports, at once.
 * Nothing is loaded that is not used: HTTP comes with the first `listen` or router.
 */
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Router } from "express";
import { Catalog, type Definitions } from "./catalog.ts";
import type { HttpDoor, HttpOptions } from "./http/router.ts";
import type { Open } from "./rpc/peer.ts";
import { Session } from "./sessions/session.ts";
import { settingsFrom, type Limits, type Settings } from "./settings.ts";
import { serveStdio } from "./transports/stdio.ts";
import { takeStdout } from "./transports/take-stdout.ts";

export interface ServerOptions extends Definitions, Partial<Omit<Settings, "limits">> {
  readonly limits?: Partial<Limits>;
}

export interface ListenOptions extends HttpOptions {
  /** 0, the default: any that is free. */
  readonly port?: number;
  /** 127.0.0.1 without this. */
  readonly host?: string;
}

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:3001` */
  readonly url: string;
  close(): Promise<void>;
}

export interface PhotonServer {
  /** Opens a session for a client that has connected by other means. */
  readonly open: Open;
  /** Serves the client at stdin and stdout; settles when it has gone. */
  stdio(): Promise<void>;
  /** Serves over HTTP: `/mcp`, `/sse`, `/healthz`. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** The same, to be mounted in an express app; `attach` gives it the app's WebSocket upgrades. */
  router(
    options?: HttpOptions,
  ): Promise<{ readonly router: Router; attach(server: HttpServer, path?: string): void }>;
  /** Puts other tools, prompts or resources in place; clients are told. */
  replace(definitions: Definitions): void;
  /** How many sessions there are. */
  readonly sessions: number;
  /** Closes every session, and waits until every body has ended. */
  close(): Promise<void>;
}

export function createServer(options: ServerOptions = {}): PhotonServer {
  const { tools, prompts, resources, ...given } = options;
  const settings = settingsFrom(given);
  const catalog = new Catalog({
    ...(tools && { tools }),
    ...(prompts && { prompts }),
    ...(resources && { resources }),
  });
  const sessions = new Set<Session>();
  const doors = new Set<HttpDoor>();
  const closers = new Set<() => Promise<void>>();
  const hasRoom = (): boolean => sessions.size < settings.limits.sessions;

  const open: Open = (peer) => {
    const session = new Session(peer, catalog, settings);
    sessions.add(session);
    return {
      receive: (message) => session.receive(message),
      async close() {
        sessions.delete(session);
        await session.close();
      },
    };
  };

  async function openDoor(http: HttpOptions): Promise<HttpDoor> {
    // Loaded here: a server on stdio never needs express or ws.
    const { openHttp } = await import("./http/router.ts");
    const door = openHttp(open, settings, http, hasRoom);
    doors.add(door);
    return door;
  }

  return {
    open,
    get sessions() {
      return sessions.size;
    },
    replace: (definitions) => catalog.replace(definitions),
    async stdio() {
      const output = takeStdout();
      const line = serveStdio(open, process.stdin, output.stream, settings.limits);
      const stop = (): void => void line.close();
      for (const signal of SIGNALS) process.once(signal, stop);
      closers.add(() => line.close());
      await line.closed;
      for (const signal of SIGNALS) process.off(signal, stop);
      output.giveBack();
    },
    async listen({ port = 0, host = "127.0.0.1", ...http } = {}) {
      const { default: express } = await import("express");
      const door = await openDoor(http);
      const app = express().disable("x-powered-by").use(door.router);
      const server = createHttpServer(app);
      server.on("upgrade", (request, socket, head) => door.upgrade(request, socket, head));
      await listening(server, port, host);
      const close = async (): Promise<void> => {
        closers.delete(close);
        server.close();
        await door.close();
        server.closeAllConnections();
      };
      closers.add(close);
      // A server that listens on a port has an address with that port.
      const { port: actual } = server.address() as AddressInfo;
      return { port: actual, url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`, close };
    },
    async router(http = {}) {
      const door = await openDoor(http);
      return {
        router: door.router,
        attach(server, path = "/mcp") {
          server.on("upgrade", (request, socket, head) => {
            if (new URL(request.url ?? "/", "http://localhost").pathname === path)
              door.upgrade(request, socket, head);
          });
        },
      };
    },
    async close() {
      await Promise.all([...closers].map((close) => close()));
      await Promise.all([...doors].map((door) => door.close()));
      await Promise.all([...sessions].map((session) => session.close()));
      sessions.clear();
    },
  };
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

function listening(server: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
