/**
 * The open pages of a server by token, and the HTTP requests for them: `/ask/<token>`.
 *
 *   1. The token has 256 random bits, and the registry stores its digest only. A wrong token reveals nothing.
 *   2. A page is answered once. The registry remembers how the last MAX_ENDED pages ended, and shows that.
 *   3. Nothing that is sent to a page is logged.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import { PageController } from "./page-controller.ts";
import { RateLimiter } from "../util/rate-limiter.ts";
import { endedPage, type Ending, notice } from "./notices.ts";
import {
  type OpenPageCounts,
  type Page,
  type PageFor,
  PageRefused,
  pageLimitReason,
  type UserIdentification,
} from "./page.ts";
import { sha256 } from "../crypto/digest.ts";
import { drainAndClose } from "../http/body.ts";
import { type PageResponse, sendPage } from "./send-page.ts";
import { newToken, tokenIn } from "./page-access.ts";
import { UploadFolder } from "./upload-folder.ts";
import { LocalPort } from "./local-port.ts";

/** Where a page is opened, and how its users are identified: a `PageHost`. */
interface PageLocation {
  /** The base URL of the page, without `ask/`. Without one, the page is at a local port. */
  base(): URL | undefined;
  identification(): UserIdentification;
}

/** Wrong tokens that one address can try within a minute. */
const MAX_GUESSES_PER_MINUTE = 20;
const MAX_ENDED = 1000;

export class PageRegistry {
  readonly #settings: Pick<Settings, "clock" | "report" | "limits">;
  readonly #location: PageLocation;
  /** By the digest of their token. */
  readonly #pages = new Map<string, PageController>();
  readonly #endings = new Map<string, Ending>();
  /** The number of pages that are open or being opened: of all, and of each principal. */
  size = 0;
  readonly #byPrincipal = new Map<string, number>();
  readonly #uploads = new UploadFolder();
  readonly #guesses: RateLimiter;
  readonly #localPort: LocalPort;

  constructor(settings: Pick<Settings, "clock" | "report" | "limits">, location: PageLocation) {
    this.#settings = settings;
    this.#location = location;
    this.#guesses = new RateLimiter(settings.clock, MAX_GUESSES_PER_MINUTE);
    this.#localPort = new LocalPort(
      settings.clock,
      (request, response) => void this.handle(request, response),
    );
  }

  countFor(principal: string): OpenPageCounts {
    return { own: this.#byPrincipal.get(principal) ?? 0, all: this.size };
  }

  /** Opens a page for a question. Rejects with `PageRefused` if the limits allow no more. */
  async open(pageFor: PageFor): Promise<Page> {
    const reason = pageLimitReason(this.countFor(pageFor.principal), this.#settings.limits);
    if (reason !== undefined) throw new PageRefused(reason);
    this.#count(pageFor.principal, 1);
    try {
      const base = this.#location.base() ?? (await this.#localPort.open());
      const token = newToken();
      const page = this.#createPage(pageFor, base, sha256(token));
      const close = (): void => void page.close().catch((error: unknown) => this.#settings.report(error));
      return { url: new URL(`ask/${token}`, base).href, reply: page.reply, close };
    } catch (error) {
      this.#count(pageFor.principal, -1);
      throw error;
    }
  }

  /** Handles a request whose path ends in a token. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, report } = this.#settings;
    let page: PageResponse = notice("failed");
    try {
      page = await this.#respond(request);
    } catch (error) {
      report(error);
    }
    sendPage(response, page);
    drainAndClose(request, clock);
  }

  /** Closes every page, and waits until no uploaded file is left. */
  async close(): Promise<void> {
    await Promise.all([...this.#pages.values()].map((page) => page.close()));
    await Promise.all([this.#uploads.close(), this.#localPort.close()]);
  }

  async #respond(request: IncomingMessage): Promise<PageResponse> {
    if (!["GET", "HEAD", "POST"].includes(request.method ?? "")) return notice("wrongMethod");
    const digest = sha256(tokenIn(request.url) ?? "");
    const page = this.#pages.get(digest);
    if (page !== undefined) return page.handle(request);
    const ending = this.#endings.get(digest);
    if (ending !== undefined) return endedPage(ending);
    return this.#guesses.tryAcquire(request.socket.remoteAddress) ? notice("unknown") : notice("tooMany");
  }

  #createPage(pageFor: PageFor, base: URL, digest: string): PageController {
    const { clock, limits } = this.#settings;
    const page = new PageController(pageFor, base, {
      clock,
      limits,
      identification: this.#location.identification(),
      uploads: this.#uploads,
      onEnd: (ending) => {
        this.#pages.delete(digest);
        this.#count(pageFor.principal, -1);
        this.#endings.set(digest, ending);
        const [oldest = digest] = this.#endings.keys();
        if (this.#endings.size > MAX_ENDED) this.#endings.delete(oldest);
      },
    });
    this.#pages.set(digest, page);
    return page;
  }

  #count(principal: string, more: 1 | -1): void {
    const count = (this.#byPrincipal.get(principal) ?? 0) + more;
    if (count > 0) this.#byPrincipal.set(principal, count);
    else this.#byPrincipal.delete(principal);
    this.size += more;
    if (this.size === 0) this.#localPort.closeLater();
  }
}
