/** Connections of the SDK's clients over the network, and within the process. `stdio-connections.ts` has those to a child process. */
import {
  StreamableHTTPClientTransport as HttpTransportV2,
  type Transport as TransportV2,
} from "@modelcontextprotocol/client";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { WebSocketTransport } from "../../packages/cli/src/call/websocket-transport.ts";
import { deferred } from "../../packages/server/src/util/timers.ts";

export type { TransportV1, TransportV2 };

/** A connection of one client, not yet open. */
export interface Connection<Transport> {
  readonly transport: Transport;
  /** Resolves, once the client is connected, when the server can send messages that belong to no request. */
  ready?(): Promise<void>;
  /** Ends the session. By default, closes the transport. */
  endSession?(): Promise<void>;
  /** Cuts the connection without a message to the server. By default, closes the transport. */
  cut?(): Promise<void>;
}

export interface HttpOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** How often the client of version 1 tries to read the rest of a stream that broke off, one try each `delay` ms. */
  readonly reconnection?: { readonly delay: number; readonly attempts: number };
}

const mcp = (url: string): URL => new URL(`${url}/mcp`);

/** Streamable HTTP, for version 1. */
export function httpV1(url: string, options: HttpOptions = {}): Connection<TransportV1> {
  const { headers = {}, fetch: send = fetch, reconnection } = options;
  const listening = deferred();
  const transport = new StreamableHTTPClientTransport(mcp(url), {
    requestInit: { headers: { ...headers } },
    // The client opens the stream of GET on its own, some time after it has connected.
    async fetch(address, init) {
      try {
        return await send(address, init);
      } finally {
        if (init?.method === "GET") listening.resolve();
      }
    },
    ...(reconnection && {
      reconnectionOptions: {
        initialReconnectionDelay: reconnection.delay,
        maxReconnectionDelay: reconnection.delay,
        reconnectionDelayGrowFactor: 1,
        maxRetries: reconnection.attempts,
      },
    }),
  });
  return { transport, ready: () => listening.promise, endSession: () => transport.terminateSession() };
}

/** Streamable HTTP, for version 2. In 2026-07-28 there is no session to end. */
export function httpV2(
  url: string,
  { headers = {}, fetch: send = fetch }: HttpOptions = {},
): Connection<TransportV2> {
  return {
    transport: new HttpTransportV2(mcp(url), { requestInit: { headers: { ...headers } }, fetch: send }),
  };
}

/** HTTP+SSE, for version 1. */
export function sse(url: string): Connection<TransportV1> {
  // oxlint-disable-next-line typescript/no-deprecated -- the client of the transport that is tested
  return { transport: new SSEClientTransport(new URL(`${url}/sse`)) };
}

class CuttableWebSocket extends WebSocketTransport {
  async cut(): Promise<void> {
    this.socket?.terminate();
  }
}

/** WebSocket, for both versions. */
export function webSocket(url: string): Connection<TransportV1 & TransportV2> {
  const transport = new CuttableWebSocket(new URL(`${url.replace("http", "ws")}/mcp`), {});
  return { transport, cut: () => transport.cut() };
}

/** The client's end of a pair of transports whose other end a server in this process has. */
export async function inMemory(server: {
  connect(transport: TransportV1): Promise<void>;
}): Promise<Connection<TransportV1>> {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  await server.connect(serverEnd);
  return { transport: clientEnd };
}
