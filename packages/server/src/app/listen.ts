/** Listens on a port: limits of connections, and WebSocket upgrades by path. */
import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@photon/core";
import express from "express";
import type { Limits } from "../limits.ts";
import type { HttpApp } from "./router.ts";
import { type RequestTimeouts, serverWithTimeouts } from "../http/request-timeouts.ts";
import { PathTaken, PortTaken } from "../errors.ts";
import { displayHost } from "../http/hosts.ts";
import type { Duplex } from "node:stream";
import { rejectUpgrade } from "../http/responses.ts";
import { accountNameOf } from "../accounts.ts";

/** A port on which a server listens. */
export interface Listening {
  readonly port: number;
  /** The URL for clients on this machine, or by the given host: `http://127.0.0.1:3001`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A port that is closed in stages, so that received requests are answered. */
interface ListeningPort extends Listening {
  /** Accepts no more connections. Open connections stay open. */
  stop(): void;
  /** Ends every session, and answers the requests that have arrived. */
  drain(): Promise<void>;
}

interface ListenOnOptions {
  readonly port: number;
  readonly host: string;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly timeouts?: RequestTimeouts;
}

export async function listenOn(
  httpApp: HttpApp,
  { port, host, clock, limits, timeouts }: ListenOnOptions,
): Promise<ListeningPort> {
  const server = serverWithTimeouts(appFor(httpApp), clock, timeouts);
  const connections = new ConnectionLimit(server, limits);
  const upgrade: Upgrade = (request, socket, head) => {
    connections.release(socket);
    httpApp.upgrade(request, socket, head);
  };
  attachUpgrades(upgrade, server, "/mcp");
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    throw isTaken ? new PortTaken(port, host) : error;
  });
  // A server that listens on a port has an address with that port.
  const { port: actual } = server.address() as AddressInfo;
  let closed: Promise<unknown> | undefined;
  const stop = (): Promise<unknown> =>
    (closed ??= new Promise((resolve) => {
      server.close(resolve);
    }));
  return {
    port: actual,
    url: `http://${displayHost(host)}:${actual}`,
    stop: () => void stop(),
    drain: () => httpApp.close(),
    async close() {
      const stopped = stop();
      await httpApp.close();
      server.closeAllConnections();
      await stopped;
    },
  };
}

/** An Express app with the router, behind the fast path. */
export function appFor(httpApp: HttpApp): RequestListener {
  const app = express().disable("x-powered-by").use(httpApp.router);
  return (request, response) => {
    if (!httpApp.answer(request, response)) app(request, response);
  };
}

type Upgrade = HttpApp["upgrade"];

/** The WebSocket upgrades of HTTP servers, by path. */
const upgradesOf = new WeakMap<Server, Map<string, Upgrade>>();

/** Handles the upgrades of a server at a path. Returns a function that detaches the handler. */
export function attachUpgrades(upgrade: Upgrade, server: Server, path: string): () => void {
  const upgrades = upgradesOf.get(server) ?? new Map<string, Upgrade>();
  // Two handlers of one socket would crash the process.
  if (upgrades.has(path)) throw new PathTaken(path);
  upgrades.set(path, upgrade);
  if (!upgradesOf.has(server)) {
    upgradesOf.set(server, upgrades);
    // One listener for all paths, so that `dispatchUpgrade` can detect listeners of other code.
    server.on("upgrade", dispatchUpgrade);
  }
  return () => {
    if (upgrades.get(path) === upgrade) upgrades.delete(path);
    if (upgrades.size > 0 || upgradesOf.get(server) !== upgrades) return;
    upgradesOf.delete(server);
    server.off("upgrade", dispatchUpgrade);
  };
}

function dispatchUpgrade(this: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Split, not parsed: a URL that cannot be parsed is not a path of this server.
  const [path = ""] = (request.url ?? "").split("?", 1);
  const upgrade = upgradesOf.get(this)?.get(path);
  if (upgrade !== undefined) upgrade(request, socket, head);
  // No other listener answers it.
  else if (this.listenerCount("upgrade") === 1) rejectUpgrade(socket, "404 Not Found");
}

/** Limits the connections of a server, and those of one network address: each takes memory before its first request is complete. */
class ConnectionLimit {
  readonly #counts = new Map<string, number>();
  /** The addresses of the counted connections. */
  readonly #addresses = new WeakMap<Duplex, string>();

  constructor(server: Server, { connections, connectionsPerAddress }: Limits) {
    server.maxConnections = connections;
    server.on("connection", (socket) => {
      const address = accountNameOf(socket.remoteAddress);
      const count = this.#counts.get(address) ?? 0;
      if (count >= connectionsPerAddress) {
        // Without a response: writing one takes as much memory as the connection.
        socket.destroy();
        return;
      }
      this.#counts.set(address, count + 1);
      this.#addresses.set(socket, address);
      socket.once("close", () => this.release(socket));
    });
  }

  /** Stops counting a connection: it has closed, or asks to become a WebSocket, which the limits of sessions count. */
  release(socket: Duplex): void {
    const address = this.#addresses.get(socket);
    if (address === undefined) return;
    this.#addresses.delete(socket);
    const left = (this.#counts.get(address) ?? 1) - 1;
    if (left === 0) this.#counts.delete(address);
    else this.#counts.set(address, left);
  }
}
