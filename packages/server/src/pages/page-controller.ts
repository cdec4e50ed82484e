/**
 * The page of one question: handles its requests, and resolves the reply.
 *
 *   1. A page is open until it is answered, declined, expired or closed. Later requests get a page that says so, and change nothing.
 *   2. An answer is checked like any other. One that does not fit is shown again with its problems, and does not count as an attempt.
 *   3. The reply resolves after the confirmation was sent to the browser.
 */
import type { IncomingMessage } from "node:http";
import { type Clock, describeSize, type FileAsk, type Reply } from "@photon/core";
import type { Limits } from "../limits.ts";
import { deadlineOf } from "../calls/question-deadlines.ts";
import { sha256Bytes } from "../crypto/digest.ts";
import { RateLimiter } from "../util/rate-limiter.ts";
import { deferred } from "../util/timers.ts";
import { type Problems, readFormAnswer } from "./form-answer.ts";
import {
  hasDigest,
  isLocalRequest,
  isPlainHttp,
  isSameOriginForm,
  newToken,
  PageAccess,
  tokenIn,
} from "./page-access.ts";
import { type Field, fieldsFor } from "./fields.ts";
import { endedPage, type Ending, notice, redirectPage } from "./notices.ts";
import type { PageFor, UserIdentification } from "./page.ts";
import { questionPage } from "./question-page.ts";
import { readForm, readUpload, type Upload } from "./form-body.ts";
import type { UploadFolder } from "./upload-folder.ts";
import type { PageResponse } from "./send-page.ts";

interface PageOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly identification: UserIdentification;
  readonly uploads: UploadFolder;
  readonly onEnd: (ending: Ending) => void;
}

/** POST requests to one page within a minute, from the browser that claimed it and from all others. */
const MAX_POSTS_PER_MINUTE = 30;
/** The largest form by which a browser claims the page. */
const MAX_ENTRY_BYTES = 16 * 1024;
/** The largest form with an answer, unless `limits.messageBytes` is less. */
const MAX_FORM_BYTES = 1024 * 1024;

export class PageController {
  readonly #reply = deferred<Reply>();
  readonly reply: Promise<Reply> = this.#reply.promise;
  readonly #pageFor: PageFor;
  readonly #base: URL;
  readonly #options: PageOptions;
  readonly #fields: readonly Field[];
  readonly #deadline: number | undefined;
  readonly #access: PageAccess;
  readonly #posts: RateLimiter;
  /** A token in the page's own forms, against cross-site requests. */
  readonly #formToken = newToken();
  #state: "open" | Ending = "open";
  /** Aborted when the page ends. */
  readonly #ended = new AbortController();
  readonly #stopTimer: () => void;
  /** The upload in progress, and the path of the accepted file. */
  #uploading: AbortController | undefined;
  #file: string | undefined;

  constructor(pageFor: PageFor, base: URL, options: PageOptions) {
    const { clock, identification } = options;
    const { question, principal } = pageFor;
    const now = clock.now();
    const deadline = deadlineOf(question, now);
    this.#pageFor = pageFor;
    this.#base = base;
    this.#options = options;
    this.#fields = fieldsFor(question);
    this.#deadline = deadline;
    this.#access = new PageAccess({ principal, base, deadline, identification, clock });
    this.#posts = new RateLimiter(clock, MAX_POSTS_PER_MINUTE);
    const onExpired = (): void => this.#end("expired", { action: "timeout" });
    this.#stopTimer = deadline === undefined ? () => {} : clock.after(Math.max(0, deadline - now), onExpired);
  }

