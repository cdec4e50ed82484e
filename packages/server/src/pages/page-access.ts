/**
 * Who may see a question: the principal that was asked, in the browser that claimed the page first.
 *
 *   1. GET claims nothing: link previews, scanners and prefetching browsers follow links, and press no buttons.
 *   2. On this machine, the first browser that presses the button claims the page. From elsewhere, only the principal that was asked can.
 *   3. The claim is a cookie. Another browser with the same URL is refused.
 *   4. Tokens and cookies are stored as digests only.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";
import { RateLimiter } from "../util/rate-limiter.ts";
import {
  entryPage,
  openedElsewherePage,
  redirectPage,
  signInPage,
  tooManyPage,
  unidentifiedPage,
  wrongUserPage,
} from "./notices.ts";
import type { Identifying } from "./types.ts";
import type { PageResponse } from "./respond.ts";
import { cookieIn, isLocalRequest, isPlainHttp, mayWithholdCookies } from "./request-origin.ts";

/** 256 random bits, in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

export const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether a text has a digest. Compares in constant time. */
export function isSame(text: string | null | undefined, known: Buffer): boolean {
  return timingSafeEqual(digest(text ?? ""), known);
}

/** The token at the end of a path. */
export function tokenIn(url = ""): string | undefined {
  const [path = ""] = url.split("?", 1);
  return /(?:^|\/)([\w-]{43})$/.exec(path)?.[1];
}

/** Access tokens that can be tried at one page within a minute. */
const MAX_SIGN_INS_PER_MINUTE = 5;

/** Who sent a request: the principal that was asked, another one, or an unknown one. */
type Identity = "asked" | "another" | "unknown";

export class PageAccess {
  readonly #principal: string;
  readonly #base: URL;
  readonly #deadline: number | undefined;
  readonly #identifying: Identifying;
  readonly #clock: Clock;
  readonly #cookie: string;
  readonly #tries: RateLimiter;
  /** The digest of the cookie that claims the page, and whether its browser sent an access token. */
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
    this.#tries = new RateLimiter(clock, MAX_SIGN_INS_PER_MINUTE);
    // One for each page: servers at different ports of a machine share cookies.
    const name = `photon-ask-${randomBytes(8).toString("hex")}`;
    this.#cookie = base.protocol === "https:" ? `__Host-${name}` : name;
  }

  /** Whether a request comes from the browser that claimed the page, and still from the principal that was asked. */
  async isOwner(request: IncomingMessage): Promise<boolean> {
    if (!this.#isHolder(request)) return false;
    return this.#holder?.hasSignedIn === true || (await this.#identityOf(request)) === "asked";
  }

  /** The page for a browser that has not claimed it. */
  async showEntry(request: IncomingMessage): Promise<PageResponse> {
    const identity = await this.#identityOf(request);
    if (identity === "another") return wrongUserPage;
    if (this.#holder !== undefined && !mayWithholdCookies(request)) return openedElsewherePage;
    if (identity === "asked") return entryPage();
    return this.#identifying.checkToken === undefined
      ? unidentifiedPage
      : signInPage(isPlainHttp(this.#base));
  }

  /** Handles the form of that page: claims the page, or signs in. */
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

  /** Claims the page for a browser, unless another has meanwhile. */
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
