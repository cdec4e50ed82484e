/** A server on each transport, and raw clients of it. */
import { once } from "node:events";
import { createServer as createSocketServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createServer, type ListenOptions, type PhotonServer, type ServerOptions } from "../../src/index.ts";
import { resolveSettings } from "../../src/settings.ts";
import { serveStdio } from "../../src/transports/stdio.ts";
import {
  overConnection,
  overHttp,
  overLines,
  overStatelessHttp,
  overSse,
  overWebSocket,
} from "../../../../test/clients/carriers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { StatelessClient, type RawClient } from "../../../../test/clients/raw-client.ts";

export interface TestServer {
  readonly server: PhotonServer;
  /** A client that has sent nothing. */
  readonly connect: () => Promise<RawClient>;
}

/** Starts a server, and closes it when the test finishes. */
export type StartServer = (options: ServerOptions) => Promise<TestServer>;

/** A socket in place of stdin and stdout, which stdio.test.ts tests. */
const stdio: StartServer = async (options) => {
  const server = createServer(options);
  const sockets = new Set<Socket>();
  const listener = createSocketServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const line = serveStdio(server.open, socket, socket, resolveSettings(options));
    void line.closed.then(() => socket.end());
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  // It listens on a port.
  const { port } = listener.address() as AddressInfo;
  onTestFinished(async () => {
    await server.close();
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  return { server, connect: () => overLines(port) };
};

const overPort =
  (connect: (url: string) => Promise<RawClient>): StartServer =>
  async (options) => {
    const { server, url } = await listening(options);
    return { server, connect: () => connect(url) };
  };

/** A server that listens on a free port until the test finishes. */
export async function listening(
  options: ServerOptions = {},
  listen: ListenOptions = {},
): Promise<{ readonly server: PhotonServer; readonly url: string }> {
  const server = createServer(options);
  onTestFinished(() => server.close());
  const { url } = await server.listen(listen);
  return { server, url };
}

export const transports = {
  stdio,
  websocket: overPort(overWebSocket),
  sse: overPort(overSse),
  "streamable http": overPort(overHttp),
} satisfies { readonly [name: string]: StartServer };

export interface StatelessServer {
  readonly server: PhotonServer;
  readonly connect: (can?: Fields) => Promise<StatelessClient>;
}

type StartStatelessServer = (options: ServerOptions) => Promise<StatelessServer>;

const onLines =
  (set: (typeof transports)["stdio"]): StartStatelessServer =>
  async (options) => {
    const { server, connect } = await set(options);
    return { server, connect: async (can) => new StatelessClient(overConnection(await connect()), can) };
  };

/** A server on each transport of 2026-07-28, and stateless clients of it. */
export const statelessTransports: {
  readonly [name in "stdio" | "websocket" | "streamable http"]: StartStatelessServer;
} = {
  stdio: onLines(transports.stdio),
  websocket: onLines(transports.websocket),
  "streamable http": async (options) => {
    const { server, url } = await listening(options);
    return { server, connect: async (can) => new StatelessClient(overStatelessHttp(url), can) };
  },
};

/** A server over HTTP, and a stateless client of it. */
export async function serveStateless(
  options: ServerOptions,
  can?: Fields,
): Promise<{
  readonly server: StatelessServer["server"];
  readonly url: string;
  readonly client: StatelessClient;
}> {
  const { server, url } = await listening(options);
  return { server, url, client: new StatelessClient(overStatelessHttp(url), can) };
}
