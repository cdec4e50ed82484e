/** The number of progress notifications that the official clients receive before the result: SDK v1 on sessions, SDK v2 in 2026-07-28. */
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
import { MODERN, type Transport } from "../client/connection.ts";
import type { BenchServer } from "../harness/servers.ts";
import { scenariosOf, scenarioName, type BenchSettings } from "../harness/settings.ts";
import { startServer } from "../harness/start-server.ts";
import type { Row } from "../harness/table.ts";
import { runRounds } from "../harness/run-rounds.ts";

const INFO = { name: "bench", version: "1" };
const CALL = { name: "notify", arguments: {} };

export function progressOfSdkClients(settings: BenchSettings): Promise<readonly Row[]> {
  const samplers = scenariosOf(settings)
    // SDK v2 has no WebSocket transport.
    .filter(({ revision, transport }) => revision !== MODERN || transport !== "websocket")
    .flatMap((scenario) =>
      scenario.servers
        .filter(({ isEcho = false }) => !isEcho)
        .map((benchServer) => ({
          scenario: scenarioName(scenario),
          variant: benchServer.label,
          sample: async () => ({
            arrived: await countProgress(benchServer, scenario.transport, scenario.revision === MODERN),
          }),
        })),
    );
  // The count does not depend on the load of the machine.
  return runRounds(samplers, { ...settings, rounds: 1 });
}

async function countProgress(
  benchServer: BenchServer,
  transport: Transport,
  isModern: boolean,
): Promise<number> {
  // A client over stdio starts the server itself.
  const server = transport === "stdio" ? undefined : await startServer(benchServer, transport);
  const call = isModern ? callByModern : callBySession;
  try {
    return await call(benchServer.file, transport, `http://127.0.0.1:${server?.port ?? 0}`);
  } finally {
    await server?.stop();
  }
}

async function callBySession(file: string, transport: Transport, url: string): Promise<number> {
  const client = new Client(INFO);
  let received = 0;
  try {
    await client.connect(sessionTransport(file, transport, url));
    await client.callTool(CALL, undefined, { onprogress: () => void (received += 1) });
    return received;
  } finally {
    await client.close();
  }
}

async function callByModern(file: string, transport: Transport, url: string): Promise<number> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: MODERN } } });
  let received = 0;
  try {
    await client.connect(
      transport === "stdio" ? new ModernStdio(commandOf(file)) : new ModernHttp(new URL(`${url}/mcp`)),
    );
    await client.callTool(CALL, { onprogress: () => void (received += 1) });
    return received;
  } finally {
    await client.close();
  }
}

const commandOf = (file: string): { command: string; args: string[]; stderr: "ignore" } => ({
  command: process.execPath,
  args: [file, "stdio", "0"],
  stderr: "ignore",
});

function sessionTransport(file: string, transport: Transport, url: string) {
  switch (transport) {
    case "stdio":
      return new StdioClientTransport(commandOf(file));
    case "websocket":
      // The transport uses the global WebSocket, which Node 20 does not have.
      Object.assign(globalThis, { WebSocket });
      return new WebSocketClientTransport(new URL(`${url.replace("http", "ws")}/mcp`));
    case "http":
      return new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
    case "sse":
      // oxlint-disable-next-line typescript/no-deprecated -- the SDK has no other client transport for HTTP+SSE
      return new SSEClientTransport(new URL(`${url}/sse`));
    default:
      return transport satisfies never;
  }
}
