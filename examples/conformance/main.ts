/**
 * Serves the tools, prompts and resources that MCP's official conformance suite calls.
 *
 * Usage: node main.js [--port 3000]   over HTTP
 *        node main.js --stdio         over stdio
 */
import { parseArgs } from "node:util";
import { createServer } from "@photon/server";
import { askingTools } from "./asking-tools.ts";
import { changingTools } from "./changing-tools.ts";
import { contentTools } from "./content-tools.ts";
import { prompts } from "./prompts.ts";
import { reconnectionTool } from "./reconnection-tool.ts";
import { resources } from "./resources.ts";
import { roundTools } from "./round-tools.ts";
import { schemaTool } from "./schema-tool.ts";
import { statelessTools } from "./stateless-tools.ts";
import { notifyingTools } from "./notifying-tools.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "3000" }, stdio: { type: "boolean", default: false } },
});

const tools = [
  ...contentTools,
  ...notifyingTools,
  ...askingTools,
  ...roundTools,
  ...statelessTools,
  schemaTool,
  reconnectionTool((runId) => server.disconnect(runId)),
  ...changingTools({
    tools: (extra) => server.replace({ tools: [...tools, ...extra] }),
    prompts: (extra) => server.replace({ prompts: [...prompts, ...extra] }),
  }),
];

const server = createServer({ name: "photon-conformance", version: "0.1.0", tools, prompts, resources });

if (values.stdio) {
  await server.stdio();
} else {
  const { url } = await server.listen({ port: Number(values.port) });
  console.error(`Listening at ${url}/mcp`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}
