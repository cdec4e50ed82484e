/** The transports of a server: their names, their addresses, and why one cannot listen. Pure. */
import { type HttpTransport, PlaygroundMissing, PortTaken } from "@photon/server";
import { UsageError } from "../errors.ts";
import { messageOf } from "../unknown.ts";

export interface Transports {
  readonly stdio: boolean;
  readonly http: readonly HttpTransport[];
}

export type TransportName = HttpTransport | "stdio" | "all";

export const httpTransports: readonly HttpTransport[] = ["http", "websocket", "sse"];

export function parseTransports(names: readonly TransportName[]): Transports {
  const isNamed = (name: TransportName): boolean => names.includes(name) || names.includes("all");
  return { stdio: isNamed("stdio"), http: httpTransports.filter(isNamed) };
}

/** The address of a transport on a server at `url`. */
export function addressOf(transport: HttpTransport, url: string): string {
  switch (transport) {
    case "http":
      return `${url}/mcp`;
    case "websocket":
      return `${url.replace("http", "ws")}/mcp`;
    case "sse":
      return `${url}/sse`;
    default:
      return transport satisfies never;
  }
}

/** Why the server cannot listen, and what the user can do about it. */
export function listenError(error: unknown, port: number, host: string): UsageError {
  const reason = messageOf(error);
  if (error instanceof PlaygroundMissing) return new UsageError(reason, { cause: error });
  const problem =
    error instanceof PortTaken
      ? `Port ${port} of ${host} is taken; stop the process that listens there, or choose another port with --port (0: any that is free).`
      : `Cannot listen on port ${port} of ${host} (${reason}); choose another with --port.`;
  return new UsageError(problem, { cause: error });
}
