/**
 * Everything a server offers over HTTP, as an express router: `/mcp`, `/sse` with
 * `/messages`, `/healthz`. It mounts in anybody's app.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Router, type NextFunction, type Request, type Response } from "express";
import { errorResponse, FULL, rpcErrorOf } from "../rpc/errors.ts";
import type { Open } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { answerJson, refuse, refuseForNow } from "../transports/http-answers.ts";
import { serveSse } from "../transports/sse.ts";
import { serveStreamableHttp } from "../transports/streamable-http.ts";
import { serveWebSocket } from "../transports/websocket.ts";
import { cors } from "./cors.ts";
import { Guard, type GuardOptions } from "./guard.ts";
import { hangUp } from "./hang-up.ts";

export type HttpTransport = "http" | "sse" | "websocket";

export interface HttpOptions extends GuardOptions {
  /** Which ways in there are: all, without this. */
  readonly transports?: readonly HttpTransport[] | undefined;
}

export interface HttpDoor {
  readonly router: Router;
  /** Takes over a connection that asked to become a WebSocket; refuses it where there is none. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

export function openHttp(
  open: Open,
  settings: Settings,
  options: HttpOptions,
  hasRoom: () => boolean,
): HttpDoor {
  const { transports = ["http", "sse", "websocket"] } = options;
  let isClosed = false;
  // Whoever comes while the door closes would not be seen out.
  const letsIn = (): boolean => !isClosed && hasRoom();
  const http = serveStreamableHttp(open, settings, letsIn);
  const sse = serveSse(open, settings);
  const sockets = serveWebSocket(open, settings);
  const guard = new Guard(options);
  const router = Router();

  router.use((request: Request, response: Response, next: NextFunction) => {
    const refusal = guard.refusalOf(request);
    if (refusal === undefined) next();
    else refuse(response, 403, refusal);
  });
  if (transports.includes("http")) {
    router.all("/mcp", cors(guard, "GET, POST, DELETE"), (request, response) =>
      http.handle(request, response),
    );
  }
  if (transports.includes("sse")) {
    router.all("/sse", cors(guard, "GET"));
    router.all("/messages", cors(guard, "POST"));
    // A stream that is only looked at would never end.
    router.head("/sse", (_, response) => refuse(response, 405, "There is GET.", { allow: "GET" }));
    router.get("/sse", (request, response) => {
      if (letsIn()) sse.get(request, response, `${request.baseUrl}/messages`);
      else refuseForNow(response);
    });
    router.post("/messages", (request, response) => sse.post(request, response, sessionIn(request)));
  }
  router.get("/healthz", (_, response) => answerJson(response, 200, { status: "ok" }));
  router.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    // Somebody else's parser has found something wrong: theirs to tell.
    if (isHttpError(error)) return next(error);
    answerJson(response, 500, errorResponse(undefined, rpcErrorOf(error, settings.report)));
  });

  return {
    router,
    upgrade(request, socket, head) {
      const refusal = guard.refusalOf(request);
      if (refusal !== undefined) return hangUp(socket, "403 Forbidden", refusal);
      if (!transports.includes("websocket")) return hangUp(socket, "404 Not Found");
      if (!letsIn()) return hangUp(socket, "503 Service Unavailable", FULL);
      sockets.upgrade(request, socket, head);
    },
    async close() {
      isClosed = true;
      await Promise.all([http.close(), sse.close(), sockets.close()]);
    },
  };
}

function sessionIn(request: Request): string {
  // Not `request.query`, which only an express app has.
  const { searchParams } = new URL(request.url, "http://localhost");
  return searchParams.get("sessionId") ?? "";
}

function isHttpError(error: unknown): boolean {
  return error instanceof Error && "status" in error;
}
