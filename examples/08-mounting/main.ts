/**
 * Usage: node main.js           the express app, at port 3000 or at PORT
 *        node main.js --stdio   the SDK's server, at stdin and stdout
 */
import type { AddressInfo } from "node:net";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { makeApp } from "./express-app.ts";
import { makeSdkServer } from "./sdk-server.ts";

if (process.argv.includes("--stdio")) {
  await makeSdkServer().connect(new StdioServerTransport());
} else {
  const server = await makeApp();
  server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
    // A server that listens on a port has an address with that port.
    const { port } = server.address() as AddressInfo;
    console.log(`The app is at http://127.0.0.1:${port}, its tools at http://127.0.0.1:${port}/tools/mcp`);
  });
}
