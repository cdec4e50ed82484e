/**
 * MCP over WebSocket: one socket is one session, one text frame is one message.
 *
 * Host and Origin are looked at before the handshake, by whoever calls `upgrade`.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { decode } from "../rpc/decode.ts";
import type { Open } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { Heartbeat } from "./heartbeat.ts";
import { FAREWELL, SocketPeer } from "./socket-peer.ts";

export interface WebSocketLines {
  /** Takes over a connection that asked to become a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: string): void;
  /** Closes every socket; settles when every session has ended. */
  close(): Promise<void>;
}

const SUBPROTOCOL = "mcp";
const UNSUPPORTED_DATA = 1003;

export function serveWebSocket(open: Open, settings: Pick<Settings, "limits" | "clock">): WebSocketLines {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: settings.limits.messageBytes,
    perMessageDeflate: false,
    // A client that says goodbye and stays is not waited for. The types of ws do not know the option yet.
    ...({ closeTimeout: FAREWELL } as object),
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const heartbeat = new Heartbeat(server.clients, settings.clock);
  const peers = new Set<SocketPeer>();
  const ended = new Set<Promise<void>>();

  server.on("connection", (socket: WebSocket, connection: Duplex, principal: string) => {
    const peer = new SocketPeer(socket, connection, settings, principal);
    const line = open(peer);
    peer.line = line;
    peers.add(peer);
    heartbeat.add(socket);
    socket.on("message", (data: RawData, isBinary) => {
      if (isBinary) return peer.hangUp(UNSUPPORTED_DATA, "Text frames only");
      const decoded = decode(textOf(data), settings.limits);
      if ("refusal" in decoded) void peer.send(decoded.refusal);
      else line.receive(decoded.value);
    });
    socket.on("error", toldByClose);
    socket.on("close", () => {
      peers.delete(peer);
      const ending = line.close();
      ended.add(ending);
      void ending.finally(() => ended.delete(ending));
    });
  });

  /** Ends a session, and then its socket: what ends with the session is still told. */
  async function end(peer: SocketPeer): Promise<void> {
    const { socket, line } = peer;
    await line?.close();
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    peer.close();
    await closed;
  }

  return {
    upgrade(request, socket, head, principal) {
      server.handleUpgrade(request, socket, head, (opened) =>
        server.emit("connection", opened, socket, principal),
      );
    },
    async close() {
      heartbeat.stop();
      await Promise.all([...peers].map(end));
      await Promise.all(ended);
      server.close();
    },
  };
}

/** Every error is followed by `close`. */
const toldByClose = (): void => {};

function textOf(data: RawData): string {
  // With `binaryType` at its default, a message is one Buffer.
  return (data as Buffer).toString("utf8");
}
