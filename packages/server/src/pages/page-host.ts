/**
 * Decides whether a principal can have a page, and at which base URL. `PageRegistry`, which serves the pages, is loaded with the
 * first page or the first request for one.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import type { BearerTokens } from "../http/authentication.ts";
import { isLoopbackName } from "../http/hosts.ts";
import { type Page, type PageFor, PageRefused, pageLimitReason, type UserIdentification } from "./page.ts";
import type { PageRegistry } from "./page-registry.ts";

type PageHostSettings = Pick<Settings, "clock" | "report" | "limits" | "publicUrl">;

/** How long after the start uploads of killed servers are removed: no directory is read before the server can answer. */
const STALE_UPLOADS_DELAY_MS = 2000;

/** An HTTP listener or router of the server. */
interface PageEndpoint {
  /** Its URL, if that is known. */
  readonly url?: string | undefined;
  /** Whether it accepts every caller without authentication. */
  readonly isUnauthenticated?: boolean;
  /** The access tokens that it accepts. */
  readonly tokens?: BearerTokens | undefined;
}

export class PageHost {
  readonly #settings: PageHostSettings;
  readonly #identify: UserIdentification["identify"];
  /** The access tokens of the server, which endpoints may override. */
  readonly #tokens: BearerTokens | undefined;
  readonly #endpoints = new Set<PageEndpoint>();
  #registry: PageRegistry | undefined;
  readonly #staleUploadsTimer: NodeJS.Timeout;

  constructor(
    settings: PageHostSettings,
    { identify, tokens }: Pick<UserIdentification, "identify"> & Pick<PageEndpoint, "tokens">,
  ) {
    this.#settings = settings;
    this.#identify = identify;
    this.#tokens = tokens;
    const { report } = settings;
    this.#staleUploadsTimer = setTimeout(() => {
      import("./upload-folder.ts").then(({ removeStaleUploads }) => removeStaleUploads(report)).catch(report);
    }, STALE_UPLOADS_DELAY_MS).unref();
  }

  /** Adds an endpoint, and returns the function that removes it. */
  addEndpoint(endpoint: PageEndpoint): () => void {
    this.#endpoints.add(endpoint);
    return () => void this.#endpoints.delete(endpoint);
  }

  /** Opens a page for a question. Rejects with `PageRefused` if the principal can have none. */
  readonly open = async (pageFor: PageFor): Promise<Page> => {
    const reason = this.unavailableReason(pageFor.principal);
    if (reason !== undefined) throw new PageRefused(reason);
    return (await this.#load()).open(pageFor);
  };

  /** Why a principal can never have a page, as a phrase; `undefined` if it can. */
  unavailableReason(principal: string): string | undefined {
    if ([...this.#endpoints].some(({ isUnauthenticated }) => isUnauthenticated === true))
      return "this server accepts callers without authentication, so a page would have no owner";
    const base = this.base();
    if (base === undefined && this.#endpoints.size > 0)
      return "this server does not know the address it is reached by (publicUrl)";
    // Without a base URL, pages are at the local port, which is on loopback.
    if (base === undefined || isLoopbackName(base.hostname) || this.#identify !== undefined) return undefined;
    const tokens = this.#allTokens();
    if (tokens.length === 0)
      return `a page at ${base.origin} can be opened by anyone who has its address, and the server cannot identify them (tokens, identify)`;
    if (tokens.some((known) => known.has(principal))) return undefined;
    const name = principal === "" ? "a caller without a name" : JSON.stringify(principal);
    return `a page at ${base.origin} is opened with an access token, and there is none for ${name}`;
  }

  /** Why a principal cannot have a page now: the same reasons, or the limits. */
  unavailableNowReason(principal: string): string | undefined {
    const open = this.#registry?.countFor(principal) ?? { own: 0, all: 0 };
    return this.unavailableReason(principal) ?? pageLimitReason(open, this.#settings.limits);
  }

  /** Handles a request for a page at the server's own URL. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await (await this.#load()).handle(request, response);
  }

  async close(): Promise<void> {
    clearTimeout(this.#staleUploadsTimer);
    await this.#registry?.close();
  }

  /** Where pages are opened; `undefined` if only the local port can serve them. */
  base(): URL | undefined {
    const base = this.#settings.publicUrl ?? [...this.#endpoints].find(({ url }) => url !== undefined)?.url;
    return base === undefined ? undefined : new URL(base.replace(/\/*$/, "/"));
  }

  async #load(): Promise<PageRegistry> {
    const { PageRegistry: Registry } = await import("./page-registry.ts");
    this.#registry ??= new Registry(this.#settings, this);
    return this.#registry;
  }

  /** How users are identified on pages that are opened now. */
  identification(): UserIdentification {
    const tokens = this.#allTokens();
    const checkToken = (token: string): string | undefined =>
      tokens.map((known) => known.ownerOf(token)).find((owner) => owner !== undefined);
    return { identify: this.#identify, checkToken: tokens.length === 0 ? undefined : checkToken };
  }

  /** The tokens of the endpoints. `handler` adds its endpoint with its first request; until then the server's own count. */
  #allTokens(): readonly BearerTokens[] {
    const all =
      this.#endpoints.size === 0 ? [this.#tokens] : [...this.#endpoints].map(({ tokens }) => tokens);
    return all.filter((tokens) => tokens !== undefined);
  }
}
