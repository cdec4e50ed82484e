/** SDK v2. Usage: node sdk-2.mjs <stdio | http> <port> */
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const [, , transport, port] = process.argv;
const text = (words) => ({ content: [{ type: "text", text: words }] });
const echoInput = z.object({ text: z.string() });
const askInput = z.object({ questions: z.int().min(1) });
const nothing = z.object({});
const Name = z.object({ value: z.string() });
const states = createRequestStateCodec({ key: randomBytes(32) });

function makeServer() {
  const info = { name: "sdk-2", version: "1.0.0" };
  const server = new McpServer(info, {
    requestState: { verify: (state, context) => states.verify(state, context) },
  });
  server.registerTool("echo", { inputSchema: echoInput }, async ({ text: words }) => text(words));
  server.registerTool("ask", { inputSchema: askInput }, async ({ questions }, { mcpReq }) => {
    const { asked, names } = mcpReq.requestState() ?? { asked: 0, names: "" };
    const name = acceptedContent(mcpReq.inputResponses, "name", Name);
    const all = name === undefined ? names : `${names} ${name.value}`;
    if (asked === questions) return text(all);
    const question = { message: "Name?", requestedSchema: Name };
    return inputRequired({
      inputRequests: { name: inputRequired.elicit(question) },
      requestState: await states.mint({ asked: asked + 1, names: all }),
    });
  });
  server.registerTool("notify", { inputSchema: nothing }, async (_, { mcpReq }) => {
    const { _meta } = mcpReq;
    for (let progress = 1; progress <= 100; progress++) {
      const params = { progressToken: _meta.progressToken, progress, total: 100 };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return text("done");
  });
  for (let count = 3; count < Number(process.env.BENCH_TOOLS); count++)
    server.registerTool(`echo-${count}`, { inputSchema: echoInput }, async ({ text: words }) => text(words));
  return server;
}

async function serveHttp() {
  const { NodeStreamableHTTPServerTransport, toNodeHandler } = await import("@modelcontextprotocol/node");
  // Creates a server for each stateless request, as the documentation of the SDK shows it.
  const handleAlone = toNodeHandler(createMcpHandler(makeServer));
  const sessions = new Map();
  const begin = async () => {
    const one = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, one),
    });
    await makeServer().connect(one);
    return one;
  };
  return async (request, response) => {
    if (request.headers["mcp-protocol-version"] === "2026-07-28") await handleAlone(request, response);
    else {
      const known = sessions.get(request.headers["mcp-session-id"]) ?? (await begin());
      await known.handleRequest(request, response);
    }
  };
}

if (transport === "stdio") {
  // Only the transport in use is loaded, because the start is measured, too.
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(makeServer);
} else {
  const handle = await serveHttp();
  createServer((request, response) => void handle(request, response)).listen(Number(port), "127.0.0.1", () =>
    process.send?.("ready"),
  );
}
