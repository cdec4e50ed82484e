/** The built `photon call` at work, and Photon's own servers for it to call. */
import { createServer as createHttpServer, type RequestListener } from "node:http";
import {
  connect as connectTo,
  createServer as createNetServer,
  type AddressInfo,
  type Server,
} from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createServer, type ServerOptions } from "@photon/server";
import { onTestFinished } from "vitest";
import { workshop, type Ended, type Started, type Workshop } from "../serve/workshop.ts";

interface Called {
  /** What is piped into it; nothing: stdin has ended. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: Workshop;
}

/** Calls, to the end. */
export async function call(args: readonly string[], called: Called = {}): Promise<Ended> {
  const { child, exitCode } = begin(args, called);
  child.stdin.end(called.input ?? "");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, exitCode: await exitCode };
}

/** Begins to call; its stdin stays open. */
export function begin(args: readonly string[], { env, place = workshop() }: Called = {}): Started {
  return place.start(["call", ...args], env);
}

/** Serves at an address of its own, until the test ends; gives the address, without a path. */
export async function serve(options: ServerOptions): Promise<string> {
  const server = createServer({ report() {}, ...options });
  const { url } = await server.listen({ port: 0 });
  onTestFinished(() => server.close());
  return url;
}

/** Something else that listens. */
export async function listenAs(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

/** Stands between a server and whoever calls it, and hears the methods that are called: of MCP, and `DELETE`. */
export async function overhear(
  url: string,
): Promise<{ readonly url: string; readonly heard: () => readonly string[] }> {
  let said = "";
  const between = createNetServer((socket) => {
    const server = connectTo({ port: Number(new URL(url).port), host: "127.0.0.1" });
    socket.on("data", (bytes) => {
      said += bytes.toString("utf8");
    });
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      one.on("error", () => other.destroy());
      one.pipe(other);
    }
  });
  onTestFinished(() => void between.close());
  return {
    url: `http://127.0.0.1:${await portOf(between)}`,
    heard: () =>
      Array.from(
        said.matchAll(/"method":"([^"]+)"|(DELETE) \//g),
        ([, method, verb]) => method ?? verb ?? "",
      ),
  };
}

/** A port that was free just now. */
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

/** A command that is the server in a file. */
export const command = (file: URL, ...args: readonly string[]): readonly string[] => [
  "--",
  process.execPath,
  fileURLToPath(file),
  ...args,
];

/** One of Photon's own, over stdio; it may be told the newest revision to speak. */
export const hotel: URL = new URL("./fixtures/stdio-server.mjs", import.meta.url);
