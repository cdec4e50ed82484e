/**
 * Node's HTTP server with limits against slow requests.
 *
 * Node limits the time of headers. The time of a whole request is limited here, because Node's limit cannot tell a slow message from
 * a long upload: a handler that limits the time itself exempts its request.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@photon/core";

export interface RequestTimeouts {
  /** How long headers may take, in milliseconds. */
  readonly headers: number;
  /** How long a request may take to arrive, in milliseconds, unless it is exempt. */
  readonly whole: number;
  /** How often requests are checked, in milliseconds. */
  readonly every: number;
}

export const defaultTimeouts: RequestTimeouts = { headers: 10_000, whole: 5 * 60_000, every: 5000 };

const exempt = new WeakSet<IncomingMessage>();

/** For a handler that limits the time of a request itself. */
export const exemptFromTimeout = (request: IncomingMessage): void => void exempt.add(request);

export function serverWithTimeouts(
  handle: RequestListener,
  clock: Clock,
  { headers, whole, every }: RequestTimeouts = defaultTimeouts,
): Server {
  /** The last request of each connection: the next one begins after it has arrived. */
  const last = new Map<Socket, IncomingMessage>();
  /** Requests that had not arrived at the last check, and when they were first seen. */
  let arriving = new Map<IncomingMessage, number>();
  const bounds = { headersTimeout: headers, connectionsCheckingInterval: every, requestTimeout: 0 };
  const server = createServer(bounds, (request, response) => {
    last.set(request.socket, request);
    handle(request, response);
  });
  server.on("connection", (socket) => socket.once("close", () => last.delete(socket)));
  const check = (): void => {
    const still = new Map<IncomingMessage, number>();
    for (const [socket, request] of last) {
      if (request.complete || exempt.has(request)) last.delete(socket);
      else {
        const since = arriving.get(request) ?? clock.now();
        still.set(request, since);
        // Without a response: the request may be answered already.
        if (clock.now() - since >= whole) request.destroy();
      }
    }
    arriving = still;
  };
  // A server whose port is taken never emits `close`.
  return server.once("listening", () => {
    const checking = setInterval(check, every).unref();
    server.once("close", () => clearInterval(checking));
  });
}
