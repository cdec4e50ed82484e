/**
 * Usage: node main.js           the express app, on port 3000 or PORT
 *        node main.js --stdio   the SDK's server, over stdio
 */
import type { AddressInfo } from "node:net";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createApp } from "./express-app.ts";
import { createSdkServer } from "./sdk-server.ts";

if (process.argv.includes("--stdio")) {
  await createSdkServer().connect(new StdioServerTransport());
} else {
  const server = await createApp();
  server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
    // The address of a server that listens on a port is an AddressInfo.
    const { port } = server.address() as AddressInfo;
    console.log(`The app is at http://127.0.0.1:${port}, its tools at http://127.0.0.1:${port}/tools/mcp`);
  });
}
