/**
 * The client's side of a call on a session: questions are requests to the client,
 * sent on the stream of the call, one after another.
 */
import {
  askFirst,
  RunCancelled,
  UrlRequired,
  type Client,
  type Emit,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type RunOptions,
} from "@photon/core";
import type { Front } from "../front.ts";
import { clientIn } from "../mcp/client.ts";
import {
  inputRequestFor,
  isForPage,
  replyTo,
  visitTo,
  type InputRequest,
  type Unsupported,
} from "../mcp/input-requests.ts";
import { ProgressCounter } from "../mcp/progress.ts";
import type { Features } from "../mcp/revisions.ts";
import { OVER_LIMIT, RpcError, URL_ELICITATION_REQUIRED } from "../rpc/errors.ts";
import type { Notification, RequestId, Wire } from "../rpc/message.ts";
import type { Asking } from "../rpc/requests.ts";
import type { Settings } from "../settings.ts";
import { PageRefused, type OpenAsk } from "../pages/page.ts";
import { RunPages } from "../pages/run-pages.ts";
import type { Home } from "./home.ts";
import { ProofOfReading } from "./proof-of-reading.ts";
import { replyForFailure } from "./reply-for-failure.ts";

const HEARTBEAT = 15_000;
/** An address, to find out whether a client could be sent to one. */
const ANYWHERE = "http://localhost";

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
  readonly #pages: RunPages;
  /** The questions that somebody was sent to a page for, by the client: what they say there is not the client's. */
  readonly #visited = new Set<string>();

  constructor(home: Home, request: RequestId, token: RequestId | undefined, logger: string) {
    this.#home = home;
    this.#request = request;
    this.#logger = logger;
    this.#reading = new ProofOfReading(home, request, this.#closed.signal);
    this.#token = token;
    this.#pages = new RunPages((question) => {
      const { principal, settings, openPage } = home;
      if (openPage === undefined) throw new PageRefused("There are no pages here.");
      return openPage({ question, server: settings.name, tool: logger, principal });
    });
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
    if (effect.emit === "log") {
      if (!this.#home.isLogged(effect.level)) return;
      const { level, data } = effect;
      await this.#tell({
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level, logger: this.#logger, data },
      });
      return;
    }
    const notification = this.#token === undefined ? undefined : this.#progress.of(effect, this.#token);
    if (notification !== undefined) await this.#tellProgress(notification);
  }

  supports(question: OpenQuestion): boolean {
    return "method" in this.#requestFor(question, "", this.#home.openPage && ANYWHERE);
  }

  remark(): string | undefined {
    return this.#home.suspicions.about(this.#home.client);
  }

  ended(): void {
    this.#pages.close();
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
        this.#home.suspicions.hear(this.#home.client, round, this.#saidIn(replies), clock.now() - asked);
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
      if (isForPage(question)) return await this.#putOnPage(question, asking);
      const wanted = this.#requestFor(question, id);
      if ("unsupported" in wanted) return { action: "unsupported", reason: wanted.unsupported };
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

  /** Sends a person to a page, and waits for what they answer there: what they tell the client is only that they will. */
  async #putOnPage(question: OpenAsk, asking: Omit<Asking, "method">): Promise<Reply> {
    const isThere = this.#home.openPage !== undefined;
    const wanted = this.#requestFor(question, asking.id, isThere ? ANYWHERE : undefined);
    if ("unsupported" in wanted) return { action: "unsupported", reason: wanted.unsupported };
    const page = await this.#pages.of(question);
    const visit = visitTo(question, page.url);
    const answered = new AbortController();
    const stop = (): void => answered.abort();
    asking.signal.addEventListener("abort", stop, { once: true });
    const request = this.#requestFor(visit, asking.id);
    const consent = this.#hear({ ...asking, ...wanted, ...request, signal: answered.signal }, (result) =>
      replyTo(visit, result, this.features),
    );
    // Where the page is answered first, nobody waits for the client's word any more.
    consent.catch(() => {});
    try {
      const said = await Promise.race([page.reply.then(() => undefined), consent]);
      if (said !== undefined && said.action !== "accept") {
        page.close();
        return said;
      }
      this.#visited.add(question.key);
      const reply = await page.reply;
      // Whoever has declined there has been there, too; a page whose time was over has seen nobody.
      if (reply.action === "accept" || reply.action === "decline") await this.#tellDone(asking.id);
      return reply;
    } finally {
      stop();
      asking.signal.removeEventListener("abort", stop);
    }
  }

  /** What the client has said itself: where it sent somebody to a page, that it would. */
  #saidIn(replies: Replies): Replies {
    return Object.fromEntries(
      Object.entries(replies).map(([key, reply]) => [
        key,
        this.#visited.has(key) ? ({ action: "accept" } as const) : reply,
      ]),
    );
  }

  #requestFor(question: OpenQuestion, id: string, page?: string): InputRequest | Unsupported {
    return inputRequestFor(question, this.client.can, this.features, id, page);
  }

  /** Tells the client something on the stream of the call; a call that was closed has none any more. */
  #tell(notification: Notification): void | Promise<void> {
    if (this.#closed.signal.aborted) return;
    return this.#home.send(notification, this.#request);
  }

  /** Somebody has been where they were sent. */
  #tellDone(elicitationId: string): void | Promise<void> {
    const params = { elicitationId };
    return this.#tell({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params });
  }

  async #tellProgress(notification: Notification): Promise<void> {
    await this.#tell(notification);
    this.#reading.told();
  }

  /** Signs of life while a person thinks, if the client wants any. */
  #beat(): () => void {
    const token = this.#token;
    if (token === undefined) return () => {};
    let stop = (): void => {};
    const again = (): void => {
      stop = this.settings.clock.after(HEARTBEAT, () => {
        void this.#tellProgress(this.#progress.heartbeat(token));
        again();
      });
    };
    again();
    return () => stop();
  }
}

/** Why a call ends that its client cancelled. */
export function cancelledFor(reason: unknown): RunCancelled {
  return new RunCancelled(
    typeof reason === "string"
      ? `The client cancelled the call: ${reason}`
      : "The client cancelled the call.",
  );
}
