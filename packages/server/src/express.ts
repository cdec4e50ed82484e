/** Photon as Express middleware. */
import type { NextFunction, Request, Response } from "express";
import { createServer, type Mountable, type ServerOptions } from "./server.ts";

/** Express middleware that serves tools, and closes them. */
export interface PhotonRouter {
  (request: Request, response: Response, next: NextFunction): Promise<void>;
  /** Closes every session, and resolves when every body has ended. Requests are refused afterwards. */
  close(): Promise<void>;
}

/** Middleware that serves tools; WebSocket upgrades need `createServer(…).router()` and its `attach`. */
export function photonRouter(options: ServerOptions = {}): PhotonRouter {
  const server = createServer(options);
  let isClosed = false;
  let opening: Promise<Mountable> | undefined;
  const open = async (): Promise<Mountable> => {
    const mountable = await server.router();
    // A request after `close()` opens a closed router, which refuses it.
    if (isClosed) await server.close();
    return mountable;
  };
  const handle = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      // Opened with the first request: by then the app has loaded express.
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
