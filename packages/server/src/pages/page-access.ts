/**
 * Who may see a question: the one who was asked, in the browser that opened it first.
 *
 *   1. Looking binds nothing: previews, scanners and browsers that fetch ahead follow links, and press no buttons.
 *   2. Of those at this machine, whoever opens it first holds it. From elsewhere, only the principal that was asked.
 *   3. What holds it is a cookie: with the same address, another browser is turned away.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";
import { RateLimiter } from "../util/rate-limiter.ts";
import {
  entryPage,
  openedElsewherePage,
  wrongUserPage,
  redirectPage,
  signInPage,
  tooManyPage,
  unidentifiedPage,
} from "./notices.ts";
import type { Identifying } from "./types.ts";
import type { PageResponse } from "./respond.ts";
import { digest, isSame, newToken, tokenIn } from "./page-tokens.ts";
import { cookieIn, isLocalRequest, isPlainHttp, mayWithholdCookies } from "./request-origin.ts";

/** Access tokens that may be tried at one page within a minute. */
const TRIES = 5;

/** The principal that was asked, somebody else, or nobody knows. */
type Identity = "asked" | "another" | "unknown";

export class PageAccess {
  readonly #principal: string;
  readonly #base: URL;
  readonly #deadline: number | undefined;
  readonly #identifying: Identifying;
  readonly #clock: Clock;
  readonly #cookie: string;
  readonly #tries: RateLimiter;
  /** The cookie that holds the page, and whether an access token came with it. */
  #holder: { readonly known: Buffer; readonly hasSignedIn: boolean } | undefined;

  constructor(
    principal: string,
    base: URL,
    deadline: number | undefined,
    identifying: Identifying,
    clock: Clock,
  ) {
    this.#principal = principal;
    this.#base = base;
    this.#deadline = deadline;
    this.#identifying = identifying;
    this.#clock = clock;
    this.#tries = new RateLimiter(clock, TRIES);
    // One for each page: on one machine, servers at different ports share their cookies.
    const name = `photon-ask-${randomBytes(8).toString("hex")}`;
    this.#cookie = base.protocol === "https:" ? `__Host-${name}` : name;
  }

  /** Whether a request comes from the browser that holds the page, and still from the one who was asked. */
  async isOwner(request: IncomingMessage): Promise<boolean> {
    if (!this.#isHolder(request)) return false;
    return this.#holder?.hasSignedIn === true || (await this.#identityOf(request)) === "asked";
  }

  /** What somebody sees who does not hold it. */
  async showEntry(request: IncomingMessage): Promise<PageResponse> {
    const identity = await this.#identityOf(request);
    if (identity === "another") return wrongUserPage;
    if (this.#holder !== undefined && !mayWithholdCookies(request)) return openedElsewherePage;
    if (identity === "asked") return entryPage();
    return this.#identifying.checkToken === undefined
      ? unidentifiedPage
      : signInPage(isPlainHttp(this.#base));
  }

  /** What comes of a button that was pressed before the question was to be seen. */
  async submitEntry(request: IncomingMessage, form: URLSearchParams): Promise<PageResponse> {
    const identity = await this.#identityOf(request);
    if (identity === "another") return wrongUserPage;
    if (this.#holder !== undefined) return openedElsewherePage;
    if (identity === "asked") return form.get("do") === "open" ? this.#claim(request, false) : entryPage();
    const { checkToken } = this.#identifying;
    if (checkToken === undefined) return unidentifiedPage;
    if (form.get("do") !== "sign-in") return signInPage(isPlainHttp(this.#base));
    if (!this.#tries.tryAcquire()) return tooManyPage;
    const principal = await checkToken(form.get("access") ?? "");
    if (principal === undefined) return signInPage(isPlainHttp(this.#base), "This is no access token.");
    return principal === this.#principal ? this.#claim(request, true) : wrongUserPage;
  }

  /** Gives the page to a browser, unless another was faster. */
  #claim(request: IncomingMessage, hasSignedIn: boolean): PageResponse {
    if (this.#holder !== undefined) return openedElsewherePage;
    const value = newToken();
    this.#holder = { known: digest(value), hasSignedIn };
    return redirectPage(tokenIn(request.url) ?? "", this.#cookieOf(value));
  }

  #cookieOf(value: string): string {
    const isEncrypted = this.#base.protocol === "https:";
    const path = isEncrypted ? "/" : new URL("ask/", this.#base).pathname;
    const parts = [`${this.#cookie}=${value}`, `Path=${path}`, "HttpOnly", "SameSite=Strict"];
    if (isEncrypted) parts.push("Secure");
    if (this.#deadline !== undefined) {
      const left = Math.ceil((this.#deadline - this.#clock.now()) / 1000);
      parts.push(`Max-Age=${Math.max(1, left)}`);
    }
    return parts.join("; ");
  }

  #isHolder(request: IncomingMessage): boolean {
    return this.#holder !== undefined && isSame(cookieIn(request, this.#cookie), this.#holder.known);
  }

  async #identityOf(request: IncomingMessage): Promise<Identity> {
    if (isLocalRequest(request, this.#base)) return "asked";
    const principal = await this.#identifying.identify?.(request);
    if (principal === undefined) return "unknown";
    return principal === this.#principal ? "asked" : "another";
  }
}
