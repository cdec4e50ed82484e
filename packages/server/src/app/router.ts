/**
 * The HTTP app: `/mcp`, `/sse` with `/messages`, `/ask`, `/inbox`, `/healthz`, `/readyz`, the playground.
 *
 *   1. Every request passes the checks of Host and Origin first, then authentication.
 *   2. POST to `/mcp` and `/messages`, nearly every request, is answered without Express (`createFastPath`), with the same checks.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type Request, type RequestHandler, Router } from "express";
import { errorResponse, asRetryable, toRpcError } from "../jsonrpc/errors.ts";
import { type Account, type Accounts, type Refusal, serverClosed } from "../accounts.ts";
import type { Settings } from "../settings.ts";
import { sendJson, rejectUpgrade, sendError, sendUnavailable } from "../http/responses.ts";
import { serveSse, type SseTransport } from "../transports/sse.ts";
import { StreamableHttpTransport } from "../transports/streamable-http.ts";
import type { AcceptConnection } from "../connection.ts";
import type { Connections } from "../sessions/connections.ts";
import type { Inbox } from "../durable/inbox.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { serveWebSocket } from "../transports/websocket.ts";
import {
  type AuthenticationOptions,
  baseOf,
  Authenticator,
  METADATA_PATH,
  metadataOf,
  pathOf,
  type ProtectedResource,
  assertTokensChecked,
} from "../http/authentication.ts";
import { cors, OriginGuard, type GuardOptions } from "../http/origin-guard.ts";
import { inboxHandler } from "./inbox-api.ts";
import type { Playground } from "./playground.ts";

/** The transports of an HTTP port. */
export type HttpTransport = "http" | "sse" | "websocket";

/** How a server is reached over HTTP, and who may call it. */
export interface HttpOptions extends GuardOptions, AuthenticationOptions {
  /** Which transports are served: all, without this. */
  readonly transports?: readonly HttpTransport[] | undefined;
  /** Serves the playground at `/`. Needs the package `@photon/playground`. */
  readonly playground?: boolean | undefined;
}

