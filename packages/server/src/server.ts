/**
 * The library's door: tools in, a server out.
 *
 * One server serves any number of clients, over any of its transports, at once.
 * Nothing is loaded that is not used: HTTP comes with the first `listen` or router.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { InvalidDefinition, RunCancelled } from "@photon/core";
import type { Definitions } from "./catalog.ts";
import type { Listening } from "./app/listen.ts";
import type { HttpApp, HttpOptions } from "./app/router.ts";
import { AuthRequired } from "./errors.ts";
import { assertTokensChecked } from "./http/authentication.ts";
import { isWildcardHost, isLoopback, displayHost } from "./http/hosts.ts";
import { Tokens } from "./crypto/bearer-tokens.ts";
import { rejectReservedNames } from "./handover/model-text.ts";
import { type ServerContext, createServerContext } from "./context.ts";
import { Lines } from "./sessions/connections.ts";
import { PageHostImpl } from "./pages/page-host.ts";
import { omitUndefined } from "./util/omit-undefined.ts";
import { errorResponse, SERVER_FULL, toRpcError } from "./jsonrpc/errors.ts";
import type { AcceptConnection, HandleStateless } from "./connection.ts";
import type { ServerEntryPoints } from "./transports/streamable-http.ts";
import { serveTransport, type Transport } from "./transports/sdk-transport.ts";
import { LazyStatelessHandler } from "./stateless/lazy-handler.ts";
import { Inbox } from "./durable/inbox.ts";
import { BackgroundWorker } from "./background/worker.ts";
import { StoreCheck } from "./durable/store-check.ts";
import { type ServerSettingsInput, type Settings, resolveSettings } from "./settings.ts";
import { sendJson } from "./http/responses.ts";
import { serveOwnStdio } from "./transports/stdio-process.ts";
import type { Router } from "express";
import type { Identifying } from "./pages/types.ts";
import type { Playground } from "./app/playground.ts";

export function createServer(options: ServerOptions = {}): PhotonServer {
  return new LiveServer(options);
}

class LiveServer implements PhotonServer {
  readonly #settings: Settings;
  readonly #http: HttpOptions;
  readonly #context: ServerContext;
  readonly #desk: PageHostImpl;
  readonly #exchanges: LazyStatelessHandler;
  readonly #unattended: BackgroundWorker | undefined;
  #inbox: Inbox | undefined;
  readonly #lines: Lines;
  readonly #storeCheck: StoreCheck;
  /** Whether it is being closed right now. */
  #isClosing = false;
  /** How often it was closed: whatever is being opened meanwhile must not stay open. */
  #closes = 0;
  #app: Promise<(request: IncomingMessage, response: ServerResponse) => void> | undefined;
  /** What closes each way in. */
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
    this.#storeCheck = new StoreCheck(this.#settings);
    this.#http = { transports, allowedHosts, allowedOrigins, authenticate, tokens, oauth, playground };
    // What is wrong with them is said now, not when somebody listens.
    assertTokensChecked(this.#http);
    this.#desk = new PageHostImpl(this.#settings, { identify, tokens: tokensIn(tokens) });
    const definitions = {
      ...(tools && { tools }),
      ...(prompts && { prompts }),
      ...(resources && { resources }),
    };
    this.#context = createServerContext(
      rejectReservedNames(definitions, this.#settings),
      this.#settings,
      this.#desk,
    );
    const { runs } = this.#context;
    this.#unattended = runs && new BackgroundWorker(this.#context, runs, (run) => this.#heard(run));
    this.#exchanges = new LazyStatelessHandler(this.#context, this.#unattended);
    this.#lines = new Lines(this.#context, this.#exchange);
    this.#unattended?.start();
  }

  get parked(): number {
    return this.#context.waitingCalls.size;
  }

  get inbox(): Inbox {
    const { runs } = this.#context;
    if (runs === undefined)
      throw new InvalidDefinition("The inbox is what waits in a store: createServer({ store, keys }).");
    this.#inbox ??= new Inbox(runs, this.#settings);
    return this.#inbox;
  }

  get sessions(): number {
    return this.#lines.size;
  }

  readonly open: AcceptConnection = (connection) => {
    const line = this.#lines.open(connection);
    this.#continueRuns();
    return line;
  };

  readonly #exchange: HandleStateless = (request, caller) => this.#exchanges.answer(request, caller);

  replace(definitions: Definitions): void {
    this.#context.catalog.replace(rejectReservedNames(definitions, this.#settings));
    this.#unattended?.scan();
  }

  async connect(transport: Transport, { principal }: LineOptions = {}): Promise<void> {
    const line = await serveTransport(this.#openFor(principal), transport, this.#settings.report);
    const forget = this.#closeBy(() => line.close());
    void line.closed.finally(forget);
  }

  async stdio({ principal }: LineOptions = {}): Promise<void> {
    let forget = (): void => {};
    await serveOwnStdio(this.#openFor(principal), this.#settings, {
      opened: (line) => {
        forget = this.#closeBy(() => line.close());
      },
      // Of everything, not only of this line: a signal is for the process.
      stopped: () => void this.close(),
      ended: async () => {
        forget();
        // Without another way in nobody can come back with an answer; what waits for one would only keep the process alive.
        if (this.#closers.size > 0 || this.#lines.size > 0) return;
        await this.#closeWaiting();
        await this.#unattended?.close();
        await this.#desk.close();
      },
    });
  }

  async listen({ port = 0, host: given = "", noAuth, ...http }: ListenOptions = {}): Promise<Listening> {
    const closes = this.#closes;
    // An empty one is none: Node would listen on every address.
    const host = given === "" ? "127.0.0.1" : given;
    const { authenticate, tokens } = { ...this.#http, ...omitUndefined(http) };
    const isForAnybody = !isLoopback(host) && authenticate === undefined && tokens === undefined;
    if (isForAnybody && noAuth !== true) throw new AuthRequired(host);
    const { listenOn } = await import("./app/listen.ts");
    const { clock, limits } = this.#settings;
    const door = await this.#openDoor(http, [displayHost(host)]);
    const listening = await listenOn(door, { port, host, clock, limits });
    if (this.#closes > closes) {
      await listening.close();
      throw new RunCancelled("The server was closed before it listened.");
    }
    const { port: actual, url } = listening;
    const leave = this.#desk.addEndpoint({
      url: isWildcardHost(host) ? undefined : url,
      isForAnybody,
      tokens: tokensIn(tokens),
    });
    const end = async (): Promise<void> => {
      leave();
      await listening.close();
    };
    const forget = this.#closeBy(() => listening.drain(), { stop: () => listening.stop(), end });
    return {
      port: actual,
      url,
      async close() {
        forget();
        await end();
      },
    };
  }

  readonly handler = (request: IncomingMessage, response: ServerResponse): void => {
    void this.#handle(request, response);
  };

  async router(http: HttpOptions = {}): Promise<Mountable> {
    const closes = this.#closes;
    const { attachUpgrades: attach } = await import("./app/listen.ts");
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
    this.#lines.disconnect(runId);
  }

  async close(): Promise<void> {
    this.#closes += 1;
    this.#isClosing = true;
    const closers = [...this.#closers];
    // The balancer sends new requests to other processes.
    for (const { stop } of closers) stop?.();
    // Requests that wait are answered while their connections are open. This process continues no run that it leaves to others.
    await Promise.all([this.#closeWaiting(), this.#unattended?.close()]);
    await Promise.all(closers.map(({ drain }) => drain()));
    // Sessions that were opened by other means.
    await this.#lines.close();
    // Requests that came while the sessions were being closed.
    await this.#exchanges.close();
    await Promise.all(closers.flatMap(({ end }) => end?.() ?? []));
    // Closers that were added meanwhile stay for the next `close()`.
    for (const closer of closers) this.#closers.delete(closer);
    await this.#context.runs?.close();
    await this.#desk.close();
    // It may listen again.
    this.#isClosing = false;
  }

  /** Continues runs without their clients, unless the server is being closed: it would exit in the middle of a step. */
  #continueRuns(): void {
    if (!this.#isClosing) this.#unattended?.start();
  }

  /** Opens sessions for somebody whom the way in does not tell from others. */
  #openFor(principal: string | undefined): AcceptConnection {
    return principal === undefined ? this.open : (connection) => this.open({ ...connection, principal });
  }

  /** A run was answered past its client, or has gone on without it. */
  #heard(run: string): void {
    this.#exchanges.moved(run);
    this.#context.handovers.durable?.onRunEvent(run);
  }

  async #closeWaiting(): Promise<void> {
    await Promise.all([this.#exchanges.close(), this.#context.handovers.close()]);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#app ??= this.#openApp();
      const app = await this.#app;
      app(request, response);
    } catch (error) {
      sendJson(response, 500, errorResponse(undefined, toRpcError(error, this.#settings.report)));
    }
  }

  async #openApp(): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
    const { appFor } = await import("./app/listen.ts");
    // There is one, for good: it opens no second time.
    return appFor(await this.#openMounted({}, 0));
  }

  /** A door in somebody else's server: a closed one, if this was closed more often than `closes` times by then. */
  async #openMounted(http: HttpOptions, closes: number): Promise<HttpApp> {
    const door = await this.#openDoor(http);
    if (this.#closes > closes) {
      await door.close();
      return door;
    }
    const { tokens } = { ...this.#http, ...omitUndefined(http) };
    const leave = this.#desk.addEndpoint({ tokens: tokensIn(tokens) });
    this.#closeBy(async () => {
      leave();
      await door.close();
    });
    return door;
  }

  /** `names`: by what it is reached beside what is allowed. */
  async #openDoor(given: HttpOptions, names: readonly string[] = []): Promise<HttpApp> {
    // Loaded here: a server on stdio never needs express or ws.
    const [{ createHttpApp: openHttp }] = await Promise.all([
      import("./app/router.ts"),
      this.#exchanges.load(),
    ]);
    this.#continueRuns();
    const http = { ...this.#http, ...omitUndefined(given) };
    const allowedHosts = [...(http.allowedHosts ?? []), ...names];
    const { runs } = this.#context;
    const inside: ServerEntryPoints = {
      open: this.open,
      reopen: runs && ((passport, principal) => this.#lines.reopen(passport, principal)),
      exchange: this.#exchange,
      page: (request, response) => this.#desk.handle(request, response),
      inbox: runs && this.inbox,
      accounts: this.#context.accounts,
      readinessProblem: () => this.#unready(),
      health: (principal) => healthOf(this.#context, principal),
    };
    return openHttp(inside, this.#settings, { ...http, allowedHosts }, await playgroundIn(http));
  }

  /** Why `/readyz` answers 503, if it does. */
  async #unready(): Promise<string | undefined> {
    if (this.#isClosing) return "It is being closed.";
    return this.#context.accounts.hasRoom ? this.#storeCheck.problem() : SERVER_FULL;
  }

  /** Notes what is to be done on closing; gives back what makes it forgotten. */
  #closeBy(drain: Closer["drain"], rest: Omit<Closer, "drain"> = {}): () => void {
    const closer = { ...rest, drain };
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
  /** Closes what is still connected. */
  readonly end?: () => Promise<void>;
}

const tokensIn = (given: HttpOptions["tokens"]): Tokens | undefined => given && new Tokens(given);

/** A server as the program around it sees it: what it is given, and what it does. */

/** What it is told of HTTP holds for `listen`, `handler` and `router` alike, unless `listen` or `router` is told otherwise. */
export interface ServerOptions
  extends Definitions, HttpOptions, ServerSettingsInput, Pick<Identifying, "identify"> {}

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
  readonly open: AcceptConnection;
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

/** What a caller is told of a server's health, beside that it is well. */
function healthOf(
  { trust: suspicions, runs }: Pick<ServerContext, "trust" | "runs">,
  principal: string,
): { readonly suspicions?: readonly string[]; readonly inbox?: true } {
  const own = suspicions.reportedTo(principal);
  return {
    ...(own.length === 0 ? {} : { suspicions: own }),
    // A page that asked for one where there is none would be told of an error by its browser.
    ...(runs === undefined ? {} : { inbox: true }),
  };
}

/** The files of the playground, where it is asked for. */
async function playgroundIn({ playground }: HttpOptions): Promise<Playground | undefined> {
  if (playground !== true) return undefined;
  const { readPlayground } = await import("./app/playground.ts");
  return readPlayground();
}
