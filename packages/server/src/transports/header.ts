import type { IncomingMessage } from "node:http";

/** A header of a request; the first, where it was sent twice. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Whether a client accepts a media type, by its name or a range that it is in. A client that sends no Accept accepts nothing: MCP
 * requires it to say what it takes.
 */
export function accepts({ headers: { accept = "" } }: IncomingMessage, type: string): boolean {
  if (accept.includes(type) || accept.includes("*/*")) return true;
  return accept.includes(`${type.slice(0, type.indexOf("/"))}/*`);
}

/** Whether a client knows events without data: since 2025-11-25. */
export const isPrimed = (request: IncomingMessage): boolean =>
  (header(request, "mcp-protocol-version") ?? "") >= "2025-11-25";
