import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { mountTools } from "@photon/server/sdk";
import { greet } from "./greet.photon.ts";

/** A server made with the MCP SDK that had tools of its own before. */
export function makeSdkServer(): McpServer {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  server.registerTool("ping", {}, () => ({ content: [{ type: "text", text: "pong" }] }));
  mountTools(server, [greet]);
  return server;
}
