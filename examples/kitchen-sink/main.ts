/**
 * Serves the studio over every transport with a port, and the playground.
 *
 * Usage: node main.js   on port 3001, or PORT
 */
import { createServer, PortTaken } from "@photon/server";
import { prompts, resources, tools } from "./definitions.ts";
import { dataFolder } from "./studio/data-folder.ts";

const server = createServer({ name: "kitchen-sink", version: "0.1.0", tools, prompts, resources });
const port = Number(process.env["PORT"] ?? 3001);
const { url } = await server.listen({ port, playground: true }).catch((error: unknown): never => {
  if (!(error instanceof PortTaken)) throw error;
  console.error(`${error.message} Choose another port: PORT=3002 npm start`);
  process.exit(1);
});

console.log(`Open ${url}/ in a browser to try the kitchen sink. Its addresses for MCP clients are

  ${url}/mcp   Streamable HTTP
  ${url.replace("http", "ws")}/mcp     WebSocket
  ${url}/sse   HTTP+SSE

Its files are in ${dataFolder()}.
To call a tool, at the root of the clone: npx photon call ${url}/mcp set_tempo`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
