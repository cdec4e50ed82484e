/**
 * Checks the Host and Origin of requests and upgrades, and sets the CORS headers.
 *
 *   1. The guard runs first: a page of a rejected origin gets no CORS headers.
 *   2. CORS headers are set on the server's own paths only, not on those of the app around it.
 *   3. Credentials are not allowed: a page authenticates with a token, never with a cookie.
 */
import type { IncomingMessage } from "node:http";
import { isLoopbackName } from "./hosts.ts";
import { baseOf } from "./authentication.ts";
import type { RequestHandler } from "express";

export interface GuardOptions {
  /** Host names of this server beside the loopback ones: `photon.example.com`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call the server and read its responses, beside those of this machine: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const REFUSED_ORIGIN = "Pages of that Origin may not call this server; add it to allowedOrigins.";

export class OriginGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #publicUrl: string | undefined;

  constructor({ allowedHosts = [], allowedOrigins = [] }: GuardOptions, publicUrl?: string) {
    this.#publicUrl = publicUrl;
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(allowedOrigins);
  }

  /** Why a request is rejected, if it is. Protects a server on this machine against DNS rebinding and pages of other sites. */
  rejectionFor({ headers: { host = "", origin } }: IncomingMessage): string | undefined {
    if (!this.#isOwnName(nameIn(host)))
      return `The Host ${JSON.stringify(host)} is not a name of this server; add it to allowedHosts.`;
    if (origin === undefined || this.allowsCors(origin) || this.#isOwnName(nameInOrigin(origin)))
      return undefined;
    return REFUSED_ORIGIN;
  }

  /**
   * Why an upgrade is rejected, if it is. CORS does not apply to WebSockets, so the origin must be allowed to read responses, or be
   * the server's own: scheme, host and port.
   */
  rejectionForUpgrade(request: IncomingMessage): string | undefined {
    const { origin } = request.headers;
    const rejection = this.rejectionFor(request);
    if (rejection !== undefined || origin === undefined || this.allowsCors(origin)) return rejection;
    return new URL(baseOf(request, "", this.#publicUrl)).origin === origin ? undefined : REFUSED_ORIGIN;
  }

  /**
   * Whether pages of an origin may read responses: origins of this machine, and those in `allowedOrigins`. Another port of a name in
   * `allowedHosts` is another origin, and may not.
   */
  allowsCors(origin: string): boolean {
    return this.#origins.has(origin) || isLoopbackName(nameInOrigin(origin));
  }

  #isOwnName(name: string): boolean {
    return isLoopbackName(name) || this.#hosts.has(name);
  }
}

/** The host name in a Host header; "" if it is malformed. */
function nameIn(host: string): string {
  const [, name = ""] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.exec(host) ?? [];
  return name.toLowerCase();
}

/** The host name in an Origin header; "" if it is not in the format of browsers. */
function nameInOrigin(origin: string): string {
  if (!URL.canParse(origin)) return "";
  const url = new URL(origin);
  return url.origin.toLowerCase() === origin.toLowerCase() ? url.hostname : "";
}

const EXPOSED_HEADERS = "Mcp-Session-Id, MCP-Protocol-Version";
const ALLOWED_HEADERS: readonly string[] = [
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
    // Also without an Origin: a cache must not give that response to a page.
    response.appendHeader("vary", "Origin");
    if (origin === undefined || !guard.allowsCors(origin)) return next();
    // The app around the server has set its own CORS headers.
    if (response.hasHeader("access-control-allow-origin")) return next();
    response.setHeader("access-control-allow-origin", origin);
    response.removeHeader("access-control-allow-credentials");
    response.appendHeader("access-control-expose-headers", EXPOSED_HEADERS);
    const { "access-control-request-method": method, "access-control-request-headers": names = "" } =
      request.headers;
    if (request.method !== "OPTIONS" || method === undefined) return next();
    response.appendHeader("vary", "Access-Control-Request-Headers");
    // The names of headers that carry parameters of a tool are the tool's.
    const params = names.split(",").filter((name) => /^\s*mcp-param-[\w!#$%&'*+.^`|~-]+\s*$/i.test(name));
    response.writeHead(204, {
      "access-control-allow-methods": methods,
      "access-control-allow-headers": [...ALLOWED_HEADERS, ...params.map((name) => name.trim())].join(", "),
    });
    response.end();
  };
}
