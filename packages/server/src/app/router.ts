/** The Express router: `/mcp`, `/sse` with `/messages`, `/ask`, `/inbox`, `/healthz`, `/readyz`, the playground. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from "express";
import {
  errorResponse,
  SERVER_FULL,
  asRetryable,
  OVER_LIMIT,
  RpcError,
  toRpcError,
} from "../jsonrpc/errors.ts";
import type { Account, Accounts, Refusal } from "../accounts.ts";
import type { Settings } from "../settings.ts";
import { sendJson, rejectUpgrade, sendError, sendUnavailable } from "../http/responses.ts";
import { serveSse, type SseTransport } from "../transports/sse.ts";
import {
  type StreamableHttpTransport,
  serveStreamableHttp,
  type StreamableHttpEntryPoints,
} from "../transports/streamable-http.ts";
import type { AcceptConnection } from "../connection.ts";
import type { Inbox } from "../durable/inbox.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { serveWebSocket } from "../transports/websocket.ts";
import {
  type Authenticate,
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
import { createFastPath, type FastPath } from "./fast-path.ts";

export type HttpTransport = "http" | "sse" | "websocket";

export interface HttpOptions extends GuardOptions {
  /** Which transports are served: all, without this. */
  readonly transports?: readonly HttpTransport[] | undefined;
  /** The principal of a request; `undefined` refuses it. Sessions and calls belong to the principal that began them. Without this, all are "". */
  readonly authenticate?: Authenticate | undefined;
  /** The same with bearer tokens, by principal. `authenticate` is called first. */
  readonly tokens?: { readonly [principal: string]: string } | undefined;
  /** Serves the playground at `/`. Needs the package `@photon/playground`. */
  readonly playground?: boolean | undefined;
  /** The OAuth server that issues tokens; `authenticate` checks them. */
  readonly oauth?: ProtectedResource | undefined;
}

