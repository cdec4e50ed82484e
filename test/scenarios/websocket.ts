import type { Column } from "./column.ts";
import { dialWebSocket } from "./dial-websocket.ts";
import { serveHere } from "./serve-here.ts";

export const webSocket: Column = {
  name: "WebSocket",
  whenGone: "ends",
  serve: (revision, told, options) => serveHere(({ url }) => dialWebSocket(url), revision, told, options),
};
