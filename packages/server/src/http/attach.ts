/** The WebSocket upgrades of an HTTP server, by path. */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { hangUp } from "./responses.ts";
import type { HttpDoor } from "./open-http.ts";
import { PathTaken } from "./path-taken.ts";

const known = new WeakMap<Server, Upgrades>();

/** Leads the upgrades at a path to a door; gives back what stops it. */
export function attach(door: HttpDoor, server: Server, path: string): () => void {
  const upgrades = known.get(server) ?? new Upgrades(server);
  known.set(server, upgrades);
  upgrades.add(path, door);
  return () => upgrades.remove(path, door);
}

/** One listener on one server, however many paths there are: then whoever else listens is somebody else. */
class Upgrades {
  readonly #server: Server;
  readonly #doors = new Map<string, HttpDoor>();

  constructor(server: Server) {
    this.#server = server;
  }

  add(path: string, door: HttpDoor): void {
    // Two that took over one connection would bring the process down.
    if (this.#doors.has(path)) throw new PathTaken(path);
    if (this.#doors.size === 0) this.#server.on("upgrade", this.#lead);
    this.#doors.set(path, door);
  }

  remove(path: string, door: HttpDoor): void {
    if (this.#doors.get(path) === door) this.#doors.delete(path);
    if (this.#doors.size === 0) this.#server.off("upgrade", this.#lead);
  }

  readonly #lead = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // As it was sent: an address that cannot be parsed is no path of ours.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const door = this.#doors.get(path);
    if (door !== undefined) door.upgrade(request, socket, head);
    // Nobody else will answer it.
    else if (this.#server.listenerCount("upgrade") === 1) hangUp(socket, "404 Not Found");
  };
}
