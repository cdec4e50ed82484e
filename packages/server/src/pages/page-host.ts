/** Opens the pages of a server: at the server's own URL, or for a server on stdio at a local port of their own. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import type { BearerTokens } from "../crypto/bearer-tokens.ts";
import { type Identifying, type Page, type PageFor, PageRefused, pageLimitReason } from "./types.ts";
import type { PageListener } from "./local-listener.ts";
import type { PageRegistry } from "./page-registry.ts";
import { isOnLoopback, baseUrlOf } from "./request-origin.ts";

type PageHostSettings = Pick<Settings, "clock" | "report" | "limits" | "publicUrl">;

/** How long after the start uploads of killed servers are removed: no directory is read before the server can answer. */
const STALE_UPLOADS_DELAY_MS = 2000;

/** A transport that the server is reached by. */
interface PageEndpoint {
  /** Its URL, where that is known. */
  readonly url?: string | undefined;
  /** Whether it accepts every caller without authentication. */
  readonly isForAnybody?: boolean;
  /** The access tokens that it accepts. */
  readonly tokens?: BearerTokens | undefined;
}

/** How visitors are identified, apart from the tokens of the endpoints. */
interface Identities extends Pick<Identifying, "identify">, Pick<PageEndpoint, "tokens"> {}

export class PageHost {
  readonly #settings: PageHostSettings;
  readonly #identities: Identities;
  readonly #endpoints = new Set<PageEndpoint>();
  #pages: Promise<PageRegistry> | undefined;
  #listener: Promise<PageListener> | undefined;
  /** The same, once they are loaded. Before that no page is open. */
  #loadedPages: PageRegistry | undefined;
  #loadedListener: PageListener | undefined;
  readonly #staleUploads: NodeJS.Timeout;

  constructor(settings: PageHostSettings, identities: Identities) {
    this.#settings = settings;
    this.#identities = identities;
    this.#staleUploads = setTimeout(() => void this.#removeStaleUploads(), STALE_UPLOADS_DELAY_MS).unref();
  }

  /** Adds an endpoint, and returns the function that removes it. */
  addEndpoint(endpoint: PageEndpoint): () => void {
    this.#endpoints.add(endpoint);
    return () => void this.#endpoints.delete(endpoint);
  }

  /** Opens a page for a question. Rejects with `PageRefused` where the principal can have none. */
  readonly open = async (asked: PageFor): Promise<Page> => {
    const problem = this.unavailableReason(asked.principal);
    if (problem !== undefined) throw new PageRefused(problem);
    if (this.#base() !== undefined) return (await this.#ownPages()).open(asked);
    this.#listener ??= import("./local-listener.ts").then(({ PageListener: Listener }) => {
      const identifying = () => ({ identify: this.#identities.identify });
      this.#loadedListener = new Listener(this.#settings, { identifying });
      return this.#loadedListener;
    });
    return (await this.#listener).open(asked);
  };

  /** Why a principal can never have a page, as a phrase; `undefined` where it can. */
  readonly unavailableReason = (principal: string): string | undefined => {
    if ([...this.#endpoints].some(({ isForAnybody }) => isForAnybody === true))
      return "this server accepts callers without authentication, so nothing says whose page it would be";
    const base = this.#base();
    if (base !== undefined) return pageUnavailableReason(baseUrlOf(base), principal, this.#identifying());
    return this.#endpoints.size === 0
      ? undefined
      : "this server does not know the address it is reached by (publicUrl)";
  };

  /** The same, or that the limits allow no further page now. */
  readonly unavailableNowReason = (principal: string): string | undefined => {
    const pages = this.#base() === undefined ? this.#loadedListener : this.#loadedPages;
    const open = pages?.countFor(principal) ?? { own: 0, all: 0 };
    return this.unavailableReason(principal) ?? pageLimitReason(open, this.#settings.limits);
  };

  /** Handles a request for a page at the server's own URL. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await (await this.#ownPages()).handle(request, response);
  }

  async close(): Promise<void> {
    clearTimeout(this.#staleUploads);
    await Promise.all([(await this.#pages)?.close(), (await this.#listener)?.close()]);
  }

  async #removeStaleUploads(): Promise<void> {
    const { report } = this.#settings;
    try {
      const { removeStaleUploads } = await import("./uploads.ts");
      await removeStaleUploads(report);
    } catch (error) {
      report(error);
    }
  }

  #base(): string | undefined {
    const [address] = [...this.#endpoints].flatMap(({ url }) => url ?? []);
    return this.#settings.publicUrl ?? address;
  }

  #ownPages(): Promise<PageRegistry> {
    this.#pages ??= import("./page-registry.ts").then(({ PageRegistry: Own }) => {
      this.#loadedPages = new Own(this.#settings, {
        identifying: () => this.#identifying(),
        // Pages are opened only where there is an address.
        base: () => this.#base() ?? "http://localhost",
      });
      return this.#loadedPages;
    });
    return this.#pages;
  }

  /** Reads the tokens of the endpoints that there are now: a page may be older than an endpoint. */
  #identifying(): Identifying {
    const { identify, tokens: own } = this.#identities;
    // A request handler adds its endpoint with its first request. Until then the tokens of the server count.
    const taken = this.#endpoints.size === 0 ? [own] : [...this.#endpoints].map(({ tokens }) => tokens);
    const all = taken.filter((tokens) => tokens !== undefined);
    if (all.length === 0) return { identify };
    return {
      identify,
      checkToken: (token) => all.map((tokens) => tokens.ownerOf(token)).find((owner) => owner !== undefined),
      hasToken: (principal) => all.some((tokens) => tokens.has(principal)),
    };
  }
}

/** Why a page at a URL is refused: anyone could open it, or the principal could not. */
function pageUnavailableReason(
  place: URL,
  principal: string,
  { identify, checkToken, hasToken }: Identifying,
): string | undefined {
  if (isOnLoopback(place) || identify !== undefined) return undefined;
  if (checkToken === undefined)
    return `a page at ${place.origin} can be opened by anyone who has its address, and the server cannot identify them (tokens, identify)`;
  if (hasToken === undefined || hasToken(principal)) return undefined;
  const who = principal === "" ? "a caller without a name" : JSON.stringify(principal);
  return `a page at ${place.origin} is opened with an access token, and there is none for ${who}`;
}
