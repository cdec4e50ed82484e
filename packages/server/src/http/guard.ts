/** Who may talk to an HTTP server at all: looked at before anything else, for requests and upgrades alike. */
import type { IncomingMessage } from "node:http";
import { isLoopbackName } from "./loopback.ts";
import { baseOf } from "./protected-resource.ts";

export interface GuardOptions {
  /** Names this server is reached by, beside the loopback ones: `photon.example.com`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call it, and read what it answers, beside those of this machine: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const REFUSED_ORIGIN = "Pages of that Origin may not call this server; add it to allowedOrigins.";

export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #publicUrl: string | undefined;
  /** The Host that was let in last: nearly every request has the same. */
  #known: string | undefined;

  constructor({ allowedHosts = [], allowedOrigins = [] }: GuardOptions, publicUrl?: string) {
    this.#publicUrl = publicUrl;
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(allowedOrigins);
  }

  /** Why a request is refused, if it is. A page of another site must not reach a server on this machine. */
  refusalOf({ headers: { host = "", origin } }: IncomingMessage): string | undefined {
    if (host !== this.#known) {
      if (!this.#isReachedBy(nameIn(host)))
        return `This server is not reached by the Host ${JSON.stringify(host)}; add it to allowedHosts.`;
      this.#known = host;
    }
    if (origin === undefined || this.sharesWith(origin) || this.#isReachedBy(hostOf(origin)))
      return undefined;
    return REFUSED_ORIGIN;
  }

  /**
   * Why an upgrade is refused, if it is. Browsers let a page read every WebSocket that was accepted, so the page must be one
   * that may read answers, or be of this server's own origin: scheme, host and port.
   */
  refusalOfUpgrade(request: IncomingMessage): string | undefined {
    const { origin } = request.headers;
    const refusal = this.refusalOf(request);
    if (refusal !== undefined || origin === undefined || this.sharesWith(origin)) return refusal;
    return new URL(baseOf(request, "", this.#publicUrl)).origin === origin ? undefined : REFUSED_ORIGIN;
  }

  /**
   * Whether pages of an origin may read, across origins, what they are answered: those of this machine, and those that
   * are listed. A page at another port of a name in `allowedHosts` is somebody else's.
   */
  sharesWith(origin: string): boolean {
    return this.#origins.has(origin) || isLoopbackName(hostOf(origin));
  }

  #isReachedBy(name: string): boolean {
    return isLoopbackName(name) || this.#hosts.has(name);
  }
}

/** The name in a Host: a name and a port, and nothing that only looks like one. */
function nameIn(host: string): string {
  const [, name = ""] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.exec(host) ?? [];
  return name.toLowerCase();
}

/** The name in an origin that is spelled as browsers spell it; none in another. */
function hostOf(origin: string): string {
  if (!URL.canParse(origin)) return "";
  const url = new URL(origin);
  return url.origin.toLowerCase() === origin.toLowerCase() ? url.hostname : "";
}
