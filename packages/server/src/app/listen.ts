/** A port of one's own for what a server offers over HTTP. */
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

/** A port that is closed in stages: what came in before is answered. */
export interface OpenPort extends Listening {
  /** Accepts no more connections. Those that are open stay open. */
  stop(): void;
  /** Ends every session, and answers what has arrived. */
  drain(): Promise<void>;
}

export interface ListeningOn {
  readonly port: number;
  readonly host: string;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly patience?: RequestTimeouts;
}

export async function listenOn(
  door: HttpApp,
  { port, host, clock, limits, patience }: ListeningOn,
): Promise<OpenPort> {
  const server = serverWithTimeouts(appFor(door), clock, patience);
  const connections = new ConnectionLimit(server, limits);
  const upgrade: HttpApp["upgrade"] = (request, socket, head) => {
    connections.release(socket);
    door.upgrade(request, socket, head);
  };
  attachUpgrades({ ...door, upgrade }, server, "/mcp");
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
    drain: () => door.close(),
    async close() {
      const stopped = stop();
      await door.close();
      server.closeAllConnections();
      await stopped;
    },
  };
}

/** Nothing but Photon: an express app, and a short way past it. */
export function appFor(door: HttpApp): RequestListener {
  const app = express().disable("x-powered-by").use(door.router);
  return (request, response) => {
    if (!door.answer(request, response)) app(request, response);
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

/** Leads the upgrades at a path to a door; gives back what stops it. */
export function attachUpgrades(door: HttpApp, server: Server, path: string): () => void {
  const upgrades = known.get(server) ?? new Upgrades(server);
  known.set(server, upgrades);
  upgrades.add(path, door);
  return () => upgrades.remove(path, door);
}

/** One listener on one server, however many paths there are: then whoever else listens is somebody else. */
class Upgrades {
  readonly #server: Server;
  readonly #doors = new Map<string, HttpApp>();

  constructor(server: Server) {
    this.#server = server;
  }

  add(path: string, door: HttpApp): void {
    // Two that took over one connection would bring the process down.
    if (this.#doors.has(path)) throw new PathTaken(path);
    if (this.#doors.size === 0) this.#server.on("upgrade", this.#dispatch);
    this.#doors.set(path, door);
  }

  remove(path: string, door: HttpApp): void {
    if (this.#doors.get(path) === door) this.#doors.delete(path);
    if (this.#doors.size === 0) this.#server.off("upgrade", this.#dispatch);
  }

  readonly #dispatch = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // As it was sent: an address that cannot be parsed is no path of ours.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const door = this.#doors.get(path);
    if (door !== undefined) door.upgrade(request, socket, head);
    // Nobody else will answer it.
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
