/**
 * The pages on which people answer: `/ask/<token>`, one for each question.
 *
 *   1. A page is known by 256 random bits, of which only a digest is kept here. Whoever does not know them learns nothing.
 *   2. It is answered once. What has become of the last of them is remembered for a while, to be told.
 *   3. What is sent to a page is written down nowhere.
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
import { digest, isSame, newToken, tokenIn } from "./page-tokens.ts";
import { Uploads } from "./uploads.ts";
import { baseUrlOf } from "./request-origin.ts";

export interface PagesOptions {
  /** How those who come from elsewhere say who they are: asked when a page is opened; not at all, without this. */
  readonly identifying?: () => Identifying;
  /** Where pages are reached, without `/ask`: asked when one is opened. */
  readonly base: () => string | Promise<string>;
  /** Called when the last page has ended. */
  readonly onEmpty?: () => void;
}

/** An answer is no book. */
const FORM_BYTES = 1024 * 1024;
/** Addresses of no page that one visitor may try within a minute. */
const GUESSES = 20;
/** Pages that have ended, and are remembered. */
const REMEMBERED = 1000;

export class PageRegistry {
  readonly #settings: Pick<Settings, "clock" | "report" | "limits">;
  readonly #options: PagesOptions;
  readonly #pages = new Map<string, { readonly known: Buffer; readonly page: PageController }>();
  /** How many each principal has open. */
  readonly #byPrincipal = new Map<string, number>();
  readonly #over = new Map<string, Ending>();
  readonly #uploads = new Uploads();
  readonly #strangers: RateLimiter;

  constructor(settings: Pick<Settings, "clock" | "report" | "limits">, options: PagesOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#strangers = new RateLimiter(settings.clock, GUESSES);
  }

  /** How many questions wait for an answer. */
  get size(): number {
    return this.#pages.size;
  }

  countFor(principal: string): OpenPages {
    return { own: this.#byPrincipal.get(principal) ?? 0, all: this.#pages.size };
  }

  /** Opens a page for a question, for somebody who can open it there. Rejects with `PageRefused` where there are too many. */
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

  /** Answers a request whose path ends in a token. */
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
    const ending = this.#over.get(name);
    if (ending !== undefined) return endedPage(ending);
    return this.#strangers.tryAcquire(request.socket.remoteAddress) ? unknownPage : tooManyPage;
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
      this.#over.set(name, ending);
      const [oldest = name] = this.#over.keys();
      if (this.#over.size > REMEMBERED) this.#over.delete(oldest);
      if (this.#pages.size === 0) onEmpty?.();
    };
    return new PageController(asked, place, {
      clock,
      identifying: identifying(),
      uploads: this.#uploads,
      formBytes: Math.min(limits.messageBytes, FORM_BYTES),
      uploadBytes: limits.uploadBytes,
      onEnd,
    });
  }
}