export interface HttpApp {
  readonly router: Router;
  /** Answers a request without the router, if it can; returns whether it does. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** Accepts or refuses a WebSocket upgrade. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  close(): Promise<void>;
}

/** What the routes need of the server. */
export interface ServerEntryPoints {
  /** Opens a connection: SSE, WebSocket. */
  readonly accept: AcceptConnection;
  readonly accounts: Accounts;
  /** Streamable HTTP; SDK servers have their own. */
  readonly connections?: Connections;
  readonly health?: (principal: string) => JsonObject;
  /** Why `/readyz` answers 503 for a reason other than the store, if it does. `/readyz` needs no authentication. */
  readonly readinessProblem?: () => string | undefined;
  /** Answers a request for a page under `/ask`. */
  readonly page?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Set when there is a store. */
  readonly inbox?: Inbox | undefined;
}

/** What the routes and the fast path share. */
interface AppParts {
  readonly entryPoints: ServerEntryPoints;
  readonly settings: Settings;
  readonly guard: OriginGuard;
  readonly authenticator: Authenticator;
  readonly http: StreamableHttpTransport | undefined;
  readonly sse: SseTransport | undefined;
  readonly hasWebSocket: boolean;
  /** Why a client cannot open a session, if it cannot. */
  readonly refusalFor: (account: Account) => Refusal | undefined;
}

export function createHttpApp(
  entryPoints: ServerEntryPoints,
  settings: Settings,
  options: HttpOptions,
  playground?: Playground,
): HttpApp {
  assertTokensChecked(options);
  const { transports = ["http", "sse", "websocket"] } = options;
  const { accounts, accept, connections } = entryPoints;
  const guard = new OriginGuard(options, settings.publicUrl);
  const authenticator = new Authenticator(options, settings.publicUrl);
  let isClosed = false;
  const refusalFor = (account: Account): Refusal | undefined =>
    isClosed ? serverClosed() : account.refusalOf("sessions");
  const http =
    connections && transports.includes("http")
      ? new StreamableHttpTransport(connections, settings)
      : undefined;
  const sse = transports.includes("sse") ? serveSse(accept, settings) : undefined;
  const webSocket = transports.includes("websocket") ? serveWebSocket(accept, settings) : undefined;
  const hasWebSocket = webSocket !== undefined;
  const parts = { entryPoints, settings, guard, authenticator, http, sse, hasWebSocket, refusalFor };

  return {
    router: createRouter(parts, options.oauth, playground),
    answer: createFastPath(parts),
    upgrade(request, socket, head) {
      const refusal = guard.rejectionForUpgrade(request);
      if (refusal !== undefined) return rejectUpgrade(socket, "403 Forbidden", refusal);
      if (webSocket === undefined) return rejectUpgrade(socket, "404 Not Found");
      const upgrade = async (): Promise<void> => {
        const principal = await authenticator.authenticateUpgrade(request, socket);
        if (principal === undefined) return;
        const account = accounts.of(principal, request.socket.remoteAddress);
        const full = refusalFor(account);
        if (full === undefined) return webSocket.upgrade(request, socket, head, principal, account);
        rejectUpgrade(socket, `${full.status} ${STATUS_CODES[full.status]}`, full.error.message);
      };
      upgrade().catch((error: unknown) => {
        settings.report(error);
        rejectUpgrade(socket, "500 Internal Server Error");
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([http?.close(), sse?.close(), webSocket?.close()]);
    },
  };
}

function createRouter(
  { entryPoints, settings, guard, authenticator, http, sse, hasWebSocket, refusalFor }: AppParts,
  oauth: ProtectedResource | undefined,
  playground: Playground | undefined,
): Router {
  const { accounts, inbox, page } = entryPoints;
  const authenticated =
    (
      handle: (request: Request, response: ServerResponse, principal: string) => void | Promise<void>,
    ): RequestHandler =>
    (request, response) =>
      authenticator.withPrincipal(request, response, (principal) => handle(request, response, principal));

  const router = Router();
  router.use((request, response, next) => {
    const refusal = guard.rejectionFor(request);
    if (refusal === undefined) next();
    else sendError(response, 403, refusal);
  });
  if (http !== undefined)
    router.all(
      "/mcp",
      cors(guard, "GET, POST, DELETE"),
      authenticated((request, response, principal) => http.handle(request, response, principal)),
    );
  else if (hasWebSocket)
    router.all("/mcp", (_, response) =>
      sendError(response, 426, "This server speaks MCP over WebSocket at this address.", {
        upgrade: "websocket",
      }),
    );
  if (sse !== undefined) {
    router.all("/sse", cors(guard, "GET"));
    router.all("/messages", cors(guard, "POST"));
    // The stream of a HEAD request would never end.
    router.head("/sse", (_, response) => sendError(response, 405, "This URL accepts GET.", { allow: "GET" }));
    router.get(
      "/sse",
      authenticated((request, response, principal) => {
        const account = accounts.of(principal, request.socket.remoteAddress);
        const refusal = refusalFor(account);
        if (refusal !== undefined) return sendUnavailable(response, refusal);
        sse.get(response, `${request.baseUrl}/messages`, principal, account);
      }),
    );
    router.post(
      "/messages",
      authenticated((request, response, principal) =>
        sse.post(request, response, sessionIn(request), principal),
      ),
    );
  }
  router.use(
    "/ask",
    (request, response) => page?.(request, response) ?? sendError(response, 404, "There are no pages here."),
  );
  router.use(
    "/inbox",
    cors(guard, "GET, POST"),
    authenticated(inboxHandler(inbox, { ...settings, accounts })),
  );
  if (oauth !== undefined)
    router.get([METADATA_PATH, `${METADATA_PATH}/mcp`], (request, response) =>
      sendJson(response, 200, metadataOf(oauth, baseOf(request, request.baseUrl, settings.publicUrl))),
    );
  router.get("/healthz", healthHandler(entryPoints, authenticator, settings));
  router.get("/readyz", readinessHandler(entryPoints, settings));
  if (playground !== undefined) router.get(/.*/, servePlayground(playground));
  // Express knows error handlers by their four parameters.
  router.use((error: unknown, _: Request, response: ServerResponse, __: unknown) =>
    sendFailure(error, response, settings),
  );
  return router;
}

/** `status` needs no authentication. */
const healthHandler =
  ({ health }: ServerEntryPoints, authenticator: Authenticator, { report }: Settings): RequestHandler =>
  async (request, response) => {
    const principal = await authenticator.authenticate(request).catch(report);
    const details = principal === undefined ? {} : health?.(principal);
    sendJson(response, 200, { status: "ok", ...details });
  };

/** Whether a load balancer should send requests to this process now. */
function readinessHandler({ readinessProblem }: ServerEntryPoints, settings: Settings): RequestHandler {
  const storeProblem = createStoreCheck(settings);
  return async (_, response) => {
    const problem = readinessProblem?.() ?? (await storeProblem());
    if (problem === undefined) sendJson(response, 200, { status: "ready" });
    else sendJson(response, 503, { status: "not ready", problem });
  };
}

/** How long the result of a store check is reused: a check writes to the store, and `/readyz` needs no authentication. */
const STORE_CHECK_REUSE_MS = 1000;

/** Returns why the store cannot be used, if it cannot. */
function createStoreCheck({ store, clock, report }: Settings): () => Promise<string | undefined> {
  let result: Promise<string | undefined> | undefined;
  let checkedAt = 0;
  const check = async (): Promise<string | undefined> => {
    try {
      await store?.ping();
      return undefined;
    } catch (error) {
      // The reason goes to the log alone: it may name hosts and paths.
      report(error);
      return "Its store cannot be used.";
    }
  };
  return () => {
    const now = clock.now();
    const age = now - checkedAt;
    // Negative after the wall clock was set back.
    if (result === undefined || age < 0 || age >= STORE_CHECK_REUSE_MS) {
      checkedAt = now;
      result = check();
    }
    return result;
  };
}

/** As the `endpoint` event spells it. */
const MESSAGES = "/messages?sessionId=";

/** Answers POST without Express. Requests with an Origin come from browsers and need CORS, so the router answers them. */
function createFastPath({ http, sse, guard, authenticator, settings }: AppParts): HttpApp["answer"] {
  type Handle = (principal: string) => Promise<void>;
  const handlerFor = (request: IncomingMessage, response: ServerResponse): Handle | undefined => {
    const { url = "" } = request;
    if (url === "/mcp" && http !== undefined) return (principal) => http.handle(request, response, principal);
    if (!url.startsWith(MESSAGES) || sse === undefined) return undefined;
    const session = url.slice(MESSAGES.length);
    // The router parses any other query.
    return /^[\w-]+$/.test(session)
      ? (principal) => sse.post(request, response, session, principal)
      : undefined;
  };
  return (request, response) => {
    if (request.method !== "POST" || request.headers.origin !== undefined) return false;
    const handle = handlerFor(request, response);
    if (handle === undefined) return false;
    const refusal = guard.rejectionFor(request);
    if (refusal !== undefined) sendError(response, 403, refusal);
    else
      authenticator
        .withPrincipal(request, response, handle)
        .catch((error: unknown) => sendFailure(error, response, settings));
    return true;
  };
}

function sendFailure(error: unknown, response: ServerResponse, { report }: Settings): void {
  // With an unavailable store the request may be sent again later.
  const retryable = asRetryable(error);
  const problem = toRpcError(retryable ?? error, report);
  // A response that has begun is aborted.
  if (response.headersSent) response.destroy();
  else sendJson(response, retryable === undefined ? 500 : 503, errorResponse(undefined, problem));
}

function servePlayground(playground: Playground): RequestHandler {
  return (request, response, next) => {
    // The page loads its files by relative URLs, so its own URL ends in a slash.
    if (request.path === "/" && !pathOf({ url: request.originalUrl }).endsWith("/"))
      return response.redirect(308, `${request.baseUrl}/`);
    if (!playground(request.path, request, response)) next();
  };
}

function sessionIn(request: Request): string {
  // `request.query` exists only in an Express app.
  const { searchParams } = new URL(request.url, "http://localhost");
  return searchParams.get("sessionId") ?? "";
}
