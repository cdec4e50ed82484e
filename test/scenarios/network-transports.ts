/** The transports of a server that listens on a port, in this process. */
import { createServer, revisions, type Revision } from "@photon/server";
import {
  httpV1,
  httpV2,
  sse as sseConnection,
  webSocket as webSocketConnection,
  type Connection,
  type TransportV1,
  type TransportV2,
} from "../clients/connections.ts";
import type { EventLog } from "../clients/event-log.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { createDefinitions } from "./tools.mjs";
import type { ScenarioServer, ScenarioServerOptions, ScenarioTransport } from "./transport.ts";

/** Connections of both versions of the SDK's client to the server at a URL. */
export interface NetworkConnections {
  readonly v1: (url: string) => Connection<TransportV1>;
  readonly v2?: (url: string) => Connection<TransportV2>;
}

export const httpConnections: NetworkConnections = { v1: (url) => httpV1(url), v2: (url) => httpV2(url) };
export const webSocketConnections: NetworkConnections = { v1: webSocketConnection, v2: webSocketConnection };
export const sseConnections: NetworkConnections = { v1: sseConnection };

export const streamableHttp: ScenarioTransport = {
  name: "Streamable HTTP",
  onDisconnect: { session: "waits", stateless: "waits" },
  fullIn: revisions,
  serve: (...given) => listen(httpConnections, ...given),
};

export const webSocket: ScenarioTransport = {
  name: "WebSocket",
  onDisconnect: { session: "ends", stateless: "waits" },
  serve: (...given) => listen(webSocketConnections, ...given),
};

export const sse: ScenarioTransport = {
  name: "SSE and POST",
  onDisconnect: { session: "ends" },
  serve: (...given) => listen(sseConnections, ...given),
};

async function listen(
  { v1, v2 }: NetworkConnections,
  revision: Revision,
  log: EventLog<string>,
  options: ScenarioServerOptions = {},
): Promise<ScenarioServer> {
  const server = createServer({
    name: "scenarios",
    maxRevision: revision,
    report: (error) => log.add(String(error)),
    ...options,
    ...createDefinitions({
      log: (line) => log.add(line),
      replace: (definitions) => server.replace(definitions),
    }),
  });
  const { url } = await server.listen();
  return {
    createClient: (capabilities) =>
      revision === "2026-07-28" && v2 !== undefined
        ? new SdkV2Client(v2(url), { capabilities })
        : new SdkV1Client(v1(url), { capabilities }),
    sessions: () => Promise.resolve(server.sessions),
    close: () => server.close(),
  };
}
