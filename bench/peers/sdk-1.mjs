/** SDK v1. Usage: node sdk-1.mjs <stdio | http | sse> <port> */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const [, , transport, port] = process.argv;
const text = (words) => ({ content: [{ type: "text", text: words }] });
const elicitation = {
  message: "Name?",
  requestedSchema: {
    type: "object",
    properties: { value: { type: "string", title: "Name?" } },
    required: ["value"],
  },
};
const echoInput = { text: z.string() };
const askInput = { questions: z.number().int().min(1) };

function makeServer() {
  const server = new McpServer({ name: "sdk-1", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: echoInput }, async ({ text: words }) => text(words));
  server.registerTool("ask", { inputSchema: askInput }, async ({ questions }, { sendRequest }) => {
    const names = [];
    for (let count = 0; count < questions; count++) {
      const request = { method: "elicitation/create", params: elicitation };
      const { content } = await sendRequest(request, ElicitResultSchema, { timeout: 600_000 });
      names.push(content.value);
    }
    return text(names.join(" "));
  });
  server.registerTool("notify", {}, async ({ _meta, sendNotification }) => {
    for (let progress = 1; progress <= 100; progress++) {
      const params = { progressToken: _meta.progressToken, progress, total: 100 };
      await sendNotification({ method: "notifications/progress", params });
    }
    return text("done");
  });
  for (let count = 3; count < Number(process.env.BENCH_TOOLS); count++)
    server.registerTool(`echo-${count}`, { inputSchema: echoInput }, async ({ text: words }) => text(words));
  return server;
}

const sessions = new Map();

async function serveHttp() {
  const { StreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const begin = async () => {
    const one = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, one),
    });
    await makeServer().connect(one);
    return one;
  };
  return async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]) ?? (await begin());
    await known.handleRequest(request, response);
  };
}

async function serveSse() {
  const { SSEServerTransport } = await import("@modelcontextprotocol/sdk/server/sse.js");
  return async (request, response) => {
    if (request.method === "POST") {
      const { searchParams } = new URL(request.url, "http://localhost");
      await sessions.get(searchParams.get("sessionId")).handlePostMessage(request, response);
    } else {
      const one = new SSEServerTransport("/messages", response);
      sessions.set(one.sessionId, one);
      await makeServer().connect(one);
    }
  };
}

if (transport === "stdio") {
  // Only the transport in use is loaded, because the start is measured, too.
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  await makeServer().connect(new StdioServerTransport());
} else {
  const handle = await (transport === "sse" ? serveSse() : serveHttp());
  createServer((request, response) => void handle(request, response)).listen(Number(port), "127.0.0.1", () =>
    process.send?.("ready"),
  );
}
