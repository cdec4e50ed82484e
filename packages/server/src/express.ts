/** Photon in an app that somebody already has, as one line of it. */
import type { NextFunction, Request, Response } from "express";
import { createServer, type Mountable, type ServerOptions } from "./server.ts";

export interface PhotonRouter {
  (request: Request, response: Response, next: NextFunction): Promise<void>;
  /** Closes every session, and waits until every body has ended. From then on nobody is let in. */
  close(): Promise<void>;
}

/** Middleware that serves tools; WebSocket upgrades need `createServer(…).router()` and its `attach`. */
export function photonRouter(options: ServerOptions = {}): PhotonRouter {
  const server = createServer(options);
  let isClosed = false;
  let opening: Promise<Mountable> | undefined;
  const open = async (): Promise<Mountable> => {
    const mountable = await server.router();
    // Opened for somebody who comes after the end, to be turned away.
    if (isClosed) await server.close();
    return mountable;
  };
  const handle = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      // Loaded with the first request, as express has been by then.
      opening ??= open();
      const { router } = await opening;
      router(request, response, next);
    } catch (error) {
      next(error);
    }
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await server.close();
  };
  return Object.assign(handle, { close });
}
