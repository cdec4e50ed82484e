/** Clients of the official SDKs that answer questions. `test/clients` has the clients themselves. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  ToolListChangedNotificationSchema,
  type ClientCapabilities,
} from "@modelcontextprotocol/sdk/types.js";
import { acceptBy } from "../../../../test/clients/answers.ts";
import { connectV1, connectV2 } from "../../../../test/clients/connect.ts";
import { httpV1, httpV2, sse, webSocket, type TransportV1 } from "../../../../test/clients/connections.ts";
import { EventLog } from "../../../../test/clients/event-log.ts";
import { linesOf, stdioTransportV1 } from "../../../../test/clients/stdio-connections.ts";
import { bin, type TemporaryFolder } from "../temporary-folder.ts";

/** Returns the answer to a question. */
export type AnswerTo = (message: string) => unknown;

export interface TestClient {
  readonly client: Client;
  /** The notifications that it received: `"list_changed"`. */
  readonly notifications: EventLog<string>;
  tools(): Promise<readonly string[]>;
  /** The text of the result. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
}

const capabilities: ClientCapabilities = { elicitation: {} };
const info = { name: "test-client", version: "1" };
const answerAda: AnswerTo = () => "Ada";

export async function connect(transport: TransportV1, answerTo = answerAda): Promise<TestClient> {
  const client = await connectV1({ transport }, { capabilities, info, answer: acceptBy(answerTo) });
  const notifications = new EventLog<string>();
  client.sdk.setNotificationHandler(ToolListChangedNotificationSchema, () =>
    notifications.add("list_changed"),
  );
  return {
    client: client.sdk,
    notifications,
    tools: async () => (await client.sdk.listTools()).tools.map(({ name }) => name),
    call: async (name, input) => (await client.call(name, input)).text,
  };
}

/** A client that starts the server by itself. */
export const stdioTransport = (
  { folder, env }: TemporaryFolder,
  args: readonly string[],
): StdioClientTransport => stdioTransportV1([bin, ...args], { cwd: folder, env: { ...env } });

/** The lines that a server writes to stderr, if the client has started it. */
export const stderrOf = ({ stderr }: StdioClientTransport): EventLog<string> => linesOf(stderr);

/** The transports that have an address, by name. */
export const networkTransports: Readonly<Record<"http" | "sse" | "websocket", (url: string) => TransportV1>> =
  {
    http: (url) => httpV1(url).transport,
    sse: (url) => sse(url).transport,
    websocket: (url) => webSocket(url).transport,
  };

/** Streamable HTTP, with a bearer token. */
export const httpTransportWithToken = (url: string, token: string): TransportV1 =>
  httpV1(url, { headers: { authorization: `Bearer ${token}` } }).transport;

/** Calls a tool in 2026-07-28, with a client of version 2. */
export async function callModern(url: string, name: string, answerTo = answerAda): Promise<string> {
  const client = await connectV2(httpV2(url), { capabilities, info, answer: acceptBy(answerTo) });
  return (await client.call(name)).text;
}
