/**
 * A server of Node's own that cuts off whoever never comes to an end.
 *
 * Headers are Node's business. The time of a whole request is kept here: Node's own limit cannot tell a message that
 * trickles from a file that takes a while. Who reads a request can, wherever that is: a page is served by whichever
 * server it was mounted in, and knows none of them. So it says so of the request itself.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@photon/core";

export interface RequestTimeouts {
  /** How long headers may take, in milliseconds. */
  readonly headers: number;
  /** How long a request may take to come in whole, in milliseconds, unless somebody keeps its time. */
  readonly whole: number;
  /** How often it is looked who takes too long, in milliseconds. */
  readonly every: number;
}

export const defaultTimeouts: RequestTimeouts = { headers: 10_000, whole: 5 * 60_000, every: 5000 };

const kept = new WeakSet<IncomingMessage>();

/** Whoever reads a request sees to it that it comes to an end: it may take as long as they let it. */
export const exemptFromTimeout = (request: IncomingMessage): void => void kept.add(request);

export function serverWithTimeouts(
  handle: RequestListener,
  clock: Clock,
  { headers, whole, every }: RequestTimeouts = defaultTimeouts,
): Server {
  /** The last request of each line: before it has come in, there is no other. */
  const last = new Map<Socket, IncomingMessage>();
  /** Those that were still coming in, and when they were first seen to be. */
  let coming = new Map<IncomingMessage, number>();
  const bounds = { headersTimeout: headers, connectionsCheckingInterval: every, requestTimeout: 0 };
  const server = createServer(bounds, (request, response) => {
    last.set(request.socket, request);
    handle(request, response);
  });
  server.on("connection", (socket) => socket.once("close", () => last.delete(socket)));
  const look = (): void => {
    const still = new Map<IncomingMessage, number>();
    for (const [socket, request] of last) {
      if (request.complete || kept.has(request)) last.delete(socket);
      else {
        const since = coming.get(request) ?? clock.now();
        still.set(request, since);
        // Without a word: whoever trickles may have been answered already, or is being.
        if (clock.now() - since >= whole) request.destroy();
      }
    }
    coming = still;
  };
  // Not before: a server that finds its port taken is never closed.
  return server.once("listening", () => {
    // One for all of them, as Node has it.
    const looking = setInterval(look, every).unref();
    server.once("close", () => clearInterval(looking));
  });
}
