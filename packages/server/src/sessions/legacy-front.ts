/**
 * The client's side of a call on a session: questions are requests to the client,
 * sent on the stream of the call, one after another.
 */
import {
  askFirst,
  UrlRequired,
  type Client,
  type Emit,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type RunOptions,
  type StepNews,
} from "@photon/core";
import type { Front } from "../front.ts";
import { clientIn } from "../mcp/client.ts";
import {
  ANYWHERE,
  inputRequestFor,
  isForPage,
  replyTo,
  type InputRequest,
  type Unsupported,
} from "../mcp/input-requests.ts";
import { logFor, stepLogFor, type Hearer } from "../mcp/logs.ts";
import { ProgressCounter } from "../mcp/progress.ts";
import { aboutCall, withDetails } from "../mcp/question-details.ts";
import type { Features } from "../mcp/revisions.ts";
import { OVER_LIMIT, RpcError, URL_ELICITATION_REQUIRED } from "../rpc/errors.ts";
import type { Notification, RequestId, Wire } from "../rpc/message.ts";
import type { Asking } from "../rpc/requests.ts";
import type { Settings } from "../settings.ts";
import type { OpenAsk } from "../pages/page.ts";
import { RunPages } from "../pages/run-pages.ts";
import { beat } from "./beat.ts";
import type { Home } from "./home.ts";
import { PageVisits } from "./page-visits.ts";
import { ProofOfReading } from "./proof-of-reading.ts";
import { replyForFailure } from "./reply-for-failure.ts";

const HEARTBEAT = 15_000;

export class LegacyFront implements Front {
  /** Whoever must go elsewhere first is told by an error, and calls again. */
  readonly visits = false;
  readonly #home: Home;
  readonly #request: RequestId;
  readonly #progress = new ProgressCounter();
  readonly #token: RequestId | undefined;
  readonly #logger: string;
  readonly #closed = new AbortController();
  readonly #reading: ProofOfReading;
  #run: Run<unknown> | undefined;
  /** The url questions that were accepted; the client is told when they are done with. */
  readonly #elicitations: string[] = [];
  /** Of pages, where there are any. */
  readonly #visits: PageVisits | undefined;

  constructor(home: Home, request: RequestId, token: RequestId | undefined, logger: string) {
    this.#home = home;
    this.#request = request;
    this.#logger = logger;
    this.#reading = new ProofOfReading(home, request, this.#closed.signal);
    this.#token = token;
    const { principal, settings, openPage } = home;
    const pages = openPage && new RunPages(openPage, { server: settings.name, tool: logger, principal });
    this.#visits = pages && new PageVisits(pages);
  }

  get features(): Features {
    return this.#home.features;
  }

  get client(): Client {
    return this.#home.suspicions.believed(clientIn(this.#home.client, this.features));
  }

  get settings(): Settings {
    return this.#home.settings;
  }

  get principal(): string {
    return this.#home.principal;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  get runId(): string | undefined {
    return this.#run?.id;
  }

  options(): Pick<RunOptions, "runId" | "journal" | "trace"> {
    return {};
  }

  started(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closed.signal.aborted) void run.close(this.#closed.signal.reason);
  }

  /** Ends the call: the question that is open is cancelled, the body closed. */
  async close(reason: Error): Promise<void> {
    this.#closed.abort(reason);
    await this.#run?.close(reason);
  }

  async emit(effect: Emit): Promise<void> {
    if (effect.emit === "log") await this.#tell(logFor(effect, this.#hearer));
    else if (this.#token !== undefined) await this.#tellProgress(this.#progress.of(effect, this.#token));
  }

  async step(news: StepNews): Promise<void> {
    await this.#tell(stepLogFor(news, this.#hearer));
  }

  supports(question: OpenQuestion): boolean {
    return "method" in this.#requestFor(question, "", this.#visits && ANYWHERE);
  }

  remark(): string | undefined {
    return this.#home.suspicions.about(this.#home.client);
  }

  ended(): void {
    this.#visits?.close();
  }

  /** Puts questions to the client. What it leaves out is asked again. */
  async ask(round: Round): Promise<Replies> {
    const { clock, limits } = this.settings;
    if (this.#home.requests.size >= limits.asksPerSession) {
      throw new RpcError(OVER_LIMIT, `This session has ${limits.asksPerSession} questions open already.`);
    }
    const stopBeating = this.#beat();
    const asked = clock.now();
    try {
      const replies = await askFirst(
        round,
        clock,
        (question, { signal }) => this.#put(question, signal),
        this.#closed.signal,
      );
      if (!this.isClosed)
        this.#home.suspicions.hear(
          this.#home.client,
          round,
          this.#visits?.saidIn(replies) ?? replies,
          clock.now() - asked,
        );
      return replies;
    } finally {
      stopBeating();
    }
  }

