/** How many notifications the official clients hear of before the result: version 1 on sessions, version 2 in 2026-07-28. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { WebSocket } from "ws";
import { MODERN, type Transport } from "../client/wire.ts";
import type { Contestant } from "../harness/contestants.ts";
import { settingsOf, spelled, type Plan } from "../harness/plan.ts";
import { startServer } from "../harness/start-server.ts";
import type { Row } from "../harness/table.ts";
import { takeTurns } from "../harness/take-turns.ts";

const INFO = { name: "bench", version: "1" };
const CALL = { name: "notify", arguments: {} };

export function toldBySdkClients(plan: Plan): Promise<readonly Row[]> {
  const turns = settingsOf(plan)
    // It has no transport of its own for WebSockets in 2026-07-28.
    .filter(({ revision, transport }) => revision !== MODERN || transport !== "websocket")
    .flatMap((setting) =>
      setting.who
        .filter(({ isEcho = false }) => !isEcho)
        .map((contestant) => ({
          where: spelled(setting),
          who: contestant.label,
          take: async () => ({
            arrived: await told(contestant, setting.transport, setting.revision === MODERN),
          }),
        })),
    );
  // What arrives does not depend on how busy a machine is.
  return takeTurns(turns, { ...plan, rounds: 1 });
}

async function told(contestant: Contestant, transport: Transport, isModern: boolean): Promise<number> {
  // The client starts those on stdio by itself.
  const server = transport === "stdio" ? undefined : await startServer(contestant, transport);
  const call = isModern ? callByModern : callBySession;
  try {
    return await call(contestant.file, transport, `http://127.0.0.1:${server?.port ?? 0}`);
  } finally {
    await server?.stop();
  }
}

async function callBySession(file: string, transport: Transport, url: string): Promise<number> {
  const client = new Client(INFO);
  let heard = 0;
  try {
    await client.connect(sessionTransport(file, transport, url));
    await client.callTool(CALL, undefined, { onprogress: () => void (heard += 1) });
    return heard;
  } finally {
    await client.close();
  }
}

async function callByModern(file: string, transport: Transport, url: string): Promise<number> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: MODERN } } });
  let heard = 0;
  try {
    await client.connect(
      transport === "stdio" ? new ModernStdio(started(file)) : new ModernHttp(new URL(`${url}/mcp`)),
    );
    await client.callTool(CALL, { onprogress: () => void (heard += 1) });
    return heard;
  } finally {
    await client.close();
  }
}

const started = (file: string): { command: string; args: string[]; stderr: "ignore" } => ({
  command: process.execPath,
  args: [file, "stdio", "0"],
  stderr: "ignore",
});

function sessionTransport(file: string, transport: Transport, url: string) {
  switch (transport) {
    case "stdio":
      return new StdioClientTransport(started(file));
    case "websocket":
      // It takes the one of browsers, which Node 20 has not.
      Object.assign(globalThis, { WebSocket });
      return new WebSocketClientTransport(new URL(`${url.replace("http", "ws")}/mcp`));
    case "http":
      return new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
    case "sse":
      // oxlint-disable-next-line typescript/no-deprecated -- clients of this transport have no other
      return new SSEClientTransport(new URL(`${url}/sse`));
    default:
      return transport satisfies never;
  }
}
