/** Sends back every WebSocket frame: the fastest possible server with `ws`. Usage: node serve-echo.js websocket <port> */
import { WebSocketServer } from "ws";

const server = new WebSocketServer({
  port: Number(process.argv[3]),
  host: "127.0.0.1",
  perMessageDeflate: false,
});
server.on("connection", (socket) => {
  socket.on("message", (frame) => socket.send(frame, { binary: false }));
});
server.on("listening", () => process.send?.("ready"));
