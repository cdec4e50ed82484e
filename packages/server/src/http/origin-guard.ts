/** Who may talk to an HTTP server at all: looked at before anything else, for requests and upgrades alike. */
import type { IncomingMessage } from "node:http";
import { isLoopbackName } from "./hosts.ts";
import { baseOf } from "./authentication.ts";
import type { RequestHandler } from "express";

export interface GuardOptions {
  /** Names this server is reached by, beside the loopback ones: `photon.example.com`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call it, and read what it answers, beside those of this machine: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const REFUSED_ORIGIN = "Pages of that Origin may not call this server; add it to allowedOrigins.";

export class OriginGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #publicUrl: string | undefined;
  /** The Host that was let in last: nearly every request has the same. */
  #known: string | undefined;

  constructor({ allowedHosts = [], allowedOrigins = [] }: GuardOptions, publicUrl?: string) {
    this.#publicUrl = publicUrl;
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(allowedOrigins);
  }

  /** Why a request is refused, if it is. A page of another site must not reach a server on this machine. */
  rejectionFor({ headers: { host = "", origin } }: IncomingMessage): string | undefined {
    if (host !== this.#known) {
      if (!this.#isReachedBy(nameIn(host)))
        return `This server is not reached by the Host ${JSON.stringify(host)}; add it to allowedHosts.`;
      this.#known = host;
    }
    if (origin === undefined || this.allowsCors(origin) || this.#isReachedBy(hostOf(origin)))
      return undefined;
    return REFUSED_ORIGIN;
  }

  /**
   * Why an upgrade is refused, if it is. Browsers let a page read every WebSocket that was accepted, so the page must be one
   * that may read answers, or be of this server's own origin: scheme, host and port.
   */
  refusalOfUpgrade(request: IncomingMessage): string | undefined {
    const { origin } = request.headers;
    const refusal = this.rejectionFor(request);
    if (refusal !== undefined || origin === undefined || this.allowsCors(origin)) return refusal;
    return new URL(baseOf(request, "", this.#publicUrl)).origin === origin ? undefined : REFUSED_ORIGIN;
  }

  /**
   * Whether pages of an origin may read responses (CORS): origins of this machine, and those in `allowedOrigins`. Another port
   * of a name in `allowedHosts` is another origin, and may not.
   */
  allowsCors(origin: string): boolean {
    return this.#origins.has(origin) || isLoopbackName(hostOf(origin));
  }

  #isReachedBy(name: string): boolean {
    return isLoopbackName(name) || this.#hosts.has(name);
  }
}

/** The name in a Host: a name and a port, and nothing that only looks like one. */
function nameIn(host: string): string {
  const [, name = ""] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.exec(host) ?? [];
  return name.toLowerCase();
}

/** The name in an origin that is spelled as browsers spell it; none in another. */
function hostOf(origin: string): string {
  if (!URL.canParse(origin)) return "";
  const url = new URL(origin);
  return url.origin.toLowerCase() === origin.toLowerCase() ? url.hostname : "";
}

/**
 * CORS headers for the origins that the guard allows.
 *
 *   1. The guard runs first: a rejected page gets no CORS headers.
 *   2. The headers are set on our own paths only, not on those of the app around them.
 *   3. No credentials are allowed: a token authenticates a page, never a cookie.
 */

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

export function cors(guard: OriginGuard, methods: string): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    // Also where there is no origin: a cache must not give that answer to a page.
    response.appendHeader("vary", "Origin");
    if (origin === undefined || !guard.allowsCors(origin)) return next();
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
