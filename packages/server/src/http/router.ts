/**
 * Everything a server offers over HTTP, as an express router: `/mcp`, `/sse` with
 * `/messages`, `/healthz`. It mounts in anybody's app.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Router, type NextFunction, type Request, type Response } from "express";
import type { Open } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { serveSse } from "../transports/sse.ts";
import { serveStreamableHttp } from "../transports/streamable-http.ts";
import { serveWebSocket } from "../transports/websocket.ts";
import { answerJson, refuse } from "./answers.ts";
import { refusalOf, type GuardOptions } from "./guard.ts";

export type HttpTransport = "http" | "sse" | "websocket";

export interface HttpOptions extends GuardOptions {
  /** Which ways in there are: all, without this. */
  readonly transports?: readonly HttpTransport[];
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
  const http = serveStreamableHttp(open, settings);
  const sse = serveSse(open, settings);
  const sockets = serveWebSocket(open, settings);
  const router = Router();

  router.use((request: Request, response: Response, next: NextFunction) => {
    const refusal = refusalOf(request, options);
    if (refusal === undefined) next();
    else refuse(response, 403, refusal);
  });
  const whereThereIsRoom = (_: Request, response: Response, next: NextFunction): void => {
    if (hasRoom()) next();
    else
      refuse(response, 503, "This server has as many sessions as it takes; come back later.", {
        "retry-after": "10",
      });
  };
  if (transports.includes("http")) {
    router.post("/mcp", (request, response, next) => {
      // A session that is there already takes no more room.
      if (request.headers["mcp-session-id"] === undefined) whereThereIsRoom(request, response, next);
      else next();
    });
    router.all("/mcp", (request, response) => http.handle(request, response));
  }
  if (transports.includes("sse")) {
    router.get("/sse", whereThereIsRoom, (request, response) =>
      sse.get(request, response, `${request.baseUrl}/messages`),
    );
    router.post("/messages", (request, response) => sse.post(request, response, sessionIn(request)));
  }
  router.get("/healthz", (_, response) => answerJson(response, 200, { status: "ok" }));

  return {
    router,
    upgrade(request, socket, head) {
      const refusal = refusalOf(request, options);
      if (refusal !== undefined) return hangUp(socket, "403 Forbidden");
      if (!transports.includes("websocket")) return hangUp(socket, "404 Not Found");
      if (!hasRoom()) return hangUp(socket, "503 Service Unavailable");
      sockets.upgrade(request, socket, head);
    },
    async close() {
      await Promise.all([http.close(), sse.close(), sockets.close()]);
    },
  };
}

function sessionIn(request: Request): string {
  const session = request.query["sessionId"];
  return typeof session === "string" ? session : "";
}

function hangUp(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
