/**
 * The open pages of a server: `/ask/<token>`, one for each question.
 *
 *   1. The token has 256 random bits, and the registry stores its digest only. A wrong token reveals nothing.
 *   2. A page is answered once. The registry remembers how the last MAX_ENDED pages ended, and shows that.
 *   3. Nothing that is sent to a page is logged.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import { PageController } from "./page-controller.ts";
import { RateLimiter } from "../util/rate-limiter.ts";
import { endedPage, type Ending, failedPage, tooManyPage, unknownPage, wrongMethodPage } from "./notices.ts";
import {
  type Identifying,
  type OpenPages,
  type Page,
  type PageFor,
  PageRefused,
  pageLimitReason,
} from "./types.ts";
import { drainAndClose } from "../http/body.ts";
import { respond, type PageResponse } from "./respond.ts";
import { digest, isSame, newToken, tokenIn } from "./page-access.ts";
import { Uploads } from "./uploads.ts";
import { baseUrlOf } from "./request-origin.ts";

export interface PagesOptions {
  /** How visitors from other machines are identified. Called when a page is opened; without it, they are not. */
  readonly identifying?: () => Identifying;
  /** The base URL of pages, without `/ask`. Called when a page is opened. */
  readonly base: () => string | Promise<string>;
  /** Called when the last page has ended. */
  readonly onEmpty?: () => void;
}

const MAX_FORM_BYTES = 1024 * 1024;
/** Wrong tokens that one address can try within a minute. */
const MAX_GUESSES_PER_MINUTE = 20;
const MAX_ENDED = 1000;

export class PageRegistry {
  readonly #settings: Pick<Settings, "clock" | "report" | "limits">;
  readonly #options: PagesOptions;
  readonly #pages = new Map<string, { readonly known: Buffer; readonly page: PageController }>();
  /** The number of open pages of each principal. */
  readonly #byPrincipal = new Map<string, number>();
  readonly #ended = new Map<string, Ending>();
  readonly #uploads = new Uploads();
  readonly #guesses: RateLimiter;

  constructor(settings: Pick<Settings, "clock" | "report" | "limits">, options: PagesOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#guesses = new RateLimiter(settings.clock, MAX_GUESSES_PER_MINUTE);
  }

  /** The number of open pages. */
  get size(): number {
    return this.#pages.size;
  }

  countFor(principal: string): OpenPages {
    return { own: this.#byPrincipal.get(principal) ?? 0, all: this.#pages.size };
  }

  /** Opens a page for a question. Rejects with `PageRefused` where the limits allow no more. */
  async open(asked: PageFor): Promise<Page> {
    const place = baseUrlOf(await this.#options.base());
    const problem = pageLimitReason(this.countFor(asked.principal), this.#settings.limits);
    if (problem !== undefined) throw new PageRefused(problem);
    const token = newToken();
    const known = digest(token);
    const page = this.#make(asked, place, known.toString("hex"));
    this.#pages.set(known.toString("hex"), { known, page });
    this.#count(asked.principal, 1);
    const close = (): void => void page.close().catch((error: unknown) => this.#settings.report(error));
    return { url: new URL(`ask/${token}`, place).href, reply: page.reply, close };
  }

  /** Handles a request whose path ends in a token. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, report } = this.#settings;
    let shown: PageResponse = failedPage;
    try {
      shown = await this.#answer(request);
    } catch (error) {
      report(error);
    }
    respond(request, response, shown);
    drainAndClose(request, clock);
  }

  /** Closes every page, and waits until no uploaded file is left. */
  async close(): Promise<void> {
    await Promise.all([...this.#pages.values()].map(({ page }) => page.close()));
    await this.#uploads.close();
  }

  async #answer(request: IncomingMessage): Promise<PageResponse> {
    if (!["GET", "HEAD", "POST"].includes(request.method ?? "")) return wrongMethodPage;
    const token = tokenIn(request.url) ?? "";
    const name = digest(token).toString("hex");
    const found = this.#pages.get(name);
    if (found !== undefined && isSame(token, found.known)) return found.page.handle(request);
    const ending = this.#ended.get(name);
    if (ending !== undefined) return endedPage(ending);
    return this.#guesses.tryAcquire(request.socket.remoteAddress) ? unknownPage : tooManyPage;
  }

  #count(principal: string, more: number): void {
    const count = (this.#byPrincipal.get(principal) ?? 0) + more;
    if (count > 0) this.#byPrincipal.set(principal, count);
    else this.#byPrincipal.delete(principal);
  }

  #make(asked: PageFor, place: URL, name: string): PageController {
    const { clock, limits } = this.#settings;
    const { onEmpty, identifying = () => ({}) } = this.#options;
    const onEnd = (ending: Ending): void => {
      if (this.#pages.delete(name)) this.#count(asked.principal, -1);
      this.#ended.set(name, ending);
      const [oldest = name] = this.#ended.keys();
      if (this.#ended.size > MAX_ENDED) this.#ended.delete(oldest);
      if (this.#pages.size === 0) onEmpty?.();
    };
    return new PageController(asked, place, {
      clock,
      identifying: identifying(),
      uploads: this.#uploads,
      formBytes: Math.min(limits.messageBytes, MAX_FORM_BYTES),
      uploadBytes: limits.uploadBytes,
      onEnd,
    });
  }
}
