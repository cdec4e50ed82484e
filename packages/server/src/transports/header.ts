import type { IncomingMessage } from "node:http";

/** A header of a request; the first, where it was sent twice. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether a client knows events without data: since 2025-11-25. */
export const isPrimed = (request: IncomingMessage): boolean =>
  (header(request, "mcp-protocol-version") ?? "") >= "2025-11-25";
