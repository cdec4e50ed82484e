/**
 * Serves the pages of a server on stdio at a loopback port.
 *
 * The port is opened with the first page, and closed LINGER_MS after the last one ended: a user may press the button twice, and
 * then sees that the answer was received.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { OriginGuard } from "../http/origin-guard.ts";
import { serverWithTimeouts } from "../http/request-timeouts.ts";
import { PortTaken } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { misaddressedPage } from "./notices.ts";
import type { OpenPages, Page, PageFor } from "./types.ts";
import { PageRegistry, type PagesOptions } from "./page-registry.ts";
import { respond } from "./respond.ts";

export interface PageListenerOptions extends Omit<PagesOptions, "base" | "onEmpty"> {
  /** Any free port for 0, the default. */
  readonly port?: number;
}

const HOST = "127.0.0.1";
const LINGER_MS = 30_000;

export class PageListener {
  readonly #settings: Pick<Settings, "clock" | "report" | "limits">;
  readonly #port: number;
  readonly #pages: PageRegistry;
  readonly #guard = new OriginGuard({});
  #listening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  /** Pages that are being opened. */
  #opening = 0;
  #stopLingering: () => void = () => {};

  constructor(
    settings: Pick<Settings, "clock" | "report" | "limits">,
    { port = 0, ...options }: PageListenerOptions = {},
  ) {
    this.#settings = settings;
    this.#port = port;
    this.#pages = new PageRegistry(settings, {
      ...options,
      base: async () => (await this.#listen()).url,
      onEmpty: () => this.#linger(),
    });
  }

  /** The number of open pages. */
  get size(): number {
    return this.#pages.size;
  }

  countFor(principal: string): OpenPages {
    return this.#pages.countFor(principal);
  }

  get isListening(): boolean {
    return this.#listening !== undefined;
  }

  /** Opens a page for a question. Rejects where it is refused, or the port is taken. */
  async open(asked: PageFor): Promise<Page> {
    this.#opening += 1;
    this.#stopLingering();
    try {
      return await this.#pages.open(asked);
    } finally {
      this.#opening -= 1;
      if (this.size === 0) this.#linger();
    }
  }

  /** Closes every page, and stops listening. */
  async close(): Promise<void> {
    await this.#pages.close();
    await this.#stop();
  }

  #linger(): void {
    this.#stopLingering();
    if (this.#listening === undefined || this.#opening > 0) return;
    this.#stopLingering = this.#settings.clock.after(LINGER_MS, () => void this.#stop());
  }

  async #stop(): Promise<void> {
    this.#stopLingering();
    const listening = this.#listening;
    this.#listening = undefined;
    const found = await listening?.catch(() => undefined);
    if (found === undefined) return;
    await new Promise((resolve) => {
      found.server.close(resolve);
      found.server.closeAllConnections();
    });
  }

  #listen(): Promise<{ readonly server: Server; readonly url: string }> {
    this.#listening ??= this.#start().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  #start(): Promise<{ readonly server: Server; readonly url: string }> {
    const { clock } = this.#settings;
    const server = serverWithTimeouts((request, response) => this.#handle(request, response), clock);
    server.maxConnections = 100;
    // Only its client keeps the process alive.
    server.unref();
    return new Promise((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "EADDRINUSE" ? new PortTaken(this.#port, HOST) : error),
      );
      server.listen(this.#port, HOST, () => {
        // A server that listens on a port has an address with that port.
        const { port } = server.address() as AddressInfo;
        resolve({ server, url: `http://${HOST}:${port}` });
      });
    });
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.#guard.rejectionFor(request) === undefined) void this.#pages.handle(request, response);
    else respond(request, response, misaddressedPage);
  }
}
