/** A port of one's own for what a server offers over HTTP. */
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@photon/core";
import express from "express";
import type { Limits } from "../settings.ts";
import { attach } from "./attach.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import type { HttpDoor } from "./open-http.ts";
import { type Patience, patientServer } from "./request-timeouts.ts";
import { PortTaken } from "./port-taken.ts";
import { reachedBy } from "./hosts.ts";

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
  readonly patience?: Patience;
}

export async function listenOn(
  door: HttpDoor,
  { port, host, clock, limits, patience }: ListeningOn,
): Promise<OpenPort> {
  const server = patientServer(appFor(door), clock, patience);
  const connections = new ConnectionLimit(server, limits);
  const upgrade: HttpDoor["upgrade"] = (request, socket, head) => {
    connections.release(socket);
    door.upgrade(request, socket, head);
  };
  attach({ ...door, upgrade }, server, "/mcp");
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
    url: `http://${reachedBy(host)}:${actual}`,
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
export function appFor(door: HttpDoor): RequestListener {
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
