/**
 * Where a server's pages are: at the address it is reached by, or, for one on stdio, at a port of their own.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import type { Tokens } from "../crypto/bearer-tokens.ts";
import {
  type PageHost,
  type Identifying,
  type Page,
  type PageFor,
  PageRefused,
  pageLimitReason,
} from "./types.ts";
import type { PageListener } from "./local-listener.ts";
import type { PageRegistry } from "./page-registry.ts";
import { isOnLoopback, baseUrlOf } from "./request-origin.ts";

type DeskSettings = Pick<Settings, "clock" | "report" | "limits" | "publicUrl">;

/** How long after the start uploads of killed servers are removed: no directory is read before the server can answer. */
const STALE_UPLOADS_DELAY_MS = 2000;

/** A way in to the server. */
interface PageEndpoint {
  /** The address that it is reached by, where that is known here. */
  readonly url?: string | undefined;
  /** Whether it lets anybody in, from anywhere. */
  readonly isForAnybody?: boolean;
  /** The access tokens that this way in takes. */
  readonly tokens?: Tokens | undefined;
}

/** How people are known, whatever the way in. */
interface Identities extends Pick<Identifying, "identify">, Pick<PageEndpoint, "tokens"> {}

export class PageHostImpl implements PageHost {
  readonly #settings: DeskSettings;
  readonly #identities: Identities;
  readonly #ways = new Set<PageEndpoint>();
  #pages: Promise<PageRegistry> | undefined;
  #listener: Promise<PageListener> | undefined;
  /** The same, once they are loaded: before that there is no page. */
  #loadedPages: PageRegistry | undefined;
  #loadedListener: PageListener | undefined;
  readonly #staleUploads: NodeJS.Timeout;

  constructor(settings: DeskSettings, identities: Identities) {
    this.#settings = settings;
    this.#identities = identities;
    this.#staleUploads = setTimeout(() => void this.#removeStaleUploads(), STALE_UPLOADS_DELAY_MS).unref();
  }

  /** The server is reached by one more way from now on; gives back what ends that. */
  addEndpoint(way: PageEndpoint): () => void {
    this.#ways.add(way);
    return () => void this.#ways.delete(way);
  }

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

  readonly unavailableReason = (principal: string): string | undefined => {
    if ([...this.#ways].some(({ isForAnybody }) => isForAnybody === true))
      return "anybody may call this server, and nothing tells whose page it would be";
    const base = this.#base();
    if (base !== undefined) return pageUnavailableReason(baseUrlOf(base), principal, this.#identifying());
    return this.#ways.size === 0
      ? undefined
      : "this server does not know the address it is reached by (publicUrl)";
  };

  readonly unavailableNowReason = (principal: string): string | undefined => {
    const pages = this.#base() === undefined ? this.#loadedListener : this.#loadedPages;
    const open = pages?.countFor(principal) ?? { own: 0, all: 0 };
    return this.unavailableReason(principal) ?? pageLimitReason(open, this.#settings.limits);
  };

  /** Answers a request for a page that came in by the server's own address. */
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
    const [address] = [...this.#ways].flatMap(({ url }) => url ?? []);
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

  /** By the access tokens of whichever way in there is by then, and not only of those there were at first. */
  #identifying(): Identifying {
    const { identify, tokens: own } = this.#identities;
    // A handler that nobody has called yet is a way in that is not there yet: it takes the server's own.
    const taken = this.#ways.size === 0 ? [own] : [...this.#ways].map(({ tokens }) => tokens);
    const all = taken.filter((tokens) => tokens !== undefined);
    if (all.length === 0) return { identify };
    return {
      identify,
      checkToken: (token) => all.map((tokens) => tokens.ownerOf(token)).find((owner) => owner !== undefined),
      hasToken: (principal) => all.some((tokens) => tokens.has(principal)),
    };
  }
}

/** Why a page is no good at an address: anybody could open it, or nobody. */
function pageUnavailableReason(
  place: URL,
  principal: string,
  { identify, checkToken, hasToken }: Identifying,
): string | undefined {
  if (isOnLoopback(place) || identify !== undefined) return undefined;
  if (checkToken === undefined)
    return `a page at ${place.origin} can be opened by anybody who has its address, and nothing tells who that is (tokens, identify)`;
  if (hasToken === undefined || hasToken(principal)) return undefined;
  const who = principal === "" ? "a caller without a name" : JSON.stringify(principal);
  return `a page at ${place.origin} is opened with an access token, and there is none for ${who}`;
}
