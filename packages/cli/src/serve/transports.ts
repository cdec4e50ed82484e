/** Which ways in were asked for. Pure. */
import type { HttpTransport } from "@photon/server";

export interface Transports {
  readonly stdio: boolean;
  readonly http: readonly HttpTransport[];
}

export type TransportName = HttpTransport | "stdio" | "all";

export const overHttp: readonly HttpTransport[] = ["http", "websocket", "sse"];

export function transportsIn(names: readonly TransportName[]): Transports {
  const isWanted = (name: TransportName): boolean => names.includes(name) || names.includes("all");
  return { stdio: isWanted("stdio"), http: overHttp.filter(isWanted) };
}

/** Where each is reached, on a server at this address. */
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
