/** Every protocol and transport between a client and a server, with a recording of every byte between them. */
import { once } from "node:events";
import { connect, createServer as createSocketServer, type AddressInfo, type Server } from "node:net";
import { createServer, type PhotonServer, type ServerOptions } from "@photon/server";
import { onTestFinished } from "vitest";
import { resolveSettings } from "../../packages/server/src/settings.ts";
import { serveStdio } from "../../packages/server/src/transports/stdio.ts";
import {
  overConnection,
  overHttp,
  overLines,
  overStatelessHttp,
  overSse,
  overWebSocket,
} from "../clients/carriers.ts";
import { StatelessClient, type RawClient } from "../clients/raw-client.ts";

export interface RecordedTransport {
  readonly client: RawClient | StatelessClient;
  /** The bytes in both directions. */
  readonly traffic: () => Buffer;
}

type Join = (port: number) => Promise<RawClient | StatelessClient>;

const at = (port: number): string => `http://127.0.0.1:${port}`;

/** By revision and transport: how a client connects, and whether it does over stdio. */
export const recordedTransports: { readonly [name: string]: readonly [joins: Join, isLines: boolean] } = {
  "2025-11-25 over stdio": [overLines, true],
  "2025-11-25 over SSE": [(port) => overSse(at(port)), false],
  "2025-11-25 over Streamable HTTP": [(port) => overHttp(at(port)), false],
  "2025-11-25 over WebSocket": [(port) => overWebSocket(at(port)), false],
  "2026-07-28 over stdio": [async (port) => new StatelessClient(overConnection(await overLines(port))), true],
  "2026-07-28 over Streamable HTTP": [
    async (port) => new StatelessClient(overStatelessHttp(at(port))),
    false,
  ],
  "2026-07-28 over WebSocket": [
    async (port) => new StatelessClient(overConnection(await overWebSocket(at(port)))),
    false,
  ],
};

export async function openRecorded(name: string, options: ServerOptions): Promise<RecordedTransport> {
  const [join, isLines] = recordedTransports[name] ?? [];
  if (join === undefined || isLines === undefined) throw new Error(`There is no transport ${name}.`);
  const server = createServer(options);
  onTestFinished(() => server.close());
  const port = isLines ? await serveLines(server, options) : (await server.listen()).port;
  const recorded: Buffer[] = [];
  const client = await join(await tap(port, recorded));
  return { client, traffic: () => Buffer.concat(recorded) };
}

/** A socket in place of stdin and stdout. */
function serveLines(server: PhotonServer, options: ServerOptions): Promise<number> {
  return portOf(
    createSocketServer((socket) => {
      socket.on("error", () => {});
      void serveStdio(server.open, socket, socket, resolveSettings(options)).closed.then(() => socket.end());
    }),
  );
}

/** A proxy of a port that records the bytes. */
function tap(port: number, recorded: Buffer[]): Promise<number> {
  return portOf(
    createSocketServer((client) => {
      const server = connect(port, "127.0.0.1");
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        from.on("data", (part: Buffer) => void recorded.push(part));
        from.on("error", () => to.destroy());
        from.pipe(to);
      }
    }),
  );
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // It listens on a port.
  return (server.address() as AddressInfo).port;
}
