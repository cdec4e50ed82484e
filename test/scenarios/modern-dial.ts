/** Connections of clients that speak 2026-07-28, as the columns have them for the revisions with sessions. */
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { Dialled } from "./dialled.ts";
import { ModernWebSocketTransport } from "./modern-websocket-transport.ts";

export type ModernDialled = Dialled<Transport>;

/** A connection to the WebSocket of a server at this address. */
export function dialModernWebSocket(url: string): ModernDialled {
  const transport = new ModernWebSocketTransport(`${url.replace("http", "ws")}/mcp`);
  return {
    transport,
    leave: () => transport.close(),
    vanish() {
      transport.terminate();
      return Promise.resolve();
    },
  };
}

/** There is no session to end: whoever is gone has closed the streams of their requests, and no more. */
export function dialModernHttp(url: string): ModernDialled {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  const hangUp = (): Promise<void> => transport.close();
  return { transport, leave: hangUp, vanish: hangUp };
}
