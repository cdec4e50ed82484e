/**
 * The library's door: tools in, a server out.
 *
 * One server serves any number of clients, over any of its transports, at once.
 * Nothing is loaded that is not used: HTTP comes with the first `listen` or router.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Router } from "express";
import { RunCancelled } from "@photon/core";
import { Catalog, type Definitions } from "./catalog.ts";
import type { Listening } from "./http/listen.ts";
import type { HttpDoor, HttpOptions } from "./http/router.ts";
import { FULL, OVER_LIMIT, RpcError } from "./rpc/errors.ts";
import type { Open } from "./rpc/peer.ts";
import type { Transport } from "./rpc/transport.ts";
import { Session } from "./sessions/session.ts";
import { settingsFrom, type Limits, type Settings } from "./settings.ts";
import { serveTransport } from "./transports/any-transport.ts";
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

/** What an express app needs to serve Photon as well. */
export interface Mountable {
  readonly router: Router;
  /** Takes the WebSocket upgrades of the app's server at a path: `/mcp`, or what the router's prefix makes of it. */
  readonly attach: (server: HttpServer, path?: string) => void;
}

export interface PhotonServer {
  /** Opens a session for a client that has connected by other means. Throws where there are as many as it takes. */
  readonly open: Open;
  /** Serves the client at the other end of an SDK transport, or of anything of that shape. */
  connect(transport: Transport): Promise<void>;
  /** Serves the client at stdin and stdout; settles when it has gone. */
  stdio(): Promise<void>;
  /** Serves over HTTP: `/mcp`, `/sse`, `/healthz`. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** The same, for a server of Node's own: `http.createServer(server.handler)`. */
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
  /** How many sessions there are. */
  readonly sessions: number;
  /** Closes every session, and waits until every body has ended. */
  close(): Promise<void>;
}

export function createServer(options: ServerOptions = {}): PhotonServer {
  return new LiveServer(options);
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

class LiveServer implements PhotonServer {
  readonly #settings: Settings;
  readonly #catalog: Catalog;
  readonly #sessions = new Set<Session>();
  /** Sessions whose clients have gone and whose bodies have not ended yet. */
  readonly #ending = new Set<Promise<void>>();
  /** How often it was closed: whatever is being opened meanwhile must not stay open. */
  #closes = 0;
  #app: Promise<(request: IncomingMessage, response: ServerResponse) => void> | undefined;
  /** What ends each way in. */
  readonly #closers = new Set<() => Promise<void>>();

  constructor({ tools, prompts, resources, ...given }: ServerOptions) {
    this.#settings = settingsFrom(given);
    this.#catalog = new Catalog({
      ...(tools && { tools }),
      ...(prompts && { prompts }),
      ...(resources && { resources }),
    });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  readonly open: Open = (peer) => {
    if (!this.#hasRoom()) throw new RpcError(OVER_LIMIT, FULL);
    const session = new Session(peer, this.#catalog, this.#settings);
    this.#sessions.add(session);
    return {
      receive: (message) => session.receive(message),
      close: () => {
        this.#sessions.delete(session);
        const ending = session.close().finally(() => this.#ending.delete(ending));
        this.#ending.add(ending);
        return ending;
      },
    };
  };

  replace(definitions: Definitions): void {
    this.#catalog.replace(definitions);
  }

  async connect(transport: Transport): Promise<void> {
    const line = await serveTransport(this.open, transport, this.#settings.report);
    const forget = this.#closeBy(() => line.close());
    void line.closed.finally(forget);
  }

  async stdio(): Promise<void> {
    const output = takeStdout();
    const line = serveStdio(this.open, process.stdin, output.stream, this.#settings);
    let raised: NodeJS.Signals | undefined;
    const stop = (signal: NodeJS.Signals): void => {
      raised = signal;
      // Of everything, not only of this line: a signal is for the process.
      void this.close();
    };
    for (const signal of SIGNALS) process.once(signal, stop);
    const forget = this.#closeBy(() => line.close());
    await line.closed;
    forget();
    for (const signal of SIGNALS) process.off(signal, stop);
    output.giveBack();
    // What nobody reads would keep the process from ending, which it was told to.
    if (raised !== undefined && output.stream.writableLength > 0) process.kill(process.pid, raised);
  }

  async listen({ port = 0, host = "127.0.0.1", ...http }: ListenOptions = {}): Promise<Listening> {
    const closes = this.#closes;
    const { listenOn } = await import("./http/listen.ts");
    const listening = await listenOn(await this.#openDoor(http), port, host);
    if (this.#closes > closes) {
      await listening.close();
      throw new RunCancelled("The server was closed before it listened.");
    }
    const forget = this.#closeBy(() => listening.close());
    return {
      ...listening,
      async close() {
        forget();
        await listening.close();
      },
    };
  }

  readonly handler = (request: IncomingMessage, response: ServerResponse): void => {
    this.#app ??= this.#openApp();
    this.#app.then((app) => app(request, response), this.#settings.report);
  };

  async router(http: HttpOptions = {}): Promise<Mountable> {
    const [{ pathOf }, { hangUp }] = await Promise.all([
      import("./http/listen.ts"),
      import("./http/router.ts"),
    ]);
    const door = await this.#openDoor(http);
    this.#closeBy(() => door.close());
    return {
      router: door.router,
      attach: (server, path = "/mcp") => {
        const upgrade = (...[request, socket, head]: Parameters<HttpDoor["upgrade"]>): void => {
          if (pathOf(request.url) === path) door.upgrade(request, socket, head);
          // Nobody else will answer it.
          else if (server.listenerCount("upgrade") === 1) hangUp(socket, "404 Not Found");
        };
        server.on("upgrade", upgrade);
        this.#closeBy(async () => void server.off("upgrade", upgrade));
      },
    };
  }

  disconnect(runId: string): void {
    for (const session of this.#sessions) session.disconnect(runId);
  }

  async close(): Promise<void> {
    this.#closes += 1;
    await Promise.all([...this.#closers].map((close) => close()));
    this.#closers.clear();
    // Those that were opened by other means.
    await Promise.all([...this.#sessions].map((session) => session.hangUp()));
    this.#sessions.clear();
    await Promise.all(this.#ending);
  }

  async #openApp(): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
    const { appFor } = await import("./http/listen.ts");
    const door = await this.#openDoor({});
    this.#closeBy(() => door.close());
    return appFor(door);
  }

  #hasRoom(): boolean {
    return this.#sessions.size < this.#settings.limits.sessions;
  }

  async #openDoor(http: HttpOptions): Promise<HttpDoor> {
    // Loaded here: a server on stdio never needs express or ws.
    const { openHttp } = await import("./http/router.ts");
    return openHttp(this.open, this.#settings, http, () => this.#hasRoom());
  }

  /** Notes what is to be done on closing; gives back what makes it forgotten. */
  #closeBy(close: () => Promise<void>): () => void {
    this.#closers.add(close);
    return () => void this.#closers.delete(close);
  }
}
