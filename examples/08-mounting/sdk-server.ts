import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { mountTools } from "@photon/server/sdk";
import { greet } from "./greet.photon.ts";

/** A server of the MCP SDK with a tool of its own, on which Photon's tools are mounted. */
export function createSdkServer(): McpServer {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  server.registerTool("ping", {}, () => ({ content: [{ type: "text", text: "pong" }] }));
  mountTools(server, [greet]);
  return server;
}
