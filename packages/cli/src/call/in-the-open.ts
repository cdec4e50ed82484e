import type { Headers } from "./headers.ts";
import type { Target } from "./target.ts";

const isLoopback = (hostname: string): boolean =>
  hostname === "[::1]" || /^127(?:\.\d+){3}$|^(?:.+\.)?localhost\.?$/.test(hostname);

/** What is to be said where who somebody is goes over a network that others read; never what it is. */
export function inTheOpen(target: Target, headers: Headers): string | undefined {
  if (target.kind === "command" || !("authorization" in headers)) return undefined;
  const { protocol, hostname, origin } = target.url;
  if ((protocol !== "http:" && protocol !== "ws:") || isLoopback(hostname)) return undefined;
  const safe = protocol === "ws:" ? "wss" : "https";
  return `The token goes to ${origin} unencrypted: whoever is on the way can read it. Use ${safe}.`;
}
