/** Usage: node serve-thin.js <stdio | websocket | http | sse> <port> */
import { argv } from "node:process";

const [, , transport, port] = argv;
// Only the transport in use is loaded, because the start is measured, too.
if (transport === "stdio") {
  const { serveThinStdio } = await import("./thin/thin-stdio.ts");
  serveThinStdio();
} else {
  const { serveThinHttp } = await import("./thin/thin-http.ts");
  serveThinHttp(Number(port), () => process.send?.("ready"));
}
