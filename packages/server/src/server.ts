/**
 * createServer(): one server for any number of clients, over all transports at once.
 *
 * HTTP, the stateless handler and the store drivers are loaded when they are first used.
 */
import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from "node:http";
import { InvalidDefinition, omitUndefined, RunCancelled } from "@photon/core";
import type { Definitions } from "./catalog.ts";
import type { Listening } from "./app/listen.ts";
import type { HttpApp, HttpOptions, ServerEntryPoints } from "./app/router.ts";
import { AuthRequired } from "./errors.ts";
import { assertTokensChecked, BearerTokens } from "./http/authentication.ts";
import { isWildcardHost, isLoopback, displayHost } from "./http/hosts.ts";
import { rejectReservedNames } from "./handover/continue-tools.ts";
import { type ServerContext, createServerContext } from "./context.ts";
import { Connections } from "./sessions/connections.ts";
import { PageHost } from "./pages/page-host.ts";
import { SERVER_FULL } from "./accounts.ts";
import { errorResponse, toRpcError } from "./jsonrpc/errors.ts";
import type { JsonObject } from "./jsonrpc/messages.ts";
import type { AcceptConnection } from "./connection.ts";
import { serveTransport, type Transport } from "./transports/sdk-transport.ts";
import { LazyStatelessHandler } from "./stateless/lazy-handler.ts";
import { Inbox } from "./durable/inbox.ts";
import { BackgroundWorker } from "./background/worker.ts";
import { type ServerSettingsInput, type Settings, resolveSettings } from "./settings.ts";
import { sendJson } from "./http/responses.ts";
import { serveOwnStdio } from "./transports/stdio.ts";
import type { Router } from "express";
import type { UserIdentification } from "./pages/page.ts";

/** Creates a server for tools, prompts and resources. It serves nothing until it listens, is mounted or gets a connection. */
export function createServer(options: ServerOptions = {}): PhotonServer {
  return new PhotonServer(options);
}

/** A server, which `createServer` creates: it serves the same tools on every transport. */
export class PhotonServer {
  readonly #settings: Settings;
  readonly #http: HttpOptions;
  readonly #context: ServerContext;
  readonly #pageHost: PageHost;
  readonly #stateless: LazyStatelessHandler;
  readonly #background: BackgroundWorker | undefined;
  readonly #inbox: Inbox | undefined;
  readonly #connections: Connections;
  #isClosing = false;
  /** How often it was closed: a listener that is being opened meanwhile must not stay open. */
  #closes = 0;
  /** The listener of `handler`. */
  #listener: Promise<RequestListener> | undefined;
  /** One for each listener and connection. */
  readonly #closers = new Set<Closer>();

