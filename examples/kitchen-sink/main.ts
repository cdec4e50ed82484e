/**
 * Serves the studio over every transport at once.
 *
 * Usage: node main.js   at port 3001, or at PORT
 */
import { createServer } from "@photon/server";
import { prompts, resources, tools } from "./definitions.ts";
import { dataFolder } from "./studio/data-folder.ts";

const server = createServer({ name: "kitchen-sink", version: "0.1.0", tools, prompts, resources });
const { url } = await server.listen({ port: Number(process.env["PORT"] ?? 3001), playground: true });

console.log(`Open ${url}/ in a browser to try the kitchen sink. It is served at

  ${url}/mcp   Streamable HTTP
  ${url.replace("http", "ws")}/mcp     WebSocket
  ${url}/sse   HTTP+SSE

It keeps what it makes in ${dataFolder()}.
To try it: npx photon call ${url}/mcp set_tempo`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
