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
  const { host, origin } = request.headers;
  const hostName = host === undefined ? undefined : nameIn(`http://${host}`);
  if (hostName === undefined || !hosts.has(hostName)) return "This server is not reached by that Host.";
  if (origin === undefined || options.allowedOrigins?.includes(origin) === true) return undefined;
  const originName = nameIn(origin);
  return originName !== undefined && hosts.has(originName)
    ? undefined
    : "Pages of that Origin may not call this server.";
}

function nameIn(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
