/** WebSocket: one message per text frame. */
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Address, Connection, ConnectionHandler } from "./connection.ts";

export async function connectWebSocket({ port }: Address, handler: ConnectionHandler): Promise<Connection> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, "mcp", { perMessageDeflate: false });
  await once(socket, "open");
  // With the default binaryType, a text frame arrives as one Buffer.
  socket.on("message", (data) => handler.onMessage((data as Buffer).toString("latin1")));
  socket.on("error", (error) => handler.onError(error));
  socket.on("close", (code) => handler.onError(new Error(`The server closed the WebSocket with ${code}.`)));
  return { send: (text) => socket.send(text), close: () => socket.terminate() };
}
