import type { ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { callInProcess } from "../run-in-process.ts";
import { freePort, httpServer } from "./servers.ts";

/** A server of the SDK's first generation, over HTTP+SSE as it was before `/mcp`. */
async function firstGeneration(path: string): Promise<string> {
  // oxlint-disable-next-line typescript/no-deprecated -- the transport that old servers have
  const streams = new Map<string, SSEServerTransport>();
  const open = async (response: ServerResponse): Promise<void> => {
    // oxlint-disable-next-line typescript/no-deprecated -- the transport that old servers have
    const stream = new SSEServerTransport("/messages", response);
    streams.set(stream.sessionId, stream);
    const server = new McpServer({ name: "old", version: "1" });
    server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "Hello." }] }));
    await server.connect(stream);
  };
  return httpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://here");
    if (request.method === "GET" && pathname === path) void open(response);
    else if (pathname === "/messages")
      void streams.get(searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
    else response.writeHead(405).end();
  });
}

interface Asked {
  readonly id?: number | string;
  readonly method: string;
}

/** A WebSocket server that closes the connection at a request that it does not know. */
async function touchy(): Promise<string> {
  const port = await freePort();
  const server = new WebSocketServer({ port, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "touchy", version: "1" },
    },
    "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "Hello." }] },
  };
  server.on("connection", (socket) => {
    socket.on("message", (frame: Buffer) => {
      const { id, method } = JSON.parse(frame.toString("utf8")) as Asked;
      if (id === undefined) return;
      if (Object.hasOwn(results, method))
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
      else socket.close();
    });
  });
  return `ws://127.0.0.1:${port}`;
}

describe("photon call", { timeout: 20_000 }, () => {
  it("finds an old server at an address that takes no POST", async () => {
    const url = await firstGeneration("/events");

    expect(await callInProcess([`${url}/events`])).toEqual({ stdout: "Hello.\n", stderr: "", exitCode: 0 });
  });

  it("calls a server again that hung up when it was asked what it speaks", async () => {
    expect(await callInProcess([await touchy()])).toEqual({ stdout: "Hello.\n", stderr: "", exitCode: 0 });
  });
});
