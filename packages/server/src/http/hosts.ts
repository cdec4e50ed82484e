/** Loopback, wildcard and display hosts, for listening, CORS and the addresses of pages. Pure. */
import { isIPv4, isIPv6 } from "node:net";

/** Whether a name, as URLs spell it, is one by which a machine reaches itself. */
export const isLoopbackName = (name: string): boolean =>
  name === "localhost" || name === "[::1]" || (isIPv4(name) && name.startsWith("127."));

/** Whether only this machine reaches a server that listens on a host, however that is spelled: `::1`, `LOCALHOST`. */
export const isLoopback = (host: string): boolean => isLoopbackName(hostName(host));

/** A host as URLs spell it. */
function hostName(host: string): string {
  const spelled = isIPv6(host) ? `[${host}]` : host;
  const url = `http://${spelled}`;
  return URL.canParse(url) ? new URL(url).hostname : spelled;
}

/** Wildcard addresses: a server listens on them, and clients cannot connect to them. */
const WILDCARD_HOSTS: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
]);

/** The name by which a person reaches a server that listens on a host, as URLs spell it: `[::1]` for `::1`. */
export function displayHost(host: string): string {
  const name = hostName(host);
  return WILDCARD_HOSTS.get(name) ?? name;
}

/** Whether a host is a wildcard address. */
export const isWildcardHost = (host: string): boolean => WILDCARD_HOSTS.has(hostName(host));
