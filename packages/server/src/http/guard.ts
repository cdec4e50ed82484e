/** Who may talk to an HTTP server at all: looked at before anything else, for requests and upgrades alike. */
import type { IncomingMessage } from "node:http";

export interface GuardOptions {
  /** Names this server is reached by, beside the loopback ones: `photon.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call it, beside its own: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Why a request is refused, if it is. A page of another site must not reach a server on this machine. */
export function refusalOf(request: IncomingMessage, options: GuardOptions): string | undefined {
  const hosts = new Set([...LOOPBACK, ...(options.allowedHosts ?? [])]);
  const { host = "", origin } = request.headers;
  // A name and a port, and nothing that only looks like one.
  const [, hostName = ""] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.exec(host) ?? [];
  if (!hosts.has(hostName.toLowerCase())) {
    return `This server is not reached by the Host ${JSON.stringify(host)}; add it to allowedHosts.`;
  }
  if (origin === undefined || options.allowedOrigins?.includes(origin) === true) return undefined;
  return hosts.has(hostOf(origin) ?? "") ? undefined : "Pages of that Origin may not call this server.";
}

/** The name in an origin that is spelled as browsers spell it. */
function hostOf(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return url.origin.toLowerCase() === origin.toLowerCase() ? url.hostname : undefined;
}
