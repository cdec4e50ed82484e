/**
 * Access to a page: only the principal that was asked sees the question, in the browser that claimed the page first.
 *
 *   1. GET claims nothing: link previews, scanners and prefetching browsers follow links, and press no buttons.
 *   2. On this machine, the first browser that presses the button claims the page. From elsewhere, only the principal that was asked can.
 *   3. The claim is a cookie. Another browser with the same URL is refused.
 *   4. Tokens and cookies are stored as digests only.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";
import { sha256Bytes } from "../crypto/digest.ts";
import { isLoopback, isLoopbackName } from "../http/hosts.ts";
import { header } from "../http/responses.ts";
import { RateLimiter } from "../util/rate-limiter.ts";
import { entryPage, notice, redirectPage, signInPage } from "./notices.ts";
import type { UserIdentification } from "./page.ts";
import type { PageResponse } from "./send-page.ts";

/** 256 random bits, in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Whether a text has a digest. Compares in constant time. */
export const hasDigest = (text: string | null | undefined, digest: Buffer): boolean =>
  timingSafeEqual(sha256Bytes(text ?? ""), digest);

/** The token at the end of a path. */
export function tokenIn(url = ""): string | undefined {
  const [path = ""] = url.split("?", 1);
  return /(?:^|\/)([\w-]{43})$/.exec(path)?.[1];
}

/** Access tokens that can be tried at one page within a minute. */
const MAX_SIGN_INS_PER_MINUTE = 5;

interface PageAccessOptions {
  /** The principal that is asked. */
  readonly principal: string;
  readonly base: URL;
  readonly deadline: number | undefined;
  readonly identification: UserIdentification;
  readonly clock: Clock;
}

export class PageAccess {
  readonly #options: PageAccessOptions;
  readonly #cookieName: string;
  readonly #signIns: RateLimiter;
  /** The digest of the cookie of the browser that claimed the page, and whether its user sent an access token. */
  #claim: { readonly digest: Buffer; readonly hasSignedIn: boolean } | undefined;

  constructor(options: PageAccessOptions) {
    this.#options = options;
    this.#signIns = new RateLimiter(options.clock, MAX_SIGN_INS_PER_MINUTE);
    // One for each page: servers at different ports of a machine share cookies.
    const name = `photon-ask-${randomBytes(8).toString("hex")}`;
    this.#cookieName = options.base.protocol === "https:" ? `__Host-${name}` : name;
  }

  /** Whether a request comes from the browser that claimed the page, and still from the principal that was asked. */
  async isOwner(request: IncomingMessage): Promise<boolean> {
    if (this.#claim === undefined) return false;
    if (!hasDigest(cookieIn(request, this.#cookieName), this.#claim.digest)) return false;
    return this.#claim.hasSignedIn || (await this.#userOf(request)) === "asked";
  }

  /** The page for a browser that has not claimed it. */
  async showEntry(request: IncomingMessage): Promise<PageResponse> {
    const user = await this.#userOf(request);
    if (user === "another") return notice("wrongUser");
    if (this.#claim !== undefined && !mayWithholdCookies(request)) return notice("openedElsewhere");
    return user === "asked" ? entryPage() : this.#signInPage();
  }

  /** Handles the form of that page: claims the page, or signs in. */
  async submitEntry(request: IncomingMessage, form: URLSearchParams): Promise<PageResponse> {
    const user = await this.#userOf(request);
    if (user === "another") return notice("wrongUser");
    if (this.#claim !== undefined) return notice("openedElsewhere");
    const action = form.get("do");
    if (user === "asked") return action === "open" ? this.#claimFor(request, false) : entryPage();
    const { checkToken } = this.#options.identification;
    if (checkToken === undefined || action !== "sign-in") return this.#signInPage();
    if (!this.#signIns.tryAcquire()) return notice("tooMany");
    const principal = await checkToken(form.get("access") ?? "");
    if (principal === undefined) return this.#signInPage("This is not an access token.");
    return principal === this.#options.principal ? this.#claimFor(request, true) : notice("wrongUser");
  }

  #signInPage(problem?: string): PageResponse {
    const { base, identification } = this.#options;
    if (identification.checkToken === undefined) return notice("unidentified");
    return signInPage(isPlainHttp(base), problem);
  }

  /** Claims the page for the browser of a request, unless another has claimed it meanwhile. */
  #claimFor(request: IncomingMessage, hasSignedIn: boolean): PageResponse {
    if (this.#claim !== undefined) return notice("openedElsewhere");
    const value = newToken();
    this.#claim = { digest: sha256Bytes(value), hasSignedIn };
    return redirectPage(tokenIn(request.url) ?? "", this.#cookie(value));
  }

  #cookie(value: string): string {
    const { base, deadline, clock } = this.#options;
    const isEncrypted = base.protocol === "https:";
    const path = isEncrypted ? "/" : new URL("ask/", base).pathname;
    const parts = [`${this.#cookieName}=${value}`, `Path=${path}`, "HttpOnly", "SameSite=Strict"];
    if (isEncrypted) parts.push("Secure");
    if (deadline !== undefined) {
      const left = Math.ceil((deadline - clock.now()) / 1000);
      parts.push(`Max-Age=${Math.max(1, left)}`);
    }
    return parts.join("; ");
  }

  /** The user who sent a request: the principal that was asked, another, or unknown. */
  async #userOf(request: IncomingMessage): Promise<"asked" | "another" | "unknown"> {
    const { base, identification, principal: asked } = this.#options;
    if (isLocalRequest(request, base)) return "asked";
    const principal = await identification.identify?.(request);
    if (principal === undefined) return "unknown";
    return principal === asked ? "asked" : "another";
  }
}

/** Whether a URL is plain HTTP to another machine, which others on the network can read. */
export const isPlainHttp = (url: URL): boolean => url.protocol === "http:" && !isLoopbackName(url.hostname);

const FORWARDED: readonly string[] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Whether a request comes from a browser on this machine, without a proxy between. */
export function isLocalRequest(request: IncomingMessage, base: URL): boolean {
  if (!isLoopbackName(base.hostname)) return false;
  const { remoteAddress = "" } = request.socket;
  if (!isLoopback(remoteAddress.replace(/^::ffff:/i, ""))) return false;
  if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
  const url = `http://${request.headers.host ?? ""}`;
  return URL.canParse(url) && isLoopbackName(new URL(url).hostname);
}

/** Whether a form was sent from a page of this server, by `Sec-Fetch-Site` and `Origin`. Only browsers send them, and no script can set them. */
export function isSameOriginForm(request: IncomingMessage, base: URL): boolean {
  const site = header(request, "sec-fetch-site");
  // "none": the user reloads a page that was the result of a form.
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = request.headers;
  if (origin === undefined) return site !== undefined;
  if (origin === base.origin) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname, port, protocol } = new URL(origin);
  // The page was opened under another name of this machine.
  const isOwnMachine = isLoopbackName(base.hostname) && isLoopbackName(hostname);
  return isOwnMachine && port === base.port && protocol === base.protocol;
}

/** Whether the browser may have withheld a `SameSite=Strict` cookie, because another site links here. */
function mayWithholdCookies(request: IncomingMessage): boolean {
  const site = header(request, "sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

function cookieIn(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [found = "", value = ""] = pair.split("=", 2);
    if (found.trim() === name) return value.trim();
  }
  return undefined;
}
