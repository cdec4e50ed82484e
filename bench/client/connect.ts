/** Connects a load client to a server; for sessions, with the `initialize` handshake. */
import { capabilities, clientInfo } from "./call-message.ts";
import {
  MODERN,
  type Address,
  type Connection,
  type ConnectionHandler,
  type Revision,
  type Transport,
} from "./connection.ts";
import { LoadClient } from "./load-client.ts";
import { connectSse } from "./sse.ts";
import { connectStdio } from "./stdio.ts";
import { connectHttp } from "./streamable-http.ts";
import { connectWebSocket } from "./websocket.ts";

export interface ClientOptions {
  readonly transport: Transport;
  readonly revision: Revision;
  /** Whether the client leaves questions without an answer. */
  readonly leavesQuestionsOpen?: boolean;
  /** Whether the server only sends back what it receives. */
  readonly isEcho?: boolean;
  /** Whether the server asks on the session's GET stream instead of the stream of the call. */
  readonly asksOnGetStream?: boolean;
}

export async function connectClient(address: Address, options: ClientOptions): Promise<LoadClient> {
  const {
    transport,
    revision,
    leavesQuestionsOpen = false,
    isEcho = false,
    asksOnGetStream = false,
  } = options;
  const client = new LoadClient(revision, leavesQuestionsOpen);
  const connection = await openConnection(transport, address, client, revision);
  client.use(connection);
  if (revision === MODERN || isEcho) return client;
  await client.request("initialize", { protocolVersion: revision, capabilities, clientInfo });
  client.notify("notifications/initialized");
  if (asksOnGetStream) connection.openGetStream?.();
  return client;
}

async function openConnection(
  transport: Transport,
  address: Address,
  handler: ConnectionHandler,
  revision: Revision,
): Promise<Connection> {
  switch (transport) {
    case "stdio":
      return connectStdio(address, handler);
    case "websocket":
      return connectWebSocket(address, handler);
    case "http":
      return connectHttp(address, handler, revision);
    case "sse":
      return connectSse(address, handler);
    default:
      return transport satisfies never;
  }
}
