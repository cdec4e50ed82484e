import { isIPv6 } from "node:net";

/** Addresses that stand for every address of a machine: one is listened on, and called by nobody. */
const EVERY: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
]);

/** The name by which a person reaches a server that listens on a host, as URLs spell it: `[::1]` for `::1`. */
export function reachedBy(host: string): string {
  const spelled = isIPv6(host) ? `[${host}]` : host;
  const url = `http://${spelled}`;
  const name = URL.canParse(url) ? new URL(url).hostname : spelled;
  return EVERY.get(name) ?? name;
}
