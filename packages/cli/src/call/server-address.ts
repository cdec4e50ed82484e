/** The server that `photon call` connects to: its URL or its command, and the headers of requests. Pure. */
import { UsageError } from "../errors.ts";

export type ServerAddress =
  | { readonly kind: "http" | "sse" | "websocket"; readonly url: URL }
  | { readonly kind: "command"; readonly command: string; readonly args: readonly string[] };

const USAGE = `photon call needs a server: a URL (http://localhost:3001/mcp, ws://localhost:3001/mcp), or its command after --.`;

/** Whether an argument is a URL, and not the name of a tool or a file. */
export const isUrl = (argument: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(argument);

/** The URL, or else the command. */
export function parseServerAddress(
  url: string | undefined,
  [command, ...args]: readonly string[],
): ServerAddress {
  if (url !== undefined) return parseServerUrl(url);
  if (command === undefined) throw new UsageError(USAGE);
  return { kind: "command", command, args };
}

function parseServerUrl(text: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new UsageError(`${JSON.stringify(text)} is not a URL. ${USAGE}`);
  // Not shown: it contains a password.
  if (url.username !== "" || url.password !== "")
    throw new UsageError("A URL cannot contain a user and password here; use --header 'Authorization: …'.");
  switch (url.protocol) {
    case "ws:":
    case "wss:":
      return { kind: "websocket", url };
    case "http:":
    case "https:":
      return { kind: /\/sse\/?$/.test(url.pathname) ? "sse" : "http", url };
    default:
      throw new UsageError(`MCP servers have no ${url.protocol}// URLs. ${USAGE}`);
  }
}

/** The server in messages. Without the query, and without arguments from the first flag on: they may contain secrets. */
export function nameOf(address: ServerAddress): string {
  if (address.kind !== "command") return `${address.url.origin}${address.url.pathname}`;
  const words = [address.command, ...address.args];
  const flag = words.findIndex((word) => word.startsWith("-"));
  return (flag < 0 ? words : words.slice(0, flag)).join(" ");
}

export type RequestHeaders = { readonly [name: string]: string };

/** The headers of every request: `--header` and the token. Errors never contain a value: most are secrets. */
export function parseHeaders(lines: readonly string[], token: string | undefined): RequestHeaders {
  const headers: { [name: string]: string } = {};
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new UsageError("--header takes 'Name: value'.");
    headers[name.toLowerCase()] = checkedValue(name, value.trim());
  }
  // A header on the command line takes precedence over a token in the environment.
  if (token !== undefined) headers["authorization"] ??= checkedValue("Authorization", `Bearer ${token}`);
  return headers;
}

function checkedValue(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new UsageError(`${JSON.stringify(name)} is not a valid name of a header.`);
  if (/[^\t\u0020-\u007E\u0080-\u00FF]/.test(value))
    throw new UsageError(
      `The value of the header ${name} contains characters that are not allowed in headers.`,
    );
  return value;
}

const isLoopback = (hostname: string): boolean =>
  hostname === "[::1]" || /^127(?:\.\d+){3}$|^(?:.+\.)?localhost\.?$/.test(hostname);

/** The warning for a token that is sent over a network without encryption. It never contains the token. */
export function plaintextWarning(address: ServerAddress, headers: RequestHeaders): string | undefined {
  if (address.kind === "command" || !("authorization" in headers)) return undefined;
  const { protocol, hostname, origin } = address.url;
  if ((protocol !== "http:" && protocol !== "ws:") || isLoopback(hostname)) return undefined;
  const encrypted = protocol === "ws:" ? "wss" : "https";
  return `The token is sent to ${origin} unencrypted, so others on the network can read it. Use ${encrypted}.`;
}
