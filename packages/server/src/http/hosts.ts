/** Loopback, wildcard and display hosts, for listening, CORS and the addresses of pages. Pure. */
import { isIPv4, isIPv6 } from "node:net";

/** Whether a host name is loopback. `name`: as `URL.hostname` formats it. */
export const isLoopbackName = (name: string): boolean =>
  name === "localhost" || name === "[::1]" || (isIPv4(name) && name.startsWith("127."));

/** Whether a host is loopback, in any spelling: `::1`, `LOCALHOST`. */
export const isLoopback = (host: string): boolean => isLoopbackName(hostName(host));

/** A host as `URL.hostname` formats it. */
function hostName(host: string): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  const url = `http://${name}`;
  return URL.canParse(url) ? new URL(url).hostname : name;
}

/** Wildcard addresses, on which a server listens and to which no client connects, and the loopback address of the same family. */
const WILDCARD_HOSTS: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
]);

/** The host for the URL of a server that listens on a host: `[::1]` for `::1`, `127.0.0.1` for `0.0.0.0`. */
export function displayHost(host: string): string {
  const name = hostName(host);
  return WILDCARD_HOSTS.get(name) ?? name;
}

export const isWildcardHost = (host: string): boolean => WILDCARD_HOSTS.has(hostName(host));
