/** The built `photon call` as a process, and servers for it to call. */
import { createServer as createHttpServer, type RequestListener } from "node:http";
import {
  connect as connectTo,
  createServer as createNetServer,
  type AddressInfo,
  type Server,
} from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createServer, type ListenOptions, type ServerOptions } from "@photon/server";
import { onTestFinished } from "vitest";
import {
  temporaryFolder,
  type Ended,
  type RunningCommand,
  type TemporaryFolder,
} from "../temporary-folder.ts";

interface Called {
  /** What is piped into it; nothing: stdin has ended. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: TemporaryFolder;
}

/** Runs `photon call` to its end. */
export async function call(args: readonly string[], called: Called = {}): Promise<Ended> {
  const { child, exitCode } = begin(args, called);
  child.stdin.end(called.input ?? "");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, exitCode: await exitCode };
}

/** Starts `photon call`; its stdin stays open. */
export function begin(
  args: readonly string[],
  { env, place = temporaryFolder() }: Called = {},
): RunningCommand {
  return place.start(["call", ...args], env);
}

/** Starts a Photon server until the test ends; returns its address, without a path. */
export async function serve(options: ServerOptions, listen: ListenOptions = {}): Promise<string> {
  const server = createServer({ report() {}, ...options });
  const { url } = await server.listen({ port: 0, ...listen });
  onTestFinished(() => server.close());
  return url;
}

/** Starts an HTTP server that is not Photon's; returns its address. */
export async function httpServer(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

/** A proxy before a server, which records the methods of MCP that are called, and `DELETE`. */
export async function recordingProxy(
  url: string,
): Promise<{ readonly url: string; readonly methods: () => readonly string[] }> {
  let received = "";
  const proxy = createNetServer((socket) => {
    const server = connectTo({ port: Number(new URL(url).port), host: "127.0.0.1" });
    socket.on("data", (bytes) => {
      received += bytes.toString("utf8");
    });
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      one.on("error", () => other.destroy());
      one.pipe(other);
    }
  });
  onTestFinished(() => void proxy.close());
  return {
    url: `http://127.0.0.1:${await portOf(proxy)}`,
    methods: () =>
      Array.from(
        received.matchAll(/"method":"([^"]+)"|(DELETE) \//g),
        ([, method, verb]) => method ?? verb ?? "",
      ),
  };
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createHttpServer();
  const port = await portOf(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // It listens on a port, and not on a pipe.
  return (server.address() as AddressInfo).port;
}

/** The arguments of `photon call` that start the server in a file. */
export const command = (file: URL, ...args: readonly string[]): readonly string[] => [
  "--",
  process.execPath,
  fileURLToPath(file),
  ...args,
];

/** A Photon server over stdio; its argument is the newest revision that it supports. */
export const stdioServer: URL = new URL("./fixtures/stdio-server.mjs", import.meta.url);
