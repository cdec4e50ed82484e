/**
 * One question that was sent to the client of a call, until it ends: with the client's reply (accept, decline, cancel) or error, an
 * answer on a page, at its deadline (timeout), or because the server cancels it. The first end counts.
 *
 * ARCHITECTURE.md §3 follows a decline from the client to the body, file by file. A timeout takes the same way from `onExpired`.
 *
 * Thousands of questions may be open for days. To save memory, they call a listener instead of resolving a promise.
 */
import type { OpenQuestion, Replies, Reply } from "@photon/core";
import { type DeadlineEntry, remainingTime } from "../calls/question-deadlines.ts";
import { type JudgedReply, judgeReply } from "../client-trust.ts";
import type { DurableCall } from "../durable/durable-call.ts";
import { RunMoved } from "../errors.ts";
import { hasClientElsewhere, METHOD_NOT_FOUND } from "../jsonrpc/errors.ts";
import type { JsonObject, RequestId } from "../jsonrpc/messages.ts";
import { ClientError, type ResponseHandler } from "../jsonrpc/outgoing-requests.ts";
import { type CallPages, type Page, PageRefused } from "../pages/page.ts";
import {
  ANYWHERE,
  type ClientReply,
  inputRequestFor,
  isForPage,
  type OpenAsk,
  parseResultOrUnsupported,
  replyToError,
  unsupportedReply,
  urlAskForPage,
} from "../protocol/elicitation.ts";
import { aboutCall, withDetails } from "../protocol/question-metadata.ts";
import type { SessionClient } from "./session-client.ts";

export interface ReplyListener {
  resume(replies: Replies): void;
  /** The reply could not be recorded, or the run has moved. */
  failed(error: unknown): void;
}

export class SentQuestion implements ResponseHandler, DeadlineEntry {
  /** The id of the request to the client. The same for the same question of the same run, in every process. */
  readonly #id: string;
  readonly #question: OpenQuestion;
  readonly #clientPort: SessionClient;
  /** Undefined once no reply is needed. */
  #listener: ReplyListener | undefined;
  readonly #askedAt: number;
  /** How much time the question had when it was asked; undefined without a limit. */
  readonly #remainingMs: number | undefined;
  hasEnded = false;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;
  /** The page on which the question is answered. */
  #page: Page | undefined;
  /** Whether the user has agreed to open the page, or has answered on it. */
  #isUserOnPage = false;
  #stopHeartbeat: (() => void) | undefined;

  constructor(question: OpenQuestion, clientPort: SessionClient, listener: ReplyListener) {
    this.#id = `${clientPort.run?.id}:${question.key}:${question.attempt}`;
    this.#question = question;
    this.#clientPort = clientPort;
    this.#listener = listener;
    this.#askedAt = clientPort.settings.clock.now();
    this.#remainingMs = remainingTime(question, this.#askedAt);
  }

  get countsAsQuestion(): boolean {
    return true;
  }

  get about(): RequestId {
    return this.#clientPort.request;
  }

  get deadline(): number {
    return this.#askedAt + (this.#remainingMs ?? Number.POSITIVE_INFINITY);
  }

