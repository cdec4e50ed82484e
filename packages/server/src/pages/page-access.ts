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
import { Attempts } from "../util/rate-limiter.ts";
import { doorstep, elsewhere, forAnother, goTo, signIn, tooMany, unidentified } from "./notices.ts";
import type { Identifying } from "./types.ts";
import type { Shown } from "./respond.ts";
import { digest, isSame, newToken, tokenIn } from "./page-tokens.ts";
import { cookieIn, isHere, isReadable, mayKeepCookies } from "./request-origin.ts";

/** Access tokens that may be tried at one page within a minute. */
const TRIES = 5;

/** The principal that was asked, somebody else, or nobody knows. */
type Identity = "asked" | "another" | "unknown";

export class Doorway {
  readonly #principal: string;
  readonly #base: URL;
  readonly #deadline: number | undefined;
  readonly #identifying: Identifying;
  readonly #clock: Clock;
  readonly #cookie: string;
  readonly #tries: Attempts;
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
    this.#tries = new Attempts(clock, TRIES);
    // One for each page: on one machine, servers at different ports share their cookies.
    const name = `photon-ask-${randomBytes(8).toString("hex")}`;
    this.#cookie = base.protocol === "https:" ? `__Host-${name}` : name;
  }

  /** Whether a request comes from the browser that holds the page, and still from the one who was asked. */
  async isHeldBy(request: IncomingMessage): Promise<boolean> {
    if (!this.#isHolder(request)) return false;
    return this.#holder?.hasSignedIn === true || (await this.#identityOf(request)) === "asked";
  }

  /** What somebody sees who does not hold it. */
  async greet(request: IncomingMessage): Promise<Shown> {
    const identity = await this.#identityOf(request);
    if (identity === "another") return forAnother;
    if (this.#holder !== undefined && !mayKeepCookies(request)) return elsewhere;
    if (identity === "asked") return doorstep();
    return this.#identifying.checkToken === undefined ? unidentified : signIn(isReadable(this.#base));
  }

  /** What comes of a button that was pressed before the question was to be seen. */
  async enter(request: IncomingMessage, form: URLSearchParams): Promise<Shown> {
    const identity = await this.#identityOf(request);
    if (identity === "another") return forAnother;
    if (this.#holder !== undefined) return elsewhere;
    if (identity === "asked") return form.get("do") === "open" ? this.#hold(request, false) : doorstep();
    const { checkToken } = this.#identifying;
    if (checkToken === undefined) return unidentified;
    if (form.get("do") !== "sign-in") return signIn(isReadable(this.#base));
    if (!this.#tries.isLeft()) return tooMany;
    const principal = await checkToken(form.get("access") ?? "");
    if (principal === undefined) return signIn(isReadable(this.#base), "This is no access token.");
    return principal === this.#principal ? this.#hold(request, true) : forAnother;
  }

  /** Gives the page to a browser, unless another was faster. */
  #hold(request: IncomingMessage, hasSignedIn: boolean): Shown {
    if (this.#holder !== undefined) return elsewhere;
    const value = newToken();
    this.#holder = { known: digest(value), hasSignedIn };
    return goTo(tokenIn(request.url) ?? "", this.#cookieOf(value));
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
    if (isHere(request, this.#base)) return "asked";
    const principal = await this.#identifying.identify?.(request);
    if (principal === undefined) return "unknown";
    return principal === this.#principal ? "asked" : "another";
  }
}
