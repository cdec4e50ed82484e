/**
 * Lets pages of origins that the guard shares with call from a browser, and read what they are answered.
 *
 *   1. The guard comes first: a page that it refuses is told nothing here.
 *   2. It goes on our own paths, one by one: the app around them shares what it wants to.
 *   3. No credentials: what lets a page in is what it knows, and never a cookie.
 */
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Guard } from "./guard.ts";

const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version";
const ALLOWED: readonly string[] = [
  "content-type",
  "accept",
  "authorization",
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "last-event-id",
];

export function cors(guard: Guard, methods: string): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    // Also where there is no origin: a cache must not give that answer to a page.
    response.appendHeader("vary", "Origin");
    if (origin === undefined || !guard.sharesWith(origin)) return next();
    // The app has said who may read.
    if (response.hasHeader("access-control-allow-origin")) return next();
    response.setHeader("access-control-allow-origin", origin);
    response.removeHeader("access-control-allow-credentials");
    response.appendHeader("access-control-expose-headers", EXPOSED);
    if (!isPreflight(request)) return next();
    response.appendHeader("vary", "Access-Control-Request-Headers");
    response.writeHead(204, {
      "access-control-allow-methods": methods,
      "access-control-allow-headers": [...ALLOWED, ...paramsIn(request)].join(", "),
    });
    response.end();
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** The headers that carry parameters of a tool, of those that a page would like to send. Their names are the tool's. */
function paramsIn({ headers }: IncomingMessage): readonly string[] {
  const asked = headers["access-control-request-headers"] ?? "";
  return asked.split(",").flatMap((name) => /^\s*(mcp-param-[\w!#$%&'*+.^`|~-]+)\s*$/i.exec(name)?.[1] ?? []);
}
