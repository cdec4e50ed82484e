/** Usage: node serve-thin.js <stdio | websocket | http | sse> <port> */
import { argv } from "node:process";

const [, , transport, port] = argv;
// Each loaded by who needs it alone: how long a start takes is measured too.
if (transport === "stdio") {
  const { serveThinStdio } = await import("./thin/thin-stdio.ts");
  serveThinStdio();
} else {
  const { serveThinHttp } = await import("./thin/thin-http.ts");
  serveThinHttp(Number(port), () => process.send?.("ready"));
}
