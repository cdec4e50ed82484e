/** Text frames over a WebSocket. */
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Address, Ears, Wire } from "./wire.ts";

export async function overWebSocket({ port }: Address, ears: Ears): Promise<Wire> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, "mcp", { perMessageDeflate: false });
  await once(socket, "open");
  // Text frames come as one Buffer each, unless a binaryType says otherwise.
  socket.on("message", (data) => ears.hear((data as Buffer).toString("latin1")));
  socket.on("error", (error) => ears.fail(error));
  socket.on("close", (code) => ears.fail(new Error(`The socket was closed with ${code}.`)));
  return { send: (text) => socket.send(text), close: () => socket.terminate() };
}
