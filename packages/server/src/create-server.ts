/**
 * The library's door: tools in, a server out.
 *
 * One server serves any number of clients, over any of its transports, at once.
 * Nothing is loaded that is not used: HTTP comes with the first `listen` or router.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { Router } from "express";
import { RunCancelled } from "@photon/core";
import { Catalog, type Definitions } from "./catalog.ts";
import { Connection } from "./connection.ts";
import type { Listening } from "./http/listen-on.ts";
import type { HttpDoor, HttpOptions } from "./http/open-http.ts";
import { reachedBy } from "./http/reached-by.ts";
import { present } from "./present.ts";
import { errorResponse, FULL, OVER_LIMIT, RpcError, rpcErrorOf } from "./rpc/errors.ts";
import type { Exchange, Open } from "./rpc/peer.ts";
import type { Transport } from "./rpc/transport.ts";
import { Exchanges } from "./exchanges/exchanges.ts";
import { settingsFrom, type GivenSettings, type Settings } from "./settings.ts";
import { serveTransport } from "./transports/any-transport.ts";
import { answerJson } from "./transports/http-answers.ts";
import { serveStdio } from "./transports/stdio.ts";
import { takeStdout } from "./transports/take-stdout.ts";

/** What it is told of HTTP holds for `listen`, `handler` and `router` alike, unless `listen` or `router` is told otherwise. */
export interface ServerOptions extends Definitions, HttpOptions, GivenSettings {}

export interface ListenOptions extends HttpOptions {
  /** 0, the default: any that is free. */
  readonly port?: number;
  /** 127.0.0.1 without this. The server may be reached by this name as well. */
  readonly host?: string;
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
  connect(transport: Transport): Promise<void>;
  /** Serves the client at stdin and stdout; settles when it has gone. Rejects where one is served there already. */
  stdio(): Promise<void>;
  /** Serves over HTTP: `/mcp`, `/sse`, `/healthz`. */
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
  /** How many sessions there are: lines to clients, whatever is spoken on them. */
  readonly sessions: number;
  /** How many calls of 2026-07-28 wait for answers. */
  readonly parked: number;
  /** Closes every session, and waits until every body has ended. */
  close(): Promise<void>;
}

export function createServer(options: ServerOptions = {}): PhotonServer {
  return new LiveServer(options);
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

class LiveServer implements PhotonServer {
  readonly #settings: Settings;
  readonly #http: HttpOptions;
  readonly #catalog: Catalog;
  readonly #exchanges: Exchanges;
  readonly #sessions = new Set<Connection>();
  /** Sessions whose clients have gone and whose bodies have not ended yet. */
  readonly #ending = new Set<Promise<void>>();
  /** How often it was closed: whatever is being opened meanwhile must not stay open. */
  #closes = 0;
  #app: Promise<(request: IncomingMessage, response: ServerResponse) => void> | undefined;
  /** What ends each way in. */
  readonly #closers = new Set<() => Promise<void>>();

  constructor(options: ServerOptions) {
    const { tools, prompts, resources, transports, allowedHosts, allowedOrigins, authenticate, ...given } =
      options;
    this.#settings = settingsFrom(given);
    this.#http = { transports, allowedHosts, allowedOrigins, authenticate };
    this.#catalog = new Catalog({
      ...(tools && { tools }),
      ...(prompts && { prompts }),
      ...(resources && { resources }),
    });
    this.#exchanges = new Exchanges(this.#catalog, this.#settings);
  }

  get parked(): number {
    return this.#exchanges.parked;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  readonly open: Open = (peer) => {
    if (!this.#hasRoom()) throw new RpcError(OVER_LIMIT, FULL);
    const session = new Connection(peer, this.#catalog, this.#settings, this.#exchange);
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

  readonly #exchange: Exchange = (request, caller) => this.#exchanges.answer(request, caller);

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
    try {
      await this.#serveStdio(output.stream);
    } finally {
      output.giveBack();
    }
  }

  async listen({ port = 0, host: given = "", ...http }: ListenOptions = {}): Promise<Listening> {
    const closes = this.#closes;
    // An empty one is none: Node would listen on every address.
    const host = given === "" ? "127.0.0.1" : given;
    const { listenOn } = await import("./http/listen-on.ts");
    const listening = await listenOn(await this.#openDoor(http, [reachedBy(host)]), port, host);
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
    void this.#handle(request, response);
  };

  async router(http: HttpOptions = {}): Promise<Mountable> {
    const closes = this.#closes;
    const { attach } = await import("./http/attach.ts");
    const door = await this.#openMounted(http, closes);
    return {
      router: door.router,
      attach: (server, path = "/mcp") => {
        const detach = attach(door, server, path);
        this.#closeBy(async () => detach());
      },
    };
  }

  disconnect(runId: string): void {
    for (const session of this.#sessions) session.disconnect(runId);
  }

  async close(): Promise<void> {
    this.#closes += 1;
    const closers = [...this.#closers];
    // What waits for answers first: whoever is being answered is told while there is still a line to them.
    await this.#exchanges.close();
    await Promise.all(closers.map((close) => close()));
    // Not those that have come meanwhile: they are for the next time.
    for (const close of closers) this.#closers.delete(close);
    // Those that were opened by other means.
    await Promise.all([...this.#sessions].map((session) => session.hangUp()));
    this.#sessions.clear();
    await Promise.all(this.#ending);
    // Those that came while the doors were being closed.
    await this.#exchanges.close();
  }

  async #serveStdio(output: Writable): Promise<void> {
    const line = serveStdio(this.open, process.stdin, output, this.#settings);
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
    // Without another way in nobody can come back with an answer; what waits for one would only keep the process alive.
    if (this.#closers.size === 0 && this.#sessions.size === 0) await this.#exchanges.close();
    for (const signal of SIGNALS) process.off(signal, stop);
    // What nobody reads would keep the process from ending, which it was told to.
    if (raised !== undefined && output.writableLength > 0) process.kill(process.pid, raised);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#app ??= this.#openApp();
      const app = await this.#app;
      app(request, response);
    } catch (error) {
      answerJson(response, 500, errorResponse(undefined, rpcErrorOf(error, this.#settings.report)));
    }
  }

  async #openApp(): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
    const { appFor } = await import("./http/listen-on.ts");
    // There is one, for good: it opens no second time.
    return appFor(await this.#openMounted({}, 0));
  }

  #hasRoom(): boolean {
    return this.#sessions.size < this.#settings.limits.sessions;
  }

  /** A door in somebody else's server: a closed one, if this was closed more often than `closes` times by then. */
  async #openMounted(http: HttpOptions, closes: number): Promise<HttpDoor> {
    const door = await this.#openDoor(http);
    if (this.#closes > closes) await door.close();
    else this.#closeBy(() => door.close());
    return door;
  }

  /** `names`: by what it is reached beside what is allowed. */
  async #openDoor(given: HttpOptions, names: readonly string[] = []): Promise<HttpDoor> {
    // Loaded here: a server on stdio never needs express or ws.
    const { openHttp } = await import("./http/open-http.ts");
    const http = { ...this.#http, ...present(given) };
    const allowedHosts = [...(http.allowedHosts ?? []), ...names];
    const inside = { open: this.open, exchange: this.#exchange, hasRoom: () => this.#hasRoom() };
    return openHttp(inside, this.#settings, { ...http, allowedHosts });
  }

  /** Notes what is to be done on closing; gives back what makes it forgotten. */
  #closeBy(close: () => Promise<void>): () => void {
    this.#closers.add(close);
    return () => void this.#closers.delete(close);
  }
}
