/** A port of one's own for what a server offers over HTTP. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { PortTaken } from "./port-taken.ts";
import { hangUp, type HttpDoor } from "./router.ts";

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:3001` */
  readonly url: string;
  close(): Promise<void>;
}

export async function listenOn(door: HttpDoor, port: number, host: string): Promise<Listening> {
  const server = createServer(appFor(door));
  server.on("upgrade", (request, socket, head) => {
    if (pathOf(request.url) === "/mcp") door.upgrade(request, socket, head);
    else hangUp(socket, "404 Not Found");
  });
  await listening(server, port, host);
  // A server that listens on a port has an address with that port.
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      await door.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An express app of nothing but Photon. */
export function appFor(door: HttpDoor): Express {
  return express().disable("x-powered-by").use(door.router);
}

/** The path in the first line of a request, as it was sent. */
export function pathOf(url = "/"): string {
  const [path = ""] = url.split("?", 1);
  return path;
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
