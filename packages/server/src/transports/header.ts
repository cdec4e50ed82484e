import type { IncomingMessage } from "node:http";

/** A header of a request; the first, where it was sent twice. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
