/**
 * A loopback port for the pages of a server that listens on no other.
 *
 * It is opened with the first page, and closed LINGER_MS after the last one ended: a user may press the button twice, and then sees
 * that the answer was received.
 */
import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@photon/core";
import { OriginGuard } from "../http/origin-guard.ts";
import { serverWithTimeouts } from "../http/request-timeouts.ts";
import { sendPage } from "./send-page.ts";
import { notice } from "./notices.ts";

const HOST = "127.0.0.1";
const MAX_CONNECTIONS = 100;
const LINGER_MS = 30_000;

export class LocalPort {
  readonly #clock: Clock;
  readonly #handle: RequestListener;
  readonly #guard = new OriginGuard({});
  #server: Promise<Server> | undefined;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, handle: RequestListener) {
    this.#clock = clock;
    this.#handle = handle;
  }

  /** Opens the port, unless it is open. Returns the base URL of its pages. */
  async open(): Promise<URL> {
    this.#stopTimer();
    this.#server ??= this.#listen().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    // A server that listens on a port has an address with that port.
    const { port } = (await this.#server).address() as AddressInfo;
    return new URL(`http://${HOST}:${port}/`);
  }

  /** Closes the port LINGER_MS from now, unless it is opened again. */
  closeLater(): void {
    this.#stopTimer();
    if (this.#server !== undefined) this.#stopTimer = this.#clock.after(LINGER_MS, () => void this.close());
  }

  async close(): Promise<void> {
    this.#stopTimer();
    const opened = this.#server;
    this.#server = undefined;
    const server = await opened?.catch(() => undefined);
    if (server === undefined) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  async #listen(): Promise<Server> {
    const server = serverWithTimeouts((request, response) => {
      if (this.#guard.rejectionFor(request) === undefined) this.#handle(request, response);
      else sendPage(response, notice("wrongHost"));
    }, this.#clock);
    server.maxConnections = MAX_CONNECTIONS;
    // Only the client of the server keeps the process alive.
    server.unref();
    server.listen(0, HOST);
    await once(server, "listening");
    return server;
  }
}
