/** A server, as it was typed: an address, or a command that is one. */
import { UsageError } from "../errors.ts";

export type Target =
  | { readonly kind: "http" | "sse" | "websocket"; readonly url: URL }
  | { readonly kind: "command"; readonly command: string; readonly args: readonly string[] };

const NEEDED = `photon call needs a server: an address (http://localhost:3001/mcp, ws://localhost:3001/mcp), or its command after --.`;

/** Whether a word is an address, and not the name of a tool or a file. */
export const isAddress = (word: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(word);

/** What is called: the address, or else the command. */
export function readTarget(address: string | undefined, [command, ...args]: readonly string[]): Target {
  if (address !== undefined) return readAddress(address);
  if (command === undefined) throw new UsageError(NEEDED);
  return { kind: "command", command, args };
}

function readAddress(address: string): Target {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw new UsageError(`${JSON.stringify(address)} is no address. ${NEEDED}`);
  // Not shown: it is a password.
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      "An address has no user and password here; give them as --header 'Authorization: …'.",
    );
  switch (url.protocol) {
    case "ws:":
    case "wss:":
      return { kind: "websocket", url };
    case "http:":
    case "https:":
      return { kind: /\/sse\/?$/.test(url.pathname) ? "sse" : "http", url };
    default:
      throw new UsageError(`${url.protocol}// is no address of a server. ${NEEDED}`);
  }
}

/** What a target is called in sentences. What stands behind a "?", and behind the first flag, may be a key. */
export function nameOf(target: Target): string {
  if (target.kind !== "command") return `${target.url.origin}${target.url.pathname}`;
  const words = [target.command, ...target.args];
  const flag = words.findIndex((word) => word.startsWith("-"));
  return (flag < 0 ? words : words.slice(0, flag)).join(" ");
}
