/** Clients of the official SDKs that answer questions. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { Happenings } from "../../../../test/scenarios/happenings.ts";
import { bin, type TemporaryFolder } from "../temporary-folder.ts";

/** Returns the answer to a question. */
export type AnswerTo = (message: string) => unknown;

export interface TestClient {
  readonly client: Client;
  /** The notifications that it received: `"list_changed"`. */
  readonly notifications: Happenings<string>;
  tools(): Promise<readonly string[]>;
  /** The text of the result. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
}

const accept = async (answerTo: AnswerTo, message: string): Promise<ElicitResult> => ({
  action: "accept",
  // The answers in tests are texts, numbers and booleans.
  content: { value: (await answerTo(message)) as string },
});

export async function connect(transport: Transport, answerTo: AnswerTo = () => "Ada"): Promise<TestClient> {
  const client = new Client({ name: "test-client", version: "1" }, { capabilities: { elicitation: {} } });
  const notifications = new Happenings<string>();
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => accept(answerTo, params.message));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => notifications.add("list_changed"));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    notifications,
    async tools() {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name);
    },
    async call(name, input = {}) {
      const request = { method: "tools/call" as const, params: { name, arguments: input } };
      return textIn(await client.request(request, CallToolResultSchema));
    },
  };
}

/** A client that starts the server by itself. */
export function stdioTransport(
  { folder, env }: TemporaryFolder,
  args: readonly string[],
): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [bin, ...args],
    cwd: folder,
    env: { ...env },
    stderr: "pipe",
  });
}

/** The lines that a server writes to stderr, if the client has started it. */
export function stderrOf({ stderr }: StdioClientTransport): Happenings<string> {
  const lines = new Happenings<string>();
  // With `stderr: "pipe"` it is a stream to read from, there from the start; its type says less.
  createInterface({ input: stderr as Readable }).on("line", (line) => lines.add(line));
  return lines;
}

/** The transports that have an address, by name. */
export const networkTransports: Readonly<Record<"http" | "sse" | "websocket", (url: string) => Transport>> = {
  http: (url) => new StreamableHTTPClientTransport(new URL(`${url}/mcp`)),
  // oxlint-disable-next-line typescript/no-deprecated -- the client of the transport that is tested here
  sse: (url) => new SSEClientTransport(new URL(`${url}/sse`)),
  websocket(url) {
    // Node 20 has no WebSocket of its own, and the transport takes the global one.
    vi.stubGlobal("WebSocket", WebSocket);
    return new WebSocketClientTransport(new URL(`${url.replace("http", "ws")}/mcp`));
  },
};

/** Streamable HTTP, with a bearer token. */
export const httpTransportWithToken = (url: string, token: string): Transport =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });

/** Calls a tool in 2026-07-28, with a client of the second generation. */
export async function callModern(
  url: string,
  name: string,
  answerTo: AnswerTo = () => "Ada",
): Promise<string> {
  const client = new ModernClient(
    { name: "test-client", version: "2" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => accept(answerTo, params.message));
  await client.connect(new ModernHttp(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());
  return textIn(await client.callTool({ name, arguments: {} }));
}

const textIn = ({ content }: { readonly content?: unknown }): string =>
  (Array.isArray(content) ? content : [])
    .map((block: { readonly text?: string }) => block.text ?? "")
    .join("\n");
