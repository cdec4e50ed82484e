/**
 * The page of one question, from its opening to its one answer.
 *
 *   1. It ends once: answered, declined, late or closed. Whatever comes after that is told so, and changes nothing.
 *   2. What was filled in is checked as any answer is. What does not fit is shown again, and the question knows nothing of it.
 *   3. Whoever answers is told before the tool goes on.
 */
import type { IncomingMessage } from "node:http";
import type { Clock, Reply } from "@photon/core";
import { deadlineOf } from "../calls/question-deadlines.ts";
import { RateLimiter } from "../util/rate-limiter.ts";
import { type Problems, readAnswer } from "./form-answer.ts";
import { PageAccess } from "./page-access.ts";
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
import { digest, isSame, newToken, tokenIn } from "./page-tokens.ts";
import { isLocalRequest, isOwnForm, isPlainHttp } from "./request-origin.ts";

/** What a page has from those around it. */
export interface PageDependencies {
  readonly clock: Clock;
  readonly identifying: Identifying;
  readonly uploads: Uploads;
  /** How large an answer may be, and a file of which the question does not say, in bytes. */
  readonly formBytes: number;
  readonly uploadBytes: number;
  /** Hears that a page has come to its end. */
  readonly onEnd: (ending: Ending) => void;
}

/** What may be sent to one page within a minute, by whoever holds it and by all others. */
const TRIES = 30;
/** The size of a form that carries no answer, in bytes. */
const SMALL = 16 * 1024;

export class PageController {
  /** Settles when the question has come to its end. */
  readonly reply: Promise<Reply>;
  readonly #asked: PageFor;
  readonly #base: URL;
  readonly #around: PageDependencies;
  readonly #fields: readonly Field[];
  readonly #deadline: number | undefined;
  readonly #doorway: PageAccess;
  readonly #tries: RateLimiter;
  /** What stands in the page's own forms, and can be known from nowhere else. */
  readonly #proof = newToken();
  readonly #over = new AbortController();
  #settle: (reply: Reply) => void = () => {};
  readonly #stopTimer: () => void;
  #ending: Ending | undefined;
  /** The upload that is under way, and the file that was taken. */
  #receiving: AbortController | undefined;
  #file: string | undefined;

  constructor(asked: PageFor, base: URL, around: PageDependencies) {
    const { clock, identifying } = around;
    this.#asked = asked;
    this.#base = base;
    this.#around = around;
    this.#fields = fieldsFor(asked.question);
    this.#deadline = deadlineOf(asked.question, clock.now());
    this.#doorway = new PageAccess(asked.principal, base, this.#deadline, identifying, clock);
    this.#tries = new RateLimiter(clock, TRIES);
    this.reply = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const left = this.#deadline === undefined ? undefined : Math.max(0, this.#deadline - clock.now());
    const late = (): void => void this.#end("late", { action: "timeout" });
    this.#stopTimer = left === undefined ? () => {} : clock.after(left, late);
  }

  /** Takes the page away, and the file that was uploaded to it. */
  async close(): Promise<void> {
    this.#end("closed", { action: "cancel" });
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await this.#around.uploads.remove(file);
  }

  /** What a request for this page is answered with. */
  async handle(request: IncomingMessage): Promise<PageResponse> {
    if (request.method !== "POST") {
      const isHeld = await this.#doorway.isOwner(request);
      return isHeld ? this.#question(request) : this.#doorway.showEntry(request);
    }
    if (!isOwnForm(request, this.#base)) return crossSitePage;
    const isHeld = await this.#doorway.isOwner(request);
    // Somebody else who was given the address uses up nothing of whoever holds the page.
    if (!this.#tries.tryAcquire(isHeld ? "holder" : "others")) return tooManyPage;
    const shown = isHeld ? await this.#submit(request) : await this.#signIn(request);
    // It may have come to its end meanwhile; then whatever else there was to say is not worth saying.
    return this.#ending === undefined || shown.onFlushed !== undefined ? shown : endedPage(this.#ending);
  }

  async #signIn(request: IncomingMessage): Promise<PageResponse> {
    const form = await receiveForm(request, this.#around.clock, SMALL, this.#over.signal);
    return "status" in form ? form : this.#doorway.submitEntry(request, form);
  }

  async #submit(request: IncomingMessage): Promise<PageResponse> {
    const { clock, formBytes } = this.#around;
    const isUpload =
      this.#asked.question.ask === "file" && /^multipart\//i.test(request.headers["content-type"] ?? "");
    if (isUpload) return this.#hearFile(request);
    const form = await receiveForm(request, clock, formBytes, this.#over.signal);
    return "status" in form ? form : this.#take(request, form);
  }

  async #hearFile(request: IncomingMessage): Promise<PageResponse> {
    const { clock, uploads, uploadBytes } = this.#around;
    const { question } = this.#asked;
    const maxBytes = (question.ask === "file" ? question.maxBytes : undefined) ?? uploadBytes;
    // Of two, the last counts: a person who sends again has given up on what was sent before.
    this.#receiving?.abort();
    this.#receiving = new AbortController();
    const signal = AbortSignal.any([this.#receiving.signal, this.#over.signal]);
    const path = await uploads.place();
    try {
      const isOwn = (form: URLSearchParams): boolean => this.#isOwn(form);
      const received = await receiveUpload(request, { clock, path, maxBytes, isOwn, signal });
      if ("status" in received) return received;
      const { form, file, isTooLarge } = received;
      if (!isTooLarge)
        return await this.#take(request, form, file === undefined ? undefined : { ...file, path });
      const problems = new Map([[this.#fields[0], `Must have at most ${sizeOf(maxBytes)}.`]]);
      return this.#question(request, { status: 413, problems });
    } finally {
      if (this.#file !== path) await uploads.remove(path);
    }
  }

  /** Takes what a form says. */
  async #take(
    request: IncomingMessage,
    form: URLSearchParams,
    file?: { readonly name: string; readonly type: string; readonly path: string },
  ): Promise<PageResponse> {
    const said = form.get("do") ?? "";
    // From a step that was taken already, in another tab.
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

  /** Ends with a reply, given once the person has been told. */
  #endWith(ending: Ending, reply: Reply, shown: PageResponse): PageResponse {
    if (!this.#end(ending)) return endedPage(this.#ending ?? ending);
    return { ...shown, onFlushed: () => this.#settle(reply) };
  }

  /** Whether it had not ended before. */
  #end(ending: Ending, reply?: Reply): boolean {
    if (this.#ending !== undefined) return false;
    this.#ending = ending;
    this.#stopTimer();
    this.#over.abort();
    this.#around.onEnd(ending);
    if (reply !== undefined) this.#settle(reply);
    return true;
  }
}
