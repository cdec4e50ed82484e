/**
 * The page of one question: handles its requests until it is answered.
 *
 *   1. It ends once: answered, declined, late or closed. Later requests get a page that says so, and change nothing.
 *   2. An answer is checked like any other. One that does not fit is shown again with its problems, and does not count as an attempt.
 *   3. The reply resolves after the confirmation was sent to the browser.
 */
import type { IncomingMessage } from "node:http";
import type { Clock, Reply } from "@photon/core";
import { deadlineOf } from "../calls/question-deadlines.ts";
import { RateLimiter } from "../util/rate-limiter.ts";
import { type Problems, readAnswer } from "./form-answer.ts";
import { digest, isSame, newToken, PageAccess, tokenIn } from "./page-access.ts";
import { type Field, fieldsFor, sizeOf } from "./fields.ts";
import {
  answeredPage,
  declinedPage,
  endedPage,
  type Ending,
  crossSitePage,
  redirectPage,
  expiredFormPage,
  tooManyPage,
  badRequestPage,
} from "./notices.ts";
import type { Identifying, PageFor } from "./types.ts";
import { questionPage } from "./view.ts";
import { receiveForm, receiveUpload, type Uploads } from "./uploads.ts";
import type { PageResponse } from "./respond.ts";
import { isLocalRequest, isOwnForm, isPlainHttp } from "./request-origin.ts";

export interface PageDependencies {
  readonly clock: Clock;
  readonly identifying: Identifying;
  readonly uploads: Uploads;
  /** The largest form, and the largest file of an ask without `maxBytes`. */
  readonly formBytes: number;
  readonly uploadBytes: number;
  readonly onEnd: (ending: Ending) => void;
}

/** POST requests to one page within a minute, from the browser that claimed it and from all others. */
const MAX_POSTS_PER_MINUTE = 30;
/** The largest form without an answer. */
const MAX_ENTRY_BYTES = 16 * 1024;

export class PageController {
  /** Resolves when the page ends. */
  readonly reply: Promise<Reply>;
  readonly #asked: PageFor;
  readonly #base: URL;
  readonly #dependencies: PageDependencies;
  readonly #fields: readonly Field[];
  readonly #deadline: number | undefined;
  readonly #access: PageAccess;
  readonly #tries: RateLimiter;
  /** A token in the page's own forms, against cross-site requests. */
  readonly #proof = newToken();
  readonly #ended = new AbortController();
  #settle: (reply: Reply) => void = () => {};
  readonly #stopTimer: () => void;
  #ending: Ending | undefined;
  /** The upload in progress, and the path of the accepted file. */
  #receiving: AbortController | undefined;
  #file: string | undefined;

  constructor(asked: PageFor, base: URL, around: PageDependencies) {
    const { clock, identifying } = around;
    this.#asked = asked;
    this.#base = base;
    this.#dependencies = around;
    this.#fields = fieldsFor(asked.question);
    this.#deadline = deadlineOf(asked.question, clock.now());
    this.#access = new PageAccess(asked.principal, base, this.#deadline, identifying, clock);
    this.#tries = new RateLimiter(clock, MAX_POSTS_PER_MINUTE);
    this.reply = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const left = this.#deadline === undefined ? undefined : Math.max(0, this.#deadline - clock.now());
    const late = (): void => void this.#end("late", { action: "timeout" });
    this.#stopTimer = left === undefined ? () => {} : clock.after(left, late);
  }

  /** Closes the page, and removes its upload. */
  async close(): Promise<void> {
    this.#end("closed", { action: "cancel" });
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await this.#dependencies.uploads.remove(file);
  }

