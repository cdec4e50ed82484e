/** Which hosts are this machine's own: the one answer to that, for whoever listens, calls, or opens a page. Pure. */
import { isIPv4, isIPv6 } from "node:net";

/** Whether a name, as URLs spell it, is one by which a machine reaches itself. */
export const isLoopbackName = (name: string): boolean =>
  name === "localhost" || name === "[::1]" || (isIPv4(name) && name.startsWith("127."));

/** Whether only this machine reaches a server that listens on a host, however that is spelled: `::1`, `LOCALHOST`. */
export const isLoopback = (host: string): boolean => isLoopbackName(nameOf(host));

/** A host as URLs spell it. */
export function nameOf(host: string): string {
  const spelled = isIPv6(host) ? `[${host}]` : host;
  const url = `http://${spelled}`;
  return URL.canParse(url) ? new URL(url).hostname : spelled;
}
