/** Photon in an app that somebody already has, as one line of it. */
import type { NextFunction, Request, Response } from "express";
import { createServer, type Mountable, type ServerOptions } from "./create-server.ts";
import type { HttpOptions } from "./http/router.ts";

export interface PhotonRouter {
  (request: Request, response: Response, next: NextFunction): Promise<void>;
  /** Closes every session, and waits until every body has ended. From then on nobody is let in. */
  close(): Promise<void>;
}

/** Middleware that serves tools; WebSocket upgrades need `createServer(…).router()` and its `attach`. */
export function photonRouter(options: ServerOptions & HttpOptions = {}): PhotonRouter {
  const { transports, allowedHosts, allowedOrigins, ...given } = options;
  const http = {
    ...(transports && { transports }),
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
  };
  const server = createServer(given);
  let opening: Promise<Mountable> | undefined;
  const handle = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      // Loaded with the first request, as express has been by then.
      opening ??= server.router(http);
      const { router } = await opening;
      router(request, response, next);
    } catch (error) {
      next(error);
    }
  };
  const close = async (): Promise<void> => {
    opening ??= server.router(http);
    await opening;
    await server.close();
  };
  return Object.assign(handle, { close });
}
