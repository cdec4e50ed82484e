import type { Column } from "./column.ts";
import { dialWebSocket } from "./dial-websocket.ts";
import { dialModernWebSocket } from "./modern-dial.ts";
import { serveHere } from "./serve-here.ts";

export const webSocket: Column = {
  name: "WebSocket",
  whenGone: { session: "ends", modern: "waits" },
  serve: (revision, told, options) =>
    serveHere({ session: dialWebSocket, modern: dialModernWebSocket }, revision, told, options),
};
