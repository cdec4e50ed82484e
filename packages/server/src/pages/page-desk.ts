/**
 * Where a server's pages are: at the address it is reached by, or, for one on stdio, at a port of their own.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import { PageRefused, type Identifying, type Page, type PageFor } from "./page.ts";
import type { PageListener } from "./page-listener.ts";
import type { Pages } from "./pages.ts";

type DeskSettings = Pick<Settings, "clock" | "report" | "limits" | "publicUrl">;

/** A way in to the server. */
export interface WayIn {
  /** The address that it is reached by, where that is known here. */
  readonly url?: string | undefined;
  /** Whether it lets anybody in, from anywhere. */
  readonly isForAnybody?: boolean;
  /** Whose access token it is, of those that this way in takes. */
  readonly checkToken?: Identifying["checkToken"];
}

export class PageDesk {
  readonly #settings: DeskSettings;
  readonly #identify: Identifying["identify"];
  readonly #ways = new Set<WayIn>();
  #pages: Promise<Pages> | undefined;
  #listener: Promise<PageListener> | undefined;

  constructor(settings: DeskSettings, identify: Identifying["identify"]) {
    this.#settings = settings;
    this.#identify = identify;
  }

  /** The server is reached by one more way from now on; gives back what ends that. */
  openedAt(way: WayIn): () => void {
    this.#ways.add(way);
    return () => void this.#ways.delete(way);
  }

  readonly open = async (asked: PageFor): Promise<Page> => {
    if ([...this.#ways].some(({ isForAnybody }) => isForAnybody === true))
      throw new PageRefused("Anybody may call this server, and nothing tells whose page it would be.");
    if (this.#base() !== undefined) return (await this.#ownPages()).open(asked);
    if (this.#ways.size > 0)
      throw new PageRefused("This server does not know the address it is reached by; give it a publicUrl.");
    this.#listener ??= import("./page-listener.ts").then(
      ({ PageListener: Listener }) => new Listener(this.#settings, { identify: this.#identify }),
    );
    return (await this.#listener).open(asked);
  };

  /** Answers a request for a page that came in by the server's own address. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await (await this.#ownPages()).handle(request, response);
  }

  async close(): Promise<void> {
    await Promise.all([(await this.#pages)?.close(), (await this.#listener)?.close()]);
  }

  #base(): string | undefined {
    const [address] = [...this.#ways].flatMap(({ url }) => url ?? []);
    return this.#settings.publicUrl ?? address;
  }

  #ownPages(): Promise<Pages> {
    const checkToken = (): Identifying["checkToken"] => this.#checkToken();
    this.#pages ??= import("./pages.ts").then(
      ({ Pages: Own }) =>
        new Own(this.#settings, {
          identify: this.#identify,
          // Looked at when a page is opened: by then there may be other ways in.
          get checkToken() {
            return checkToken();
          },
          // Pages are opened only where there is an address.
          base: () => this.#base() ?? "http://localhost",
        }),
    );
    return this.#pages;
  }

  /** Whose access token it is, at whichever way in; nothing, where none takes any. */
  #checkToken(): Identifying["checkToken"] {
    const checks = [...this.#ways].flatMap(({ checkToken }) => checkToken ?? []);
    if (checks.length === 0) return undefined;
    return async (token) => {
      const owners = await Promise.all(checks.map(async (check) => check(token)));
      return owners.find((owner) => owner !== undefined);
    };
  }
}
