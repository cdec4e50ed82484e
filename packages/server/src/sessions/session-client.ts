/**
 * The client's side of a call on a session: questions are requests to the client, sent on the stream of the call, one after
 * another. A reply goes from `onResult` or `onError` through `#end` to the call that waits for it.
 *
 * Thousands of calls may wait for days. To save memory, objects that most calls never need are created on first use.
 */
import type {
  Client,
  Emit,
  OpenQuestion,
  Replies,
  Reply,
  Round,
  Run,
  Runnable,
  RunOptions,
  StepEvent,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import { type ClientPort, urlRequired } from "../calls/client-port.ts";
import {
  ANYWHERE,
  type InputRequest,
  inputRequestFor,
  isForPage,
  parseResultOrUnsupported,
  replyToError,
  type Unsupported,
  unsupportedReply,
} from "../protocol/input-requests.ts";
import { aboutCall, withDetails } from "../protocol/question-metadata.ts";
import type { Features } from "../protocol/revisions.ts";
import {
  hasClientElsewhere,
  asRetryable,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  OVER_LIMIT,
  RpcError,
} from "../jsonrpc/errors.ts";
import type { Message, RequestId, JsonObject } from "../jsonrpc/messages.ts";
import { ClientError, type OutgoingRequests } from "../jsonrpc/outgoing-requests.ts";
import type { Settings } from "../settings.ts";
import { type OpenAsk, type OpenPageFor, PageRefused } from "../pages/types.ts";
import { CallPages } from "../pages/call-pages.ts";
import type { RunListener } from "../durable/process-bus.ts";
import { DurableCall, type LeasedLog } from "../durable/durable-call.ts";
import type { DurableClientPort } from "../durable/drive-call.ts";
import type { RunLog } from "../durable/run-log.ts";
import { RunMoved } from "../errors.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import { type ClientAtConnection, isTooQuick, notedAsQuick } from "../client-trust.ts";
import { PageElicitations, sendToPage } from "./page-questions.ts";
import { type QuestionOwner, SentQuestion } from "./sent-question.ts";
import { CallNotifications } from "./call-notifications.ts";
import type { DeclaredClient } from "../protocol/client-info.ts";
import { answerableUntil, type DeadlineQueue } from "../calls/question-deadlines.ts";

/** Receives the reply to a question. */
export interface ReplyListener {
  resume(replies: Replies): void;
  /** The reply could not be recorded, or the run has moved. */
  failed(error: unknown): void;
}

/** What ended a question: the client's reply, its deadline, or the server. A client is judged by the first two. */
type EndedBy = "client" | "deadline" | "server";

/** How a call is kept in a store: the start of its log, or the log itself where the run began before. */
export interface DurabilityOptions {
  readonly begin: (runs: RunRepository) => RunLog;
  readonly leased: LeasedLog | undefined;
  /** The notifications of the same call so far, where the client is the same: its progress continues from there. */
  readonly notifications: CallNotifications | undefined;
}

export class SessionClient implements DurableClientPort, RunListener, QuestionOwner {
  readonly #session: SessionContext;
  readonly request: RequestId;
  readonly #token: RequestId | undefined;
  /** The name of the tool, prompt or resource. */
  readonly #subject: string;
  /** Created with the first notification. */
  #notifications: CallNotifications | undefined;
  #run: Run<unknown> | undefined;
  /** Why the call is closed, once it is. */
  #closedFor: Error | undefined;
  /** The question that is open, and the call that waits for its reply. */
  #sent: SentQuestion | undefined;
  #replyListener: ReplyListener | undefined;
  /** The ids of accepted url elicitations. When the call ends, the client is told that they are complete. */
  #elicitations: string[] | undefined;
  #pageElicitations: PageElicitations | undefined;
  /** The run in the store, where a store keeps it. */
  #durable: DurableCall | undefined;
  /** Whether another process has written to the log while no question was open here. */
  #hasGrown = false;
  readonly #begin: DurabilityOptions["begin"] | undefined;
  readonly #isContinued: boolean;
  canAskElsewhere: ClientPort["canAskElsewhere"];
  /** The questions that the client did not show, and that are asked elsewhere; with what it replied where that was a decline or cancel. */
  #unshown: Map<string, Reply | undefined> | undefined;

  /** `durability`: where a store may keep the run. */
  constructor(
    session: SessionContext,
    request: RequestId,
    token: RequestId | undefined,
    subject: string,
    durability?: DurabilityOptions,
  ) {
    this.#session = session;
    this.request = request;
    this.#token = token;
    this.#subject = subject;
    this.#begin = durability?.begin;
    this.#isContinued = durability?.leased !== undefined;
    this.#notifications = durability?.notifications;
    const { runs } = session;
    if (durability?.leased !== undefined && runs !== undefined)
      this.#durable = new DurableCall(durability.leased, runs, this);
  }

  /** A client on a session gets an error with the address first, and calls again. */
  get canOpenUrlMidCall(): boolean {
    return false;
  }

  /** The client's progress token, if it sent one. */
  get token(): RequestId | undefined {
    return this.#token;
  }

  get features(): Features {
    return this.#session.features;
  }

  get client(): Client {
    return this.#session.trust.effectiveCapabilities(this.#session.known);
  }

  get settings(): Settings {
    return this.#session.settings;
  }

  get principal(): string {
    return this.#session.principal;
  }

  get account(): Account | undefined {
    return this.#session.account;
  }

  get isClosed(): boolean {
    return this.#closedFor !== undefined;
  }

  get runId(): string | undefined {
    return this.#run?.id;
  }

  /** Whether the input was checked and the run has started: before, it is not known whether the run is durable. */
  get hasStarted(): boolean {
    return this.#run !== undefined;
  }

  /** The run in the store, where a store keeps it. */
  get durable(): DurableCall | undefined {
    return this.#durable;
  }

  /** The notifications of the call so far. */
  get notifications(): CallNotifications | undefined {
    return this.#notifications;
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets"> {
    const { runs } = this.#session;
    const begin = this.#begin;
    if (definition.durable !== true || runs === undefined || begin === undefined) return NO_OPTIONS;
    this.#durable ??= new DurableCall({ log: begin(runs) }, runs, this);
    return this.#durable.options(definition);
  }

  onRunStarted(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closedFor === undefined) return;
    void (this.#durable?.outlivesCall === true ? run.detach() : run.close(this.#closedFor));
  }

  /** Ends the call: the question that is open is cancelled, the body closed. */
  async close(reason: Error): Promise<void> {
    this.#closedFor ??= reason;
    this.#notifications?.end();
    if (this.#sent !== undefined) this.#cancelRequest(this.#sent, { action: "cancel" }, "server");
    if (this.#durable?.outlivesCall === true) return this.#durable.detach(this.#run, { continues: false });
    await this.#run?.close(reason);
    await this.#durable?.cancel(new RpcError(INVALID_REQUEST, reason.message)).catch(this.settings.report);
  }

  /**
   * Leaves the run to other processes. The client is told nothing: it can come back for the rest. Resolves when the step under
   * way has ended.
   */
  async detach(reason: Error): Promise<void> {
    const sent = this.#sent;
    this.#closedFor ??= reason;
    this.#notifications?.end();
    if (sent !== undefined) {
      this.#replyListener = undefined;
      this.#session.requests.detach?.(sent.id);
      this.#end(sent, { action: "cancel" }, "server");
    }
    await this.#durable?.detach(this.#run);
  }

  /** Drops this copy of a run that another process has continued: the question that it has open is withdrawn. */
  async drop(): Promise<void> {
    if (this.#sent !== undefined) this.#discard(this.#sent);
    await this.#run?.detach();
    await this.#durable?.rest();
  }

  /** Sends a notification on the stream of the call. A closed call has no stream. */
  emit(effect: Emit): void | Promise<void> {
    if (!this.isClosed) return this.#openNotifications.emit(effect);
  }

  step(news: StepEvent): void | Promise<void> {
    if (!this.isClosed) return this.#openNotifications.step(news);
  }

  supports(question: OpenQuestion): boolean {
    if (this.#unshown?.has(question.key) === true) return false;
    return "method" in this.#requestFor(question, "", this.#session.openPage && ANYWHERE);
  }

  uncountedReply(key: string): Reply | undefined {
    return this.#unshown?.get(key);
  }

  failureNote(): string | undefined {
    return this.#session.trust.remarkOn(this.#session.client);
  }

  onRunEnded(): void {
    this.#pageElicitations?.close();
  }

  /** Opens a round in the store, where one keeps the run. Gives back a reply that is recorded already, if there is one. */
  openRound(round: Round): Promise<Replies | undefined> | undefined {
    return this.#durable?.openRound(round, answerableUntil(round, this.settings));
  }

  adopt(leased: LeasedLog): void {
    const { runs } = this.#session;
    if (runs !== undefined) this.#durable = new DurableCall(leased, runs, this);
  }

  forgetRun(): void {
    this.#durable = undefined;
    // The body is not resumed here: the call need not hold on to it.
    this.#run = undefined;
  }

  onAnswered(): void {
    if (this.#sent === undefined) this.#hasGrown = true;
    else void this.#lookAtLog(this.#sent);
  }

  onMoved(returns: number): void {
    const known = this.#durable?.log.returns ?? 0;
    if (known <= returns) this.#session.onCallMoved?.(this.request);
  }

  /** Sends the first question of a round to the client. The other questions come in the next call of `ask`. */
  ask(round: Round, listener: ReplyListener): void {
    const { clock, limits } = this.settings;
    // A run that was continued has been asked before, in another process: its limit is not this one's.
    if (!this.#isContinued && this.#session.requests.size >= limits.asksPerSession) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has reached its limit of open questions (${limits.asksPerSession}).`,
      );
    }
    const [question] = Object.values(round);
    if (question === undefined) return listener.resume({});
    const id = `${this.runId}:${question.key}:${question.attempt}`;
    const sent = new SentQuestion(id, question, clock.now(), this);
    const { remainingMs } = sent;
    this.#sent = sent;
    this.#replyListener = listener;
    if (this.isClosed) return this.#end(sent, { action: "cancel" }, "server");
    if (remainingMs !== undefined && remainingMs <= 0)
      return this.#end(sent, { action: "timeout" }, "deadline");
    if (remainingMs !== undefined) this.#session.deadlines.add(sent, remainingMs);
    this.#send(sent);
    // The log may have grown after the round was opened, and before there was a question to end.
    if (this.#hasGrown && this.#sent === sent) void this.#lookAtLog(sent);
    this.#hasGrown = false;
  }

  onResult(sent: SentQuestion, result: JsonObject): void {
    const { question, id } = sent;
    const reply = this.#parseResult(question, result);
    // Before a client answers, it has read the notifications that were sent before.
    this.#notifications?.answered();
    const isUrl = question.emit === "ask" && question.ask === "url";
    if (isUrl && reply.action === "accept") (this.#elicitations ??= []).push(id);
    this.#end(sent, reply, "client");
  }

  onError(sent: SentQuestion, error: unknown): void {
    const by = error instanceof ClientError ? "client" : "server";
    this.#end(sent, this.#replyToError(error, sent.question), by);
  }

  onExpired(sent: SentQuestion): void {
    this.#cancelRequest(sent, { action: "timeout" }, "deadline");
  }

  /** Takes a question back that the client need not answer any more: nothing is recorded, and the call is not resumed. */
  #discard(sent: SentQuestion): void {
    this.#replyListener = undefined;
    this.#cancelRequest(sent, { action: "cancel" }, "server");
  }

  /** Cancels the request at the client, and ends its question. */
  #cancelRequest(sent: SentQuestion, reply: Reply, by: EndedBy): void {
    this.#session.requests.cancel({ id: sent.id, about: this.request });
    this.#end(sent, reply, by);
  }

  /** Every way in which a question ends leads here. The first one counts. */
  #end(sent: SentQuestion, reply: Reply, by: EndedBy): void {
    if (sent.hasEnded || (by === "client" && this.#staysOpen(sent, reply))) return;
    sent.end();
    const { question, remainingMs } = sent;
    const listener = this.#replyListener;
    if (remainingMs !== undefined) this.#session.deadlines.delete(sent, remainingMs);
    this.#sent = undefined;
    this.#replyListener = undefined;
    const counted = this.isClosed ? reply : this.#countedReply(sent, reply, by);
    if (counted === undefined) return listener?.resume({});
    if (this.#durable === undefined || this.isClosed) listener?.resume({ [question.key]: counted });
    else if (listener !== undefined) void this.#record(this.#durable, sent, counted, listener);
  }

  /** Whether the question stays open, because no person gave this reply, and one can answer in the inbox. */
  #staysOpen({ question, at }: SentQuestion, reply: Reply): boolean {
    const { trust, client, settings } = this.#session;
    const took = settings.clock.now() - at;
    const isInInbox = this.#durable !== undefined && question.emit === "ask" && !isForPage(question);
    if (!isInInbox || this.isClosed || this.canAskElsewhere?.(question) === true) return false;
    if (!isTooQuick(reply.action, took, settings)) return false;
    trust.recordReplies(client, { [question.key]: question }, { [question.key]: reply }, took);
    return true;
  }

  /** The reply as it counts; undefined where the client did not show the question, which is then asked elsewhere. */
  #countedReply({ question, at }: SentQuestion, reply: Reply, by: EndedBy): Reply | undefined {
    // A question that the server found unsupported can be asked elsewhere, like one that the client refused.
    if (by === "server" && reply.action !== "unsupported") return reply;
    const { trust, client, settings } = this.#session;
    const { key } = question;
    const took = settings.clock.now() - at;
    const said = this.#pageElicitations?.saidIn({ [key]: reply })[key] ?? reply;
    trust.recordReplies(client, { [key]: question }, { [key]: said }, took);
    // What was answered on a page is not the client's.
    if (said !== reply || question.emit !== "ask") return reply;
    const isQuick = isTooQuick(reply.action, took, settings);
    const noted = isQuick ? notedAsQuick(reply, client, took) : undefined;
    if ((isQuick || reply.action === "unsupported") && this.canAskElsewhere?.(question) === true) {
      (this.#unshown ??= new Map()).set(key, noted);
      return undefined;
    }
    return noted ?? reply;
  }

  /** Gives the call the reply that counts: this one, if it is the first in the log. */
  async #record(
    durable: DurableCall,
    { question }: SentQuestion,
    reply: Reply,
    listener: ReplyListener,
  ): Promise<void> {
    try {
      listener.resume(await durable.recordReply(question, reply));
    } catch (error) {
      // The other process asks the same question, and the client has answered it here.
      if (hasClientElsewhere(error)) await durable.passOn(question, reply).catch(this.settings.report);
      listener.failed(error);
    }
  }

  /** Looks at what another process has recorded: a reply to the open question ends it, and a run that has moved is followed. */
  async #lookAtLog(sent: SentQuestion): Promise<void> {
    const listener = this.#replyListener;
    try {
      const replies = await this.#durable?.replyElsewhere(sent.question);
      if (replies === undefined || this.#sent !== sent) return;
      this.#discard(sent);
      listener?.resume(replies);
    } catch (error) {
      if (!(error instanceof RunMoved)) this.settings.report(error);
      else if (this.#sent === sent) listener?.failed(error);
    }
  }

  toProtocolError(error: unknown): RpcError | undefined {
    return asRetryable(error) ?? urlRequired(error, this.features, this.client.can);
  }

  /** Resolves when the result may be sent: after every notification of the call. */
  untilResultMayBeSent(result: JsonObject): void | Promise<void> {
    // An accepted url elicitation is only consent. That the call succeeded shows that the user completed it.
    if (this.#elicitations !== undefined && result["isError"] !== true)
      return this.#tellDone(this.#elicitations);
    return this.#notifications?.untilRead();
  }

  /** Sends a question to the client, or the person to a page. */
  #send(sent: SentQuestion): void {
    const { question, id } = sent;
    if (this.#token !== undefined) sent.onEnd(this.#openNotifications.startHeartbeat());
    try {
      if (isForPage(question) && this.#session.openPage !== undefined)
        return void this.#sendToPage(sent, question, this.#session.openPage);
      const wanted = this.#requestFor(question, id);
      if ("unsupported" in wanted) return this.#end(sent, unsupportedReply(wanted), "server");
      this.#session.requests.send({ id, about: this.request, ...wanted }, sent);
    } catch (error) {
      this.onError(sent, error);
    }
  }

  /** Sends the person to a page. */
  async #sendToPage(sent: SentQuestion, question: OpenAsk, open: OpenPageFor): Promise<void> {
    const over = new AbortController();
    sent.onEnd(() => over.abort());
    const { settings, principal } = this;
    const { id } = sent;
    this.#pageElicitations ??= new PageElicitations(
      new CallPages(open, { server: settings.name, tool: this.#subject, principal }),
    );
    try {
      const reply = await sendToPage(id, question, this.#pageElicitations, over.signal, {
        read: (visit, result) => this.#parseResult(visit, result),
        requests: this.#session.requests,
        about: this.request,
        requestFor: (one, page, asked) => this.#requestFor(one, id, page, asked),
        answered: () => this.#notifications?.answered(),
        tellDone: () => this.#openNotifications.completeElicitation(id),
      });
      this.#end(sent, reply, "client");
    } catch (error) {
      this.onError(sent, error);
    }
  }

  #parseResult(question: OpenQuestion, result: JsonObject): Reply {
    const { client, settings, features } = this.#session;
    return parseResultOrUnsupported(question, result, features, client, settings.report);
  }

  /** The reply where the client answered with an error or not at all, or could not be asked. */
  #replyToError(error: unknown, question: OpenQuestion): Reply {
    if (error instanceof PageRefused) return { action: "unsupported", reason: error.reason };
    if (error instanceof ClientError && error.code === METHOD_NOT_FOUND) this.#session.trust.refuse(question);
    return replyToError(error, this.settings.report);
  }

  #requestFor(
    question: OpenQuestion,
    id: string,
    page?: string,
    about = question,
  ): InputRequest | Unsupported {
    const wanted = inputRequestFor(question, this.client.can, this.features, id, page);
    if ("unsupported" in wanted || !this.#session.client.wantsDetails) return wanted;
    return withDetails(wanted, about, aboutCall(this.#openNotifications.logTarget));
  }

  get #openNotifications(): CallNotifications {
    if (this.#notifications !== undefined) return this.#notifications;
    const notifications = new CallNotifications(this.#session, this.request, this.#token, this.#subject);
    if (this.isClosed) notifications.end();
    this.#notifications = notifications;
    return notifications;
  }

  async #tellDone(elicitations: string[]): Promise<void> {
    for (const elicitationId of elicitations.splice(0))
      await this.#openNotifications.completeElicitation(elicitationId);
    await this.#openNotifications.untilRead();
  }
}

const NO_OPTIONS = {};

/** What a `SessionClient` needs of its session: one of ours, or one of the SDK's. */
export interface SessionContext {
  readonly features: Features;
  readonly client: DeclaredClient;
  /** The client, as tools know it. */
  readonly known: Client;
  readonly settings: Settings;
  /** Whose session it is. */
  readonly principal: string;
  /** What its calls are counted for, where they are. */
  readonly account?: Account;
  /** Opens a page for a question that must not pass through the client, where there are pages. */
  readonly openPage?: OpenPageFor | undefined;
  readonly requests: Pick<OutgoingRequests, "send" | "cancel" | "size"> &
    Partial<Pick<OutgoingRequests, "detach">>;
  /** Where durable runs are kept, if there is a store. */
  readonly runs?: RunRepository | undefined;
  /** The timer queue of open questions. */
  readonly deadlines: DeadlineQueue;
  /** What is known of the client from how it replied. */
  readonly trust: ClientAtConnection;
  readonly mayMergeReads: boolean;
  /** Whether its client was pinged and did not answer in time. */
  ignoresPings: boolean;
  send(message: Message, about: RequestId): void | Promise<void>;
  isLogged(level: string): boolean;
  /** Another process has taken up the run of a request. */
  onCallMoved?(request: RequestId): void;
}