export interface HttpApp {
  readonly router: Router;
  /** Answers a request without the router, if it can; returns whether it does. */
  readonly answer: FastPath;
  /** Accepts or refuses a WebSocket upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

/** What the routes need of the server. */
export interface ServerEntryPoints {
  /** Opens a connection: SSE, WebSocket. */
  readonly accept: AcceptConnection;
  readonly accounts: Accounts;
  /** Streamable HTTP; SDK servers have their own. */
  readonly streamableHttp?: Omit<StreamableHttpEntryPoints, "accounts">;
  readonly health?: (principal: string) => JsonObject;
  /** Why `/readyz` answers 503, if it does; anyone may read it. */
  readonly readinessProblem?: () => Promise<string | undefined>;
  /** Answers a request for a page under `/ask`. */
  readonly page?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Set when there is a store. */
  readonly inbox?: Inbox | undefined;
}

export function createHttpApp(
  inside: ServerEntryPoints,
  settings: Settings,
  options: HttpOptions,
  playground?: Playground,
): HttpApp {
  assertTokensChecked(options);
  const { transports = ["http", "sse", "websocket"] } = options;
  const guard = new OriginGuard(options, settings.publicUrl);
  const authenticator = new Authenticator(options, settings.publicUrl);
  let isClosed = false;
  const { accounts, accept, streamableHttp } = inside;
  const refusalFor = (account: Account): Refusal | undefined =>
    isClosed ? { error: new RpcError(OVER_LIMIT, SERVER_FULL), status: 503 } : account.sessionRefusal();
  const http =
    streamableHttp && transports.includes("http")
      ? serveStreamableHttp({ ...streamableHttp, accounts }, settings)
      : undefined;
  const sse = transports.includes("sse") ? serveSse(accept, settings) : undefined;
  const sockets = transports.includes("websocket") ? serveWebSocket(accept, settings) : undefined;

  const router = Router();
  router.use(guarded(guard));
  if (http !== undefined) routeMcp(router, http, { guard, authenticator });
  if (sse !== undefined) routeSse(router, sse, { guard, authenticator, accounts, refusalFor });
  router.use("/ask", pagesOf(inside));
  routeInbox(router, inside, settings, { guard, authenticator });
  routeMetadata(router, options.oauth, settings.publicUrl);
  router.get("/healthz", healthHandler(inside, authenticator, settings));
  router.get("/readyz", readinessOf(inside));
  if (playground !== undefined) router.get(/.*/, servePlayground(playground));
  router.use(errorHandler(settings));

  return {
    router,
    answer: createFastPath({ http, sse, guard, authenticator, sendFailure: failureSender(settings) }),
    upgrade(request, socket, head) {
      const refusal = guard.refusalOfUpgrade(request);
      if (refusal !== undefined) return rejectUpgrade(socket, "403 Forbidden", refusal);
      if (sockets === undefined) return rejectUpgrade(socket, "404 Not Found");
      const take = async (): Promise<void> => {
        const principal = await authenticator.authenticateUpgrade(request, socket);
        if (principal === undefined) return;
        const account = accounts.of(principal, request.socket.remoteAddress);
        const full = refusalFor(account);
        if (full !== undefined) return rejectUpgrade(socket, statusLineOf(full), full.error.message);
        sockets.upgrade(request, socket, head, principal, account);
      };
      take().catch((error: unknown) => {
        settings.report(error);
        rejectUpgrade(socket, "500 Internal Server Error");
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([http?.close(), sse?.close(), sockets?.close()]);
    },
  };
}

const statusLineOf = ({ status }: Refusal): string => `${status} ${STATUS_CODES[status]}`;

function guarded(guard: OriginGuard): RequestHandler {
  return (request, response, next) => {
    const refusal = guard.rejectionFor(request);
    if (refusal === undefined) next();
    else sendError(response, 403, refusal);
  };
}

interface RequestGuards {
  readonly guard: OriginGuard;
  readonly authenticator: Authenticator;
}

function routeMcp(
  router: Router,
  http: StreamableHttpTransport,
  { guard, authenticator }: RequestGuards,
): void {
  router.all("/mcp", cors(guard, "GET, POST, DELETE"), (request, response) =>
    authenticator.withPrincipal(request, response, (principal) => http.handle(request, response, principal)),
  );
}

function routeSse(
  router: Router,
  sse: SseTransport,
  {
    guard,
    authenticator,
    accounts,
    refusalFor,
  }: RequestGuards & {
    readonly accounts: Accounts;
    readonly refusalFor: (account: Account) => Refusal | undefined;
  },
): void {
  router.all("/sse", cors(guard, "GET"));
  router.all("/messages", cors(guard, "POST"));
  // The stream of a HEAD request would never end.
  router.head("/sse", (_, response) => sendError(response, 405, "There is GET.", { allow: "GET" }));
  router.get("/sse", (request, response) =>
    authenticator.withPrincipal(request, response, (principal) => {
      const account = accounts.of(principal, request.socket.remoteAddress);
      const refusal = refusalFor(account);
      if (refusal !== undefined) return sendUnavailable(response, refusal);
      sse.get(response, `${request.baseUrl}/messages`, principal, account);
    }),
  );
  router.post("/messages", (request, response) =>
    authenticator.withPrincipal(request, response, (principal) =>
      sse.post(request, response, sessionIn(request), principal),
    ),
  );
}

function routeInbox(
  router: Router,
  { inbox, accounts }: ServerEntryPoints,
  settings: Settings,
  { guard, authenticator }: RequestGuards,
): void {
  const answer = inboxHandler(inbox, { ...settings, accounts });
  router.use("/inbox", cors(guard, "GET, POST"), (request, response) =>
    authenticator.withPrincipal(request, response, (principal) => answer(request, response, principal)),
  );
}

const pagesOf =
  ({ page }: ServerEntryPoints): RequestHandler =>
  (request, response) =>
    page?.(request, response) ?? sendError(response, 404, "There are no pages here.");

function routeMetadata(
  router: Router,
  oauth: ProtectedResource | undefined,
  publicUrl: string | undefined,
): void {
  if (oauth === undefined) return;
  router.get([METADATA_PATH, `${METADATA_PATH}/mcp`], (request, response) =>
    sendJson(response, 200, metadataOf(oauth, baseOf(request, request.baseUrl, publicUrl))),
  );
}

/** `status` needs no authentication. */
function healthHandler(
  inside: ServerEntryPoints,
  authenticator: Authenticator,
  { report }: Settings,
): RequestHandler {
  return async (request, response) => {
    const principal = await authenticator.authenticate(request).catch(report);
    const health = principal === undefined ? {} : inside.health?.(principal);
    sendJson(response, 200, { status: "ok", ...health });
  };
}

function errorHandler(settings: Settings): ErrorRequestHandler {
  const fail = failureSender(settings);
  return (error: unknown, _, response, __) => fail(error, response);
}

function failureSender({ report }: Settings): (error: unknown, response: ServerResponse) => void {
  return (error, response) => {
    // With an unavailable store the request may be sent again later.
    const interruption = asRetryable(error);
    const problem = toRpcError(interruption ?? error, report);
    // A response that has begun is aborted.
    if (response.headersSent) response.destroy();
    else sendJson(response, interruption === undefined ? 500 : 503, errorResponse(undefined, problem));
  };
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

/** Whether a load balancer should send requests to this process now. */
const readinessOf =
  ({ readinessProblem: unready }: Pick<ServerEntryPoints, "readinessProblem">): RequestHandler =>
  async (_, response) => {
    const problem = await unready?.();
    if (problem === undefined) sendJson(response, 200, { status: "ready" });
    else sendJson(response, 503, { status: "not ready", problem });
  };