  refusal(error: unknown): RpcError | undefined {
    if (!(error instanceof UrlRequired) || !this.features.since2511 || !this.client.can.url) return undefined;
    const elicitations = error.urls.map(({ message, url }) => ({
      mode: "url",
      elicitationId: crypto.randomUUID(),
      url,
      message,
    }));
    return new RpcError(URL_ELICITATION_REQUIRED, error.message, { elicitations });
  }

  /** Settles when a result may be sent: after everything that was told before it. */
  async settled(result: Wire): Promise<void> {
    // What was accepted was consented to; only a call that came to its end shows that it was done.
    const done = result["isError"] === true ? [] : this.#elicitations.splice(0);
    for (const elicitationId of done) await this.#tellDone(elicitationId);
    if (this.#home.coalesces) await this.#reading.wait();
  }

  /** Asks the client. Before it answers, it has read what it was told before. */
  async #hear<T>(
    asking: Asking,
    read: (result: Wire) => { readonly value: T } | { readonly problem: string },
  ): Promise<T> {
    const heard = await this.#home.requests.ask(asking, read);
    this.#reading.given();
    return heard;
  }

  /** Puts one question to the client. */
  async #put(question: OpenQuestion, signal: AbortSignal): Promise<Reply> {
    // Never 0, and the same for the same question of the same run.
    const id = `${this.runId}:${question.key}:${question.attempt}`;
    const asking = { id, about: this.#request, signal };
    try {
      if (isForPage(question) && this.#visits !== undefined)
        return await this.#putOnPage(question, asking, this.#visits);
      const wanted = this.#requestFor(question, id);
      if ("unsupported" in wanted) return unsupported(wanted);
      const reply = await this.#hear({ ...asking, ...wanted }, (result) =>
        replyTo(question, result, this.features),
      );
      const isUrl = question.emit === "ask" && question.ask === "url";
      if (isUrl && reply.action === "accept") this.#elicitations.push(id);
      return reply;
    } catch (error) {
      return replyForFailure(error, this.settings.report);
    }
  }

  async #putOnPage(question: OpenAsk, asking: Omit<Asking, "method">, visits: PageVisits): Promise<Reply> {
    const wanted = this.#requestFor(question, asking.id, ANYWHERE);
    // Before any page is opened: nobody could be sent there.
    if ("unsupported" in wanted) return unsupported(wanted);
    return visits.put(question, asking.signal, {
      consent: async (visit, signal) => {
        const request = this.#requestFor(visit, asking.id, undefined, question);
        if ("unsupported" in request) return unsupported(request);
        return this.#hear({ ...asking, ...request, signal }, (result) =>
          replyTo(visit, result, this.features),
        );
      },
      tellDone: () => this.#tellDone(asking.id),
    });
  }

  #requestFor(
    question: OpenQuestion,
    id: string,
    page?: string,
    about = question,
  ): InputRequest | Unsupported {
    const wanted = inputRequestFor(question, this.client.can, this.features, id, page);
    if ("unsupported" in wanted || !this.#home.client.wantsDetails) return wanted;
    return withDetails(wanted, about, aboutCall(this.#hearer));
  }

  get #hearer(): Hearer {
    return {
      logger: this.#logger,
      token: this.#token,
      wantsDetails: this.#home.client.wantsDetails,
      isLogged: (level) => this.#home.isLogged(level),
    };
  }

  /** Tells the client something on the stream of the call; a call that was closed has none any more. */
  #tell(notification: Notification | undefined): void | Promise<void> {
    if (notification === undefined || this.#closed.signal.aborted) return;
    return this.#home.send(notification, this.#request);
  }

  /** Somebody has been where they were sent. */
  #tellDone(elicitationId: string): void | Promise<void> {
    const params = { elicitationId };
    return this.#tell({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params });
  }

  async #tellProgress(notification: Notification | undefined): Promise<void> {
    if (notification === undefined) return;
    await this.#tell(notification);
    this.#reading.told();
  }

  /** Signs of life while a person thinks, if the client wants any. */
  #beat(): () => void {
    const token = this.#token;
    if (token === undefined) return () => {};
    return beat(
      this.settings.clock,
      HEARTBEAT,
      () => void this.#tellProgress(this.#progress.heartbeat(token)),
    );
  }
}

const unsupported = (why: Unsupported): Reply => ({ action: "unsupported", reason: why.unsupported });
