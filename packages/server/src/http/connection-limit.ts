/** How many connections a server takes, and how many of one network address: one that has sent no whole request takes memory, too. */
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { ownerAt } from "../accounts.ts";
import type { Limits } from "../settings.ts";

export class ConnectionLimit {
  readonly #counts = new Map<string, number>();
  /** The addresses of the connections that count. */
  readonly #addresses = new WeakMap<Duplex, string>();

  constructor(server: Server, { connections, connectionsPerAddress }: Limits) {
    server.maxConnections = connections;
    server.on("connection", (socket) => {
      const address = ownerAt(socket.remoteAddress);
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

  /** A connection has ended, or counts as a session from now on. */
  release(socket: Duplex): void {
    const address = this.#addresses.get(socket);
    if (address === undefined) return;
    this.#addresses.delete(socket);
    const left = (this.#counts.get(address) ?? 1) - 1;
    if (left === 0) this.#counts.delete(address);
    else this.#counts.set(address, left);
  }
}