  /** Closes the page, and removes its upload. */
  async close(): Promise<void> {
    this.#end("closed", { action: "cancel" });
    if (this.#file !== undefined) await this.#options.uploads.remove(this.#file);
  }

  /** The response to a request for this page. */
  async handle(request: IncomingMessage): Promise<PageResponse> {
    if (request.method !== "POST") {
      const isOwner = await this.#access.isOwner(request);
      return isOwner ? this.#questionPage(request) : this.#access.showEntry(request);
    }
    if (!isSameOriginForm(request, this.#base)) return notice("crossSite");
    const isOwner = await this.#access.isOwner(request);
    // Requests of others do not count against the browser that claimed the page.
    if (!this.#posts.tryAcquire(isOwner ? "owner" : "others")) return notice("tooMany");
    const page = isOwner ? await this.#submit(request) : await this.#enter(request);
    const isConfirmation = page.onFlushed !== undefined;
    // The page may have ended while the form was read.
    return this.#state === "open" || isConfirmation ? page : endedPage(this.#state);
  }

  /** Handles the form by which a browser claims the page. */
  async #enter(request: IncomingMessage): Promise<PageResponse> {
    const form = await this.#readForm(request, MAX_ENTRY_BYTES);
    return "status" in form ? form : this.#access.submitEntry(request, form);
  }

  async #submit(request: IncomingMessage): Promise<PageResponse> {
    const { question } = this.#pageFor;
    const isUpload = /^multipart\//i.test(request.headers["content-type"] ?? "");
    if (isUpload && question.ask === "file") return this.#submitUpload(request, question);
    const { messageBytes } = this.#options.limits;
    const form = await this.#readForm(request, Math.min(messageBytes, MAX_FORM_BYTES));
    return "status" in form ? form : this.#submitForm(request, { form, file: undefined });
  }

  #readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | PageResponse> {
    return readForm(request, { clock: this.#options.clock, maxBytes, signal: this.#ended.signal });
  }

  async #submitUpload(request: IncomingMessage, question: FileAsk): Promise<PageResponse> {
    const { clock, limits, uploads } = this.#options;
    const { maxBytes = limits.uploadBytes } = question;
    // A second upload cancels the first: the user has pressed the button again.
    this.#uploading?.abort();
    this.#uploading = new AbortController();
    const signal = AbortSignal.any([this.#uploading.signal, this.#ended.signal]);
    const path = await uploads.add();
    try {
      const isOwnForm = this.#isOwnForm;
      const upload = await readUpload(request, { clock, path, maxBytes, isOwnForm, signal });
      if (upload === "file too large") {
        const problems = new Map([[this.#fields[0], `Must have at most ${describeSize(maxBytes)}.`]]);
        return this.#questionPage(request, { status: 413, problems });
      }
      return "status" in upload ? upload : await this.#submitForm(request, upload);
    } finally {
      if (this.#file !== path) await uploads.remove(path);
    }
  }

  /** Handles a form of the question's page. */
  async #submitForm(request: IncomingMessage, sent: Upload): Promise<PageResponse> {
    const { form, file } = sent;
    const action = form.get("do") ?? "";
    // The entry form of another tab: this browser has claimed the page already.
    if (action === "open" || action === "sign-in") return redirectPage(tokenIn(request.url) ?? "");
    if (!this.#isOwnForm(form)) return notice("outdatedForm");
    if (action === "decline") return this.#endWith("declined", { action: "decline" });
    if (!["accept", "yes", "no"].includes(action)) return notice("badRequest");
    const isLocal = isLocalRequest(request, this.#base);
    const answer = await readFormAnswer(this.#pageFor.question, this.#fields, sent, isLocal);
    if ("problems" in answer) return this.#questionPage(request, { status: 422, typed: form, ...answer });
    if (this.#state === "open") this.#file = file?.path;
    const { value } = answer;
    return this.#endWith("answered", { action: "accept", ...(value === undefined ? {} : { value }) });
  }

  readonly #isOwnForm = (form: URLSearchParams): boolean =>
    hasDigest(form.get("proof"), sha256Bytes(this.#formToken));

  #questionPage(
    request: IncomingMessage,
    { status, ...sent }: { status?: number; typed?: URLSearchParams; problems?: Problems } = {},
  ): PageResponse {
    const view = {
      pageFor: this.#pageFor,
      fields: this.#fields,
      formToken: this.#formToken,
      deadline: this.#deadline,
      isLocal: isLocalRequest(request, this.#base),
      isUnencrypted: isPlainHttp(this.#base),
      ...sent,
    };
    return questionPage(view, status);
  }

  /** Ends the page. The reply resolves when the confirmation was sent. */
  #endWith(ending: "answered" | "declined", reply: Reply): PageResponse {
    if (this.#state !== "open") return endedPage(this.#state);
    this.#end(ending);
    return { ...notice(ending), onFlushed: () => this.#reply.resolve(reply) };
  }

  /** Ends the page, unless it has ended. */
  #end(ending: Ending, reply?: Reply): void {
    if (this.#state !== "open") return;
    this.#state = ending;
    this.#stopTimer();
    this.#ended.abort();
    this.#options.onEnd(ending);
    if (reply !== undefined) this.#reply.resolve(reply);
  }
}
