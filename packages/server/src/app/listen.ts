/** Listens on a port; WebSocket upgrades by path; limits of connections. */
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

export interface Listening {
  readonly port: number;
  /** Where it is reached from this machine, or by the host it was given: `http://127.0.0.1:3001`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A port that is closed in stages, so that received requests are answered. */
export interface ListeningPort extends Listening {
  /** Accepts no more connections. Those that are open stay open. */
  stop(): void;
  /** Ends every session, and answers what has arrived. */
  drain(): Promise<void>;
}

export interface ListenOnOptions {
  readonly port: number;
  readonly host: string;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly patience?: RequestTimeouts;
}

export async function listenOn(
  httpApp: HttpApp,
  { port, host, clock, limits, patience }: ListenOnOptions,
): Promise<ListeningPort> {
  const server = serverWithTimeouts(appFor(httpApp), clock, patience);
  const connections = new ConnectionLimit(server, limits);
  const upgrade: HttpApp["upgrade"] = (request, socket, head) => {
    connections.release(socket);
    httpApp.upgrade(request, socket, head);
  };
  attachUpgrades({ ...httpApp, upgrade }, server, "/mcp");
  await listening(server, port, host);
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

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(error.code === "EADDRINUSE" ? new PortTaken(port, host) : error);
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

/** The WebSocket upgrades of an HTTP server, by path. */

const known = new WeakMap<Server, Upgrades>();

/** Passes the upgrades at a path to an app. Returns what detaches it. */
export function attachUpgrades(httpApp: HttpApp, server: Server, path: string): () => void {
  const upgrades = known.get(server) ?? new Upgrades(server);
  known.set(server, upgrades);
  upgrades.add(path, httpApp);
  return () => upgrades.remove(path, httpApp);
}

/** One listener per server for all paths: any other listener is not ours. */
class Upgrades {
  readonly #server: Server;
  readonly #apps = new Map<string, HttpApp>();

  constructor(server: Server) {
    this.#server = server;
  }

  add(path: string, httpApp: HttpApp): void {
    // Two handlers of one socket would crash the process.
    if (this.#apps.has(path)) throw new PathTaken(path);
    if (this.#apps.size === 0) this.#server.on("upgrade", this.#dispatch);
    this.#apps.set(path, httpApp);
  }

  remove(path: string, httpApp: HttpApp): void {
    if (this.#apps.get(path) === httpApp) this.#apps.delete(path);
    if (this.#apps.size === 0) this.#server.off("upgrade", this.#dispatch);
  }

  readonly #dispatch = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // As it was sent: a URL that cannot be parsed is no path of ours.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const httpApp = this.#apps.get(path);
    if (httpApp !== undefined) httpApp.upgrade(request, socket, head);
    // No other listener answers it.
    else if (this.#server.listenerCount("upgrade") === 1) rejectUpgrade(socket, "404 Not Found");
  };
}

/** How many connections a server takes, and how many of one network address: one that has sent no whole request takes memory, too. */

class ConnectionLimit {
  readonly #counts = new Map<string, number>();
  /** The addresses of the connections that count. */
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
