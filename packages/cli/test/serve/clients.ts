/** Clients of the official SDKs, with somebody in front of them who answers. */
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
import { bin, type Workshop } from "./workshop.ts";

/** Gives the value that stands for the answer to a question. */
export type Person = (message: string) => unknown;

export interface Guest {
  readonly client: Client;
  /** What it was told of: `"list_changed"`. */
  readonly heard: Happenings<string>;
  tools(): Promise<readonly string[]>;
  /** The text of what a tool gives back. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
}

const accept = async (person: Person, message: string): Promise<ElicitResult> => ({
  action: "accept",
  // What tests let people answer is a text, a number or a yes.
  content: { value: (await person(message)) as string },
});

export async function connect(transport: Transport, person: Person = () => "Ada"): Promise<Guest> {
  const client = new Client({ name: "guest", version: "1" }, { capabilities: { elicitation: {} } });
  const heard = new Happenings<string>();
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => accept(person, params.message));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard.add("list_changed"));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    heard,
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
export function overStdio({ folder, env }: Workshop, args: readonly string[]): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [bin, ...args],
    cwd: folder,
    env: { ...env },
    stderr: "pipe",
  });
}

/** What a server says on stderr that a client has started. */
export function saidBy({ stderr }: StdioClientTransport): Happenings<string> {
  const said = new Happenings<string>();
  // With `stderr: "pipe"` it is a stream to read from, there from the start; its type says less.
  createInterface({ input: stderr as Readable }).on("line", (line) => said.add(line));
  return said;
}

/** Every way in that has an address, by its name. */
export const overNetwork: Readonly<Record<"http" | "sse" | "websocket", (url: string) => Transport>> = {
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
export const overHttpBearing = (url: string, token: string): Transport =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });

/** Calls a tool in 2026-07-28, with a client of the second generation. */
export async function callModern(url: string, name: string, person: Person = () => "Ada"): Promise<string> {
  const client = new ModernClient(
    { name: "guest", version: "2" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => accept(person, params.message));
  await client.connect(new ModernHttp(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());
  return textIn(await client.callTool({ name, arguments: {} }));
}

const textIn = ({ content }: { readonly content?: unknown }): string =>
  (Array.isArray(content) ? content : [])
    .map((block: { readonly text?: string }) => block.text ?? "")
    .join("\n");
