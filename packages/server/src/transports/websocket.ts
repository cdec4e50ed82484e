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

export interface WebSocketLines {
  /** Takes over a connection that asked to become a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every socket; settles when every session has ended. */
  close(): Promise<void>;
}

/** How often a client is asked for a sign of life; one that gave none since the last time is gone. */
const KEEP_ALIVE = 30_000;
const SUBPROTOCOL = "mcp";
const UNSUPPORTED_DATA = 1003;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

export function serveWebSocket(
  open: Open,
  { limits, clock }: Pick<Settings, "limits" | "clock">,
): WebSocketLines {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const ended = new Set<Promise<void>>();
  const alive = new WeakSet<WebSocket>();

  server.on("connection", (socket: WebSocket) => {
    const line = open({
      coalesces: true,
      send(message) {
        if (socket.bufferedAmount > limits.queueBytes) socket.close(TRY_AGAIN_LATER, "Too slow");
        else socket.send(JSON.stringify(message));
      },
      close: () => socket.close(GOING_AWAY),
    });
    alive.add(socket);
    socket.on("pong", () => alive.add(socket));
    socket.on("message", (data: RawData, isBinary) => {
      if (isBinary) return socket.close(UNSUPPORTED_DATA, "Text frames only");
      const decoded = decode(textOf(data));
      if ("refusal" in decoded) socket.send(JSON.stringify(decoded.refusal));
      else line.receive(decoded.value);
    });
    // Told again by `close`, which follows every error.
    socket.on("error", () => {});
    socket.on("close", () => {
      const ending = line.close();
      ended.add(ending);
      void ending.finally(() => ended.delete(ending));
    });
  });

  let stopBeating = (): void => {};
  const beat = (): void => {
    for (const socket of server.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
    stopBeating = clock.after(KEEP_ALIVE, beat);
  };

  return {
    upgrade(request, socket, head) {
      stopBeating();
      stopBeating = clock.after(KEEP_ALIVE, beat);
      server.handleUpgrade(request, socket, head, (opened) => server.emit("connection", opened, request));
    },
    async close() {
      stopBeating();
      const closed = [...server.clients].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once("close", () => resolve());
            socket.close(GOING_AWAY);
            // A client that does not answer the closing is not waited for.
            clock.after(1000, () => socket.terminate());
          }),
      );
      await Promise.all(closed);
      await Promise.all(ended);
      server.close();
    },
  };
}

function textOf(data: RawData): string {
  // With `binaryType` at its default, a message is one Buffer.
  return (data as Buffer).toString("utf8");
}