  /** Sends the question to the client; if it must not pass through the client, sends the user to a page. */
  send(): void {
    const question = this.#question;
    const { progressToken, session } = this.#clientPort;
    const { deadlines, openPage } = session.server;
    if (this.#remainingMs !== undefined) {
      if (this.#remainingMs <= 0) return this.#onReply({ action: "timeout" });
      deadlines.add(this, this.#remainingMs);
    }
    if (progressToken !== undefined)
      this.#stopHeartbeat = this.#clientPort.openNotifications().startHeartbeat(progressToken);
    try {
      if (isForPage(question) && openPage !== undefined)
        void this.#sendToPage(question, this.#clientPort.pages(openPage));
      else this.#sendRequest(question);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The client has accepted, declined or cancelled. */
  onResult(result: JsonObject): void {
    const question = this.#question;
    const page = this.#page;
    // The client replies only whether the user opens the page; the answer is given there.
    const isUrlAsk = page !== undefined && question.emit === "ask";
    const asked = isUrlAsk ? urlAskForPage(question, page.url) : question;
    const { session, features, settings } = this.#clientPort;
    const { client } = session.handshake;
    const reply = parseResultOrUnsupported(asked, result, features, client, settings.report);
    this.#clientPort.notifications?.onProgressRead();
    const isAccepted = reply.action === "accept";
    if (isUrlAsk) this.#isUserOnPage ||= isAccepted;
    else if (isAccepted && question.emit === "ask" && question.ask === "url")
      this.#clientPort.openNotifications().onUrlAccepted(this.#id);
    if (this.#isUserOnPage) return;
    this.#onReply(reply);
    page?.close();
  }

  onError(error: Error): void {
    if (!this.#isUserOnPage) this.#fail(error);
  }

  onExpired(): void {
    this.#cancelRequest();
    this.#onReply({ action: "timeout" });
  }

  /** The client is told that the question is cancelled. The call is resumed with a cancel. */
  cancel(): void {
    this.#cancelRequest();
    this.#end({ action: "cancel" });
  }

  /** The client is told that the question is cancelled. The call is not resumed. */
  withdraw(): void {
    this.#listener = undefined;
    this.cancel();
  }

  /** The client is told nothing: it still shows the question, which another process asks as well. The call is not resumed. */
  detach(): void {
    this.#listener = undefined;
    this.#clientPort.session.requests.detach(this.#id);
    this.#end({ action: "cancel" });
  }

  /** Reads what other processes have recorded: a reply ends the question, and its call follows a run that has moved. */
  async readLog(): Promise<void> {
    const listener = this.#listener;
    try {
      const replies = await this.#clientPort.durable?.replyElsewhere(this.#question);
      if (replies === undefined || this.hasEnded) return;
      this.withdraw();
      listener?.resume(replies);
    } catch (error) {
      if (!(error instanceof RunMoved)) this.#clientPort.settings.report(error);
      else if (!this.hasEnded) listener?.failed(error);
    }
  }

  /** Sends the client a question: this one, or the ask to open its page. */
  #sendRequest(question: OpenQuestion): void {
    const { session, client, features } = this.#clientPort;
    const wanted = inputRequestFor(question, client.can, features, this.#id);
    if ("unsupported" in wanted) return this.#onReply(unsupportedReply(wanted));
    const request = session.handshake.wantsDetails
      ? withDetails(wanted, this.#question, aboutCall(this.#clientPort.openNotifications().logTarget))
      : wanted;
    session.requests.send({ id: this.#id, ...request }, this);
  }

  /** Asks the client to open a page, and waits for the reply that the user gives there. */
  async #sendToPage(question: OpenAsk, pages: CallPages): Promise<void> {
    const { client, features } = this.#clientPort;
    try {
      const wanted = inputRequestFor(question, client.can, features, this.#id, ANYWHERE);
      if ("unsupported" in wanted) return this.#onReply(unsupportedReply(wanted));
      const page = await pages.get(question);
      if (this.hasEnded) return;
      this.#page = page;
      this.#sendRequest(urlAskForPage(question, page.url));
      const reply = await page.reply;
      if (this.hasEnded) return;
      this.#isUserOnPage = true;
      if (reply.action === "accept" || reply.action === "decline")
        await this.#clientPort.openNotifications().completeElicitation(this.#id);
      this.#cancelRequest();
      this.#onReply(reply);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The client has answered with an error or disconnected, or could not be asked. */
  #fail(error: unknown): void {
    if (error instanceof PageRefused) return this.#onReply({ action: "unsupported", reason: error.reason });
    const { session, settings } = this.#clientPort;
    if (!(error instanceof ClientError)) return this.#end(replyToError(error, settings.report));
    if (error.code === METHOD_NOT_FOUND) session.trust.refuse(this.#question);
    this.#onReply(replyToError(error, settings.report));
  }

  #cancelRequest(): void {
    this.#clientPort.session.requests.cancel({ id: this.#id });
  }

  /** The client or the user has replied, or the client cannot. A reply that came too quickly may leave the question open in the inbox. */
  #onReply(given: ClientReply): void {
    if (this.hasEnded) return;
    const { reply, decision } = this.#judge(given);
    if (decision !== "leaveOpen") this.#end(reply, decision);
  }

  /** Ends the question, once, and resumes its call. */
  #end(reply: Reply, decision: JudgedReply["decision"] = "counts"): void {
    // A suspicion is reported to the operator's code, which may have closed the call.
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#stopHeartbeat?.();
    const clientPort = this.#clientPort;
    const { key } = this.#question;
    if (this.#remainingMs !== undefined) clientPort.session.server.deadlines.delete(this, this.#remainingMs);
    clientPort.sent = undefined;
    if (decision === "askElsewhere")
      clientPort.noteAskedElsewhere(key, reply.action === "unsupported" ? undefined : reply);
    const listener = this.#listener;
    if (listener === undefined) return;
    // Without a reply, the call asks by other means.
    if (decision === "askElsewhere") listener.resume({});
    else if (clientPort.durable === undefined || clientPort.isClosed) listener.resume({ [key]: reply });
    else void this.#record(clientPort.durable, reply, listener);
  }

  /** Records a reply or timeout in the client's trust, and decides whether it counts. */
  #judge(reply: ClientReply): JudgedReply {
    const question = this.#question;
    const { session, settings, durable, isClosed, canAskElsewhere } = this.#clientPort;
    if (isClosed || question.emit !== "ask") return { reply, decision: "counts" };
    const { client } = session.handshake;
    const tookMs = settings.clock.now() - this.#askedAt;
    session.trust.recordReply(client, this.#isUserOnPage ? { action: "accept" } : reply, tookMs);
    if (this.#isUserOnPage) return { reply, decision: "counts" };
    // A handover can ask a question that the client cannot show, or refuses.
    if (reply.action === "unsupported")
      return { reply, decision: canAskElsewhere?.(question) === true ? "askElsewhere" : "counts" };
    const isInLog = durable !== undefined;
    return judgeReply(question, reply, tookMs, { client, settings, isInLog, canAskElsewhere });
  }

  /** Records the reply, and resumes the call with the first one in the log: this one, or another process's. */
  async #record(durable: DurableCall, reply: Reply, listener: ReplyListener): Promise<void> {
    try {
      listener.resume(await durable.recordReply(this.#question, reply));
    } catch (error) {
      // The other process asks the same question, and the client has answered it here.
      if (hasClientElsewhere(error))
        await durable.passOn(this.#question, reply).catch(this.#clientPort.settings.report);
      listener.failed(error);
    }
  }
}