  constructor(options: ServerOptions) {
    const {
      tools,
      prompts,
      resources,
      transports,
      allowedHosts,
      allowedOrigins,
      authenticate,
      tokens,
      oauth,
      playground,
      identify,
      ...given
    } = options;
    this.#settings = resolveSettings(given);
    this.#http = { transports, allowedHosts, allowedOrigins, authenticate, tokens, oauth, playground };
    // Throws now, and not in `listen`.
    assertTokensChecked(this.#http);
    this.#pageHost = new PageHost(this.#settings, { identify, tokens: tokensIn(tokens) });
    const definitions = rejectReservedNames(omitUndefined({ tools, prompts, resources }), this.#settings);
    this.#context = createServerContext(definitions, this.#settings, this.#pageHost);
    const { runs } = this.#context;
    this.#inbox = runs && new Inbox(runs);
    this.#background = runs && new BackgroundWorker(this.#context, runs, (run) => this.#onRunGrown(run));
    this.#stateless = new LazyStatelessHandler(this.#context, this.#background);
    this.#connections = new Connections(this.#context, this.#stateless.answer);
    this.#background?.start();
  }

  /** How many stateless calls wait for answers. */
  get parked(): number {
    return this.#context.waitingCalls.size;
  }

  /** The open questions and the results of durable runs. Throws without a store. */
  get inbox(): Inbox {
    if (this.#inbox === undefined)
      throw new InvalidDefinition(
        "There is no inbox without a store; create the server with createServer({ store, keys }).",
      );
    return this.#inbox;
  }

  /** How many connections and sessions are open. */
  get sessions(): number {
    return this.#connections.size;
  }

  /** Opens a connection of a client that has connected by other means. Throws when the server is full. */
  readonly open: AcceptConnection = (connection) => {
    const handler = this.#connections.accept(connection);
    this.#continueRuns();
    return handler;
  };

  /** Replaces the tools, prompts or resources that are given, and notifies clients. */
  replace(definitions: Definitions): void {
    this.#context.catalog.replace(rejectReservedNames(definitions, this.#settings));
    this.#background?.scan();
  }

  /** Serves the client of an SDK transport, or of any object of that shape. */
  async connect(transport: Transport, { principal }: ConnectOptions = {}): Promise<void> {
    const served = await serveTransport(this.#acceptAs(principal), transport, this.#settings.report);
    const forget = this.#onClose({ drain: () => served.close() });
    void served.closed.finally(forget);
  }

  /** Serves the client at stdin and stdout; resolves when it has disconnected. Rejects if one is served already. */
  async stdio({ principal }: ConnectOptions = {}): Promise<void> {
    let forget = (): void => {};
    await serveOwnStdio(this.#acceptAs(principal), this.#settings, {
      onOpen: (connection) => {
        forget = this.#onClose({ drain: () => connection.close() });
      },
      // A signal ends the whole process, so it closes every connection.
      onSignal: () => void this.close(),
      onEnd: async () => {
        forget();
        // Without another connection no answer can arrive, and waiting calls would keep the process alive.
        if (this.#closers.size > 0 || this.#connections.size > 0) return;
        await this.#closeWaiting();
        await this.#background?.close();
        await this.#pageHost.close();
      },
    });
  }

  /** Serves over HTTP: `/mcp`, `/sse`, `/healthz`, `/readyz`. */
  async listen({ port = 0, host: given = "", noAuth, ...options }: ListenOptions = {}): Promise<Listening> {
    const closes = this.#closes;
    // Node listens on every address when the host is "".
    const host = given === "" ? "127.0.0.1" : given;
    const http = this.#httpOptions(options);
    const { authenticate, tokens, allowedHosts = [] } = http;
    const isUnauthenticated = !isLoopback(host) && authenticate === undefined && tokens === undefined;
    if (isUnauthenticated && noAuth !== true) throw new AuthRequired(host);
    const { listenOn } = await import("./app/listen.ts");
    const { clock, limits } = this.#settings;
    const app = await this.#openApp({ ...http, allowedHosts: [...allowedHosts, displayHost(host)] });
    const listening = await listenOn(app, { port, host, clock, limits });
    if (this.#closes > closes) {
      await listening.close();
      throw new RunCancelled("The server was closed before it listened.");
    }
    const { port: actual, url } = listening;
    const removeEndpoint = this.#pageHost.addEndpoint({
      url: isWildcardHost(host) ? undefined : url,
      isUnauthenticated,
      tokens: tokensIn(tokens),
    });
    const end = async (): Promise<void> => {
      removeEndpoint();
      await listening.close();
    };
    const forget = this.#onClose({ stop: () => listening.stop(), drain: () => listening.drain(), end });
    return {
      port: actual,
      url,
      async close() {
        forget();
        await end();
      },
    };
  }

  /** Serves over HTTP behind a server of Node: `http.createServer(server.handler)`. Refuses every request after `close()`. */
  readonly handler = (request: IncomingMessage, response: ServerResponse): void => {
    void this.#handle(request, response);
  };

  /** Serves over HTTP as a router of an Express app. */
  async router(options: HttpOptions = {}): Promise<Mountable> {
    const closes = this.#closes;
    const { attachUpgrades } = await import("./app/listen.ts");
    const app = await this.#openMounted(this.#httpOptions(options), closes);
    return {
      router: app.router,
      attach: (server, path = "/mcp") => {
        const detach = attachUpgrades(app.upgrade, server, path);
        this.#onClose({ drain: async () => detach() });
      },
    };
  }

  /**
   * Ends the HTTP response that carries the call of a run, to free its connection during a long call. Over Streamable HTTP a client
   * of 2025-11-25 resumes it later. Does nothing for other clients.
   */
  disconnect(runId: string): void {
    this.#connections.disconnect(runId);
  }

  /** Closes every connection, and resolves when every body has ended. It may listen again afterwards. */
  async close(): Promise<void> {
    this.#closes += 1;
    this.#isClosing = true;
    const closers = [...this.#closers];
    // The load balancer sends new requests to other processes.
    for (const { stop } of closers) stop?.();
    // Waiting requests are answered while their connections are open. This process stops continuing runs that it detaches.
    await Promise.all([this.#closeWaiting(), this.#background?.close()]);
    await Promise.all(closers.map(({ drain }) => drain()));
    // The connections of `open()`.
    await this.#connections.close();
    // Requests that arrived while the sessions were closed.
    await this.#stateless.close();
    await Promise.all(closers.flatMap(({ end }) => end?.() ?? []));
    // Those that were added meanwhile are for the next `close()`.
    for (const closer of closers) this.#closers.delete(closer);
    await this.#context.runs?.close();
    await this.#pageHost.close();
    this.#isClosing = false;
  }

  /** Continues runs without their clients, unless the server is closing: the process would exit in the middle of a step. */
  #continueRuns(): void {
    if (!this.#isClosing) this.#background?.start();
  }

  /** Accepts connections of a transport that does not authenticate. */
  #acceptAs(principal: string | undefined): AcceptConnection {
    return principal === undefined ? this.open : (connection) => this.open({ ...connection, principal });
  }

  /** The log of a run has grown without its client: it was answered in the inbox, or continued in the background. */
  #onRunGrown(run: string): void {
    this.#stateless.onRunMoved(run);
    this.#context.handovers.onRunEvent(run);
  }

  async #closeWaiting(): Promise<void> {
    await Promise.all([this.#stateless.close(), this.#context.handovers.close()]);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#listener ??= this.#openListener();
      const listener = await this.#listener;
      listener(request, response);
    } catch (error) {
      sendJson(response, 500, errorResponse(undefined, toRpcError(error, this.#settings.report)));
    }
  }

  async #openListener(): Promise<RequestListener> {
    const { appFor } = await import("./app/listen.ts");
    // There is one `handler`, which stays closed once the server was closed.
    return appFor(await this.#openMounted(this.#http, 0));
  }

  /** The HTTP app inside another server. Closed already, if the server was closed more than `closes` times meanwhile. */
  async #openMounted(http: HttpOptions, closes: number): Promise<HttpApp> {
    const app = await this.#openApp(http);
    if (this.#closes > closes) {
      await app.close();
      return app;
    }
    const removeEndpoint = this.#pageHost.addEndpoint({ tokens: tokensIn(http.tokens) });
    this.#onClose({
      async drain() {
        removeEndpoint();
        await app.close();
      },
    });
    return app;
  }

  /** The options of a listener or router: the server's own are their defaults. */
  #httpOptions(given: HttpOptions): HttpOptions {
    return { ...this.#http, ...omitUndefined(given) };
  }

  async #openApp(http: HttpOptions): Promise<HttpApp> {
    // Loaded here: a server on stdio needs neither express nor ws.
    const [{ createHttpApp }] = await Promise.all([import("./app/router.ts"), this.#stateless.load()]);
    this.#continueRuns();
    const entryPoints: ServerEntryPoints = {
      accept: this.open,
      connections: this.#connections,
      page: (request, response) => this.#pageHost.handle(request, response),
      inbox: this.#inbox,
      accounts: this.#context.accounts,
      readinessProblem: () => this.#readinessProblem(),
      health: (principal) => this.#health(principal),
    };
    const playground =
      http.playground === true
        ? await import("./app/playground.ts").then(({ readPlayground }) => readPlayground())
        : undefined;
    return createHttpApp(entryPoints, this.#settings, http, playground);
  }

  /** What `/healthz` tells a caller beside `status`. */
  #health(principal: string): JsonObject {
    const suspicions = this.#context.trust.reportedTo(principal);
    return {
      ...(suspicions.length === 0 ? {} : { suspicions }),
      // The playground asks for the inbox only if there is one: a browser logs a 404 as an error.
      ...(this.#inbox === undefined ? {} : { inbox: true }),
    };
  }

  /** Why `/readyz` answers 503 for a reason other than the store, if it does. */
  #readinessProblem(): string | undefined {
    if (this.#isClosing) return "The server is being closed.";
    return this.#context.accounts.canOpenSession ? undefined : SERVER_FULL;
  }

  /** Registers a closer for `close()`; returns a function that removes it. */
  #onClose(closer: Closer): () => void {
    this.#closers.add(closer);
    return () => void this.#closers.delete(closer);
  }
}

/** The stages of closing one listener or connection. */
interface Closer {
  /** Accepts no more connections. */
  readonly stop?: () => void;
  /** Ends its sessions. */
  readonly drain: () => Promise<void>;
  /** Closes the remaining connections. */
  readonly end?: () => Promise<void>;
}

const tokensIn = (given: HttpOptions["tokens"]): BearerTokens | undefined => given && new BearerTokens(given);

/** The HTTP options are defaults for `listen`, `handler` and `router`. */
export interface ServerOptions
  extends Definitions, HttpOptions, ServerSettingsInput, Pick<UserIdentification, "identify"> {}

/** The options of `listen`: the port, the host, and those of HTTP. */
export interface ListenOptions extends HttpOptions {
  /** 0 without this: any free port. */
  readonly port?: number;
  /** 127.0.0.1 without this. Added to `allowedHosts`. */
  readonly host?: string;
  /** Serves a host that is not loopback without authentication. Secrets and files are not asked for then. */
  readonly noAuth?: boolean;
}

/** The options of `connect`. */
export interface ConnectOptions {
  /** The caller, by the name that `tokens` or `identify` uses. Pages at a `publicUrl` belong to it. "" without this. */
  readonly principal?: string;
}

/** The parts of a server that an Express app mounts. */
export interface Mountable {
  readonly router: Router;
  /** Handles the WebSocket upgrades of the app's server at a path: `/mcp` below the router's prefix. Throws if the path is taken. */
  readonly attach: (server: HttpServer, path?: string) => void;
}
