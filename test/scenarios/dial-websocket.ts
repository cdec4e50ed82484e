import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { vi } from "vitest";
import { WebSocket } from "ws";
import type { Dialled } from "./dialled.ts";

/** A connection to the WebSocket of a server at this address. */
export function dialWebSocket(url: string): Dialled<Transport> {
  const sockets: WebSocket[] = [];
  const transport = new WebSocketClientTransport(new URL(`${url.replace("http", "ws")}/mcp`));
  const start = transport.start.bind(transport);
  transport.start = () => {
    // Node 20 has no WebSocket of its own; the transport makes the global one, when it starts.
    vi.stubGlobal(
      "WebSocket",
      class extends WebSocket {
        constructor(address: URL, protocol: string) {
          super(address, protocol);
          sockets.push(this);
        }
      },
    );
    return start();
  };
  return {
    transport,
    leave: () => transport.close(),
    vanish() {
      for (const socket of sockets) socket.terminate();
      return Promise.resolve();
    },
  };
}
