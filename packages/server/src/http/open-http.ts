/**
 * Everything a server offers over HTTP, as an express router: `/mcp`, `/sse` with
 * `/messages`, `/healthz`. It mounts in anybody's app.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Router, type NextFunction, type Request, type Response } from "express";
import { errorResponse, FULL, rpcErrorOf } from "../rpc/errors.ts";
import type { Inside } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { answerJson, refuse, refuseForNow } from "../transports/http-answers.ts";
import { serveSse } from "../transports/sse.ts";
import { serveStreamableHttp } from "../transports/streamable-http.ts";
import { serveWebSocket } from "../transports/websocket.ts";
import { cors } from "./cors.ts";
import { Guard, type GuardOptions } from "./guard.ts";
import { hangUp } from "./hang-up.ts";
import {
  baseOf,
  challengeOf,
  METADATA_PATH,
  metadataOf,
  refuseUnchecked,
  type ProtectedResource,
} from "./protected-resource.ts";
import { Tokens } from "./tokens.ts";

export type HttpTransport = "http" | "sse" | "websocket";

export interface HttpOptions extends GuardOptions {
  /** Which ways in there are: all, without this. */
  readonly transports?: readonly HttpTransport[] | undefined;
  /**
   * Who sent a request, by a name that is the same every time; nobody: it is refused. Sessions and calls belong to whoever
   * began them. Without this, everybody is the same somebody.
   */
  readonly authenticate?: Authenticate | undefined;
  /** The same by bearer tokens, by the names of those who have them. `authenticate` is asked first. */
  readonly tokens?: { readonly [principal: string]: string } | undefined;
  /** Where tokens come from, where an OAuth server gives them out; `authenticate` looks at them. */
  readonly oauth?: ProtectedResource | undefined;
}

const WHO = "Say who you are.";

type Authenticate = (request: IncomingMessage) => string | undefined | Promise<string | undefined>;

export interface HttpDoor {
  readonly router: Router;
  /** Takes over a connection that asked to become a WebSocket; refuses it where there is none. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

export function openHttp(inside: Inside, settings: Settings, options: HttpOptions): HttpDoor {
  refuseUnchecked(options);
  const { transports = ["http", "sse", "websocket"] } = options;
  const authenticate = authenticatorFor(options);
  const whoSent = async (request: IncomingMessage): Promise<string | undefined> => authenticate(request);
  let isClosed = false;
  // Whoever comes while the door closes would not be seen out.
  const letsIn = (): boolean => !isClosed && inside.hasRoom();
  const http = serveStreamableHttp({ ...inside, hasRoom: letsIn }, settings);
  const sse = serveSse(inside.open, settings);
  const sockets = serveWebSocket(inside.open, settings);
  const guard = new Guard(options);
  const router = Router();

  /** How somebody can say who they are. */
  const challengeTo = (
    request: IncomingMessage,
    mountedAt: string,
  ): { readonly "www-authenticate": string } => ({
    "www-authenticate": challengeOf(options.oauth, baseOf(request, mountedAt, settings.publicUrl)),
  });

  /** Goes on once it is known who sent a request. */
  async function knowing(
    request: Request,
    response: Response,
    goOn: (principal: string) => void | Promise<void>,
  ): Promise<void> {
    const principal = await authenticate(request);
    if (principal !== undefined) return goOn(principal);
    refuse(response, 401, WHO, challengeTo(request, request.baseUrl));
  }

  /** That the server is well, anybody may know, even where nobody can be told from another. */
  async function tellHealth(request: Request, response: Response): Promise<void> {
    const principal = await whoSent(request).catch(settings.report);
    const health = principal === undefined ? {} : inside.health?.(principal);
    answerJson(response, 200, { status: "ok", ...health });
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const principal = await authenticate(request);
    if (principal === undefined) {
      // Not in a router, which would know: sockets are taken where `/mcp` is.
      const mountedAt = pathOf(request).replace(/\/mcp$/, "");
      return hangUp(socket, "401 Unauthorized", WHO, challengeTo(request, mountedAt));
    }
    if (!letsIn()) return hangUp(socket, "503 Service Unavailable", FULL);
    sockets.upgrade(request, socket, head, principal);
  }

  router.use((request: Request, response: Response, next: NextFunction) => {
    const refusal = guard.refusalOf(request);
    if (refusal === undefined) next();
    else refuse(response, 403, refusal);
  });
  if (transports.includes("http")) {
    router.all("/mcp", cors(guard, "GET, POST, DELETE"), (request, response) =>
      knowing(request, response, (principal) => http.handle(request, response, principal)),
    );
  }
  if (transports.includes("sse")) {
    router.all("/sse", cors(guard, "GET"));
    router.all("/messages", cors(guard, "POST"));
    // A stream that is only looked at would never end.
    router.head("/sse", (_, response) => refuse(response, 405, "There is GET.", { allow: "GET" }));
    router.get("/sse", (request, response) =>
      knowing(request, response, (principal) => {
        if (letsIn()) sse.get(response, `${request.baseUrl}/messages`, principal);
        else refuseForNow(response);
      }),
    );
    router.post("/messages", (request, response) =>
      knowing(request, response, (principal) => sse.post(request, response, sessionIn(request), principal)),
    );
  }
  router.use(
    "/ask",
    (request, response) =>
      inside.page?.(request, response) ?? refuse(response, 404, "There are no pages here."),
  );
  const { oauth } = options;
  if (oauth !== undefined) {
    router.get([METADATA_PATH, `${METADATA_PATH}/mcp`], (request, response) =>
      answerJson(response, 200, metadataOf(oauth, baseOf(request, request.baseUrl, settings.publicUrl))),
    );
  }
  router.get("/healthz", (request, response) => tellHealth(request, response));
  // What went wrong before this router was reached does not come here: express leaves it to the app.
  router.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    const problem = rpcErrorOf(error, settings.report);
    // An answer that has begun is broken off, without a word.
    if (response.headersSent) next(problem);
    else answerJson(response, 500, errorResponse(undefined, problem));
  });

  return {
    router,
    upgrade(request, socket, head) {
      const refusal = guard.refusalOf(request);
      if (refusal !== undefined) return hangUp(socket, "403 Forbidden", refusal);
      if (!transports.includes("websocket")) return hangUp(socket, "404 Not Found");
      upgrade(request, socket, head).catch((error: unknown) => {
        settings.report(error);
        hangUp(socket, "500 Internal Server Error");
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([http.close(), sse.close(), sockets.close()]);
    },
  };
}

/** Who sent a request, as it was said how to know that; everybody is the same somebody where nothing was. */
function authenticatorFor({ authenticate, tokens }: HttpOptions): Authenticate {
  if (tokens === undefined) return authenticate ?? (() => "");
  const known = new Tokens(tokens);
  return async (request) => (await authenticate?.(request)) ?? known.bearerOf(request);
}

function sessionIn(request: Request): string {
  // Not `request.query`, which only an express app has.
  const { searchParams } = new URL(request.url, "http://localhost");
  return searchParams.get("sessionId") ?? "";
}

const pathOf = ({ url = "" }: IncomingMessage): string => new URL(url, "http://localhost").pathname;