  /** The response to a request for this page. */
  async handle(request: IncomingMessage): Promise<PageResponse> {
    if (request.method !== "POST") {
      const isHeld = await this.#access.isOwner(request);
      return isHeld ? this.#question(request) : this.#access.showEntry(request);
    }
    if (!isOwnForm(request, this.#base)) return crossSitePage;
    const isHeld = await this.#access.isOwner(request);
    // Requests of others do not count against the browser that claimed the page.
    if (!this.#tries.tryAcquire(isHeld ? "holder" : "others")) return tooManyPage;
    const shown = isHeld ? await this.#submit(request) : await this.#signIn(request);
    // The page may have ended meanwhile.
    return this.#ending === undefined || shown.onFlushed !== undefined ? shown : endedPage(this.#ending);
  }

  async #signIn(request: IncomingMessage): Promise<PageResponse> {
    const form = await receiveForm(request, this.#dependencies.clock, MAX_ENTRY_BYTES, this.#ended.signal);
    return "status" in form ? form : this.#access.submitEntry(request, form);
  }

  async #submit(request: IncomingMessage): Promise<PageResponse> {
    const { clock, formBytes } = this.#dependencies;
    const isUpload =
      this.#asked.question.ask === "file" && /^multipart\//i.test(request.headers["content-type"] ?? "");
    if (isUpload) return this.#receiveFile(request);
    const form = await receiveForm(request, clock, formBytes, this.#ended.signal);
    return "status" in form ? form : this.#submitForm(request, form);
  }

  async #receiveFile(request: IncomingMessage): Promise<PageResponse> {
    const { clock, uploads, uploadBytes } = this.#dependencies;
    const { question } = this.#asked;
    const maxBytes = (question.ask === "file" ? question.maxBytes : undefined) ?? uploadBytes;
    // A second upload cancels the first: the user has pressed the button again.
    this.#receiving?.abort();
    this.#receiving = new AbortController();
    const signal = AbortSignal.any([this.#receiving.signal, this.#ended.signal]);
    const path = await uploads.place();
    try {
      const isOwn = (form: URLSearchParams): boolean => this.#isOwn(form);
      const received = await receiveUpload(request, { clock, path, maxBytes, isOwn, signal });
      if ("status" in received) return received;
      const { form, file, isTooLarge } = received;
      if (!isTooLarge)
        return await this.#submitForm(request, form, file === undefined ? undefined : { ...file, path });
      const problems = new Map([[this.#fields[0], `Must have at most ${sizeOf(maxBytes)}.`]]);
      return this.#question(request, { status: 413, problems });
    } finally {
      if (this.#file !== path) await uploads.remove(path);
    }
  }

  /** Handles a form of the question's page. */
  async #submitForm(
    request: IncomingMessage,
    form: URLSearchParams,
    file?: { readonly name: string; readonly type: string; readonly path: string },
  ): Promise<PageResponse> {
    const said = form.get("do") ?? "";
    // The entry form of another tab: this browser has claimed the page already.
    if (said === "open" || said === "sign-in") return redirectPage(tokenIn(request.url) ?? "");
    if (!this.#isOwn(form)) return expiredFormPage;
    if (said === "decline") return this.#endWith("declined", { action: "decline" }, declinedPage);
    if (!["accept", "yes", "no"].includes(said)) return badRequestPage;
    const context = { file, isHere: isLocalRequest(request, this.#base) };
    const checked = await readAnswer(this.#asked.question, this.#fields, form, context);
    if ("problems" in checked) return this.#question(request, { status: 422, typed: form, ...checked });
    const { value } = checked;
    if (this.#ending === undefined) this.#file = file?.path;
    return this.#endWith(
      "answered",
      { action: "accept", ...(value === undefined ? {} : { value }) },
      answeredPage,
    );
  }

  #isOwn(form: URLSearchParams): boolean {
    return isSame(form.get("proof"), digest(this.#proof));
  }

  #question(
    request: IncomingMessage,
    { status, ...sent }: { status?: number; typed?: URLSearchParams; problems?: Problems } = {},
  ): PageResponse {
    const view = {
      asked: this.#asked,
      fields: this.#fields,
      proof: this.#proof,
      deadline: this.#deadline,
      isHere: isLocalRequest(request, this.#base),
      isReadable: isPlainHttp(this.#base),
    };
    return questionPage({ ...view, ...sent }, status);
  }

  /** Ends the page. The reply resolves once the response was sent. */
  #endWith(ending: Ending, reply: Reply, shown: PageResponse): PageResponse {
    if (!this.#end(ending)) return endedPage(this.#ending ?? ending);
    return { ...shown, onFlushed: () => this.#settle(reply) };
  }

  /** Returns whether the page was open. */
  #end(ending: Ending, reply?: Reply): boolean {
    if (this.#ending !== undefined) return false;
    this.#ending = ending;
    this.#stopTimer();
    this.#ended.abort();
    this.#dependencies.onEnd(ending);
    if (reply !== undefined) this.#settle(reply);
    return true;
  }
}
