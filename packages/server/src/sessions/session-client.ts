/**
 * The client's side of a call on a session: questions are requests to the client,
 * sent on the stream of the call, one after another.
 *
 * While a question is open it may be there for days, among thousands: what most calls never need is made when it is needed.
 * It is a little longer than other files, since every way that a question can end meets here.
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
  replyOnce,
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
import type { OpenAsk, OpenPageFor } from "../pages/types.ts";
import { CallPages } from "../pages/call-pages.ts";
import type { RunListener } from "../durable/process-bus.ts";
import { DurableCall, type LeasedLog } from "../durable/durable-call.ts";
import type { DurableClientPort } from "../durable/drive-call.ts";
import type { RunLog } from "../durable/run-log.ts";
import { RunMoved } from "../errors.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import { type ClientAtConnection, isTooQuick, notedAsQuick } from "../client-trust.ts";
import { PageElicitations, sendToPage } from "./page-questions.ts";
import { SentQuestion, replyForFailure } from "./open-question.ts";
import { CallNotifications } from "./call-notifications.ts";
import type { DeclaredClient } from "../protocol/client-info.ts";
import { answerableUntil, type DeadlineQueue } from "../calls/question-deadlines.ts";

/** Receives the reply to a question. */
export interface ReplyListener {
  resume(replies: Replies): void;
  /** The reply could not be recorded, or the run has moved. */
  failed(error: unknown): void;
}

/** How a call is kept in a store: the start of its log, or the log itself where the run began before. */
export interface DurabilityOptions {
  readonly begin: (runs: RunRepository) => RunLog;
  readonly leased: LeasedLog | undefined;
  /** The notifications of the same call so far, where the client is the same: its progress continues from there. */
  readonly notifications: CallNotifications | undefined;
}

export class SessionClient implements DurableClientPort, RunListener {
  readonly #session: SessionContext;
  readonly request: RequestId;
  readonly #token: RequestId | undefined;
  readonly #logger: string;
  /** Made when there is something to tell. */
  #notifications: CallNotifications | undefined;
  #run: Run<unknown> | undefined;
  /** Why the call is closed, once it is. */
  #closedFor: Error | undefined;
  /** The question that is open, and who waits for the reply. */
  #sent: SentQuestion | undefined;
  #replyListener: ReplyListener | undefined;
  /** The url questions that were accepted; the client is told when they are done with. */
  #elicitations: string[] | undefined;
  #visits: PageElicitations | undefined;
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
    logger: string,
    durability?: DurabilityOptions,
  ) {
    this.#session = session;
    this.request = request;
    this.#token = token;
    this.#logger = logger;
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

  /** What the client wants to be told of progress by, if it does. */
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
    if (this.#sent !== undefined) this.withdraw(this.#sent, { action: "cancel" });
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
      sent.end({ action: "cancel" });
    }
    await this.#durable?.detach(this.#run);
  }

  /** Drops this copy of a run that another process has continued: the question that it has open is withdrawn. */
  async drop(): Promise<void> {
    if (this.#sent !== undefined) this.#withdraw(this.#sent);
    await this.#run?.detach();
    await this.#durable?.rest();
  }

  /** Tells on the stream of the call; a call that was closed has none any more. */
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
    this.#visits?.close();
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

  /** Puts the first question of a round to the client. What is left of the round comes again. */
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
    const { left } = sent;
    this.#sent = sent;
    this.#replyListener = listener;
    if (this.isClosed) return sent.end({ action: "cancel" });
    if (left !== undefined && left <= 0) return sent.end({ action: "timeout" });
    if (left !== undefined) this.#session.deadlines.add(sent, left);
    this.#send(sent);
    // The log may have grown after the round was opened, and before there was a question to end.
    if (this.#hasGrown && this.#sent === sent) void this.#lookAtLog(sent);
    this.#hasGrown = false;
  }

  /** Reads the client's answer. Before a client answers, it has read the notifications that were sent before. */
  parseReply({ question, id }: SentQuestion, result: JsonObject): Reply {
    const reply = this.#replyIn(question, result);
    this.#notifications?.answered();
    const isUrl = question.emit === "ask" && question.ask === "url";
    if (isUrl && reply.action === "accept") (this.#elicitations ??= []).push(id);
    return reply;
  }

  /** The reply where the client answered with an error, or not at all. */
  replyFor(failure: unknown, question: OpenQuestion): Reply {
    if (failure instanceof ClientError && failure.code === METHOD_NOT_FOUND)
      this.#session.trust.refuse(question);
    return replyForFailure(failure, this.settings.report);
  }

  /** Cancels the request at the client; the question ends with another reply. */
  withdraw(sent: SentQuestion, reply: Reply, isByClient = true): void {
    this.#session.requests.cancel({ id: sent.id, about: this.request });
    sent.end(reply, isByClient);
  }

  /** Whether the question stays open, because no person gave this reply, and one can answer in the inbox. */
  staysOpen({ question, at }: SentQuestion, reply: Reply): boolean {
    const { trust, client, settings } = this.#session;
    const took = settings.clock.now() - at;
    const isInInbox = this.#durable !== undefined && question.emit === "ask" && !isForPage(question);
    if (!isInInbox || this.isClosed || this.canAskElsewhere?.(question) === true) return false;
    if (!isTooQuick(reply.action, took, settings)) return false;
    trust.recordReplies(client, { [question.key]: question }, { [question.key]: reply }, took);
    return true;
  }

  /** `isByClient`: the client replied, or let the question expire. */
  onQuestionEnded(sent: SentQuestion, reply: Reply, isByClient: boolean): void {
    const { deadlines } = this.#session;
    const { question, left } = sent;
    const listener = this.#replyListener;
    if (left !== undefined) deadlines.delete(sent, left);
    this.#sent = undefined;
    this.#replyListener = undefined;
    const counted = !this.isClosed && isByClient ? this.#countedReply(sent, reply) : reply;
    if (counted === undefined) return listener?.resume({});
    if (this.#durable === undefined || this.isClosed) listener?.resume({ [question.key]: counted });
    else if (listener !== undefined) void this.#record(this.#durable, sent, counted, listener);
  }

  /** What the client has replied, as it counts; nothing, where it did not show the question, which is then asked elsewhere. */
  #countedReply({ question, at }: SentQuestion, reply: Reply): Reply | undefined {
    const { trust, client, settings } = this.#session;
    const { key } = question;
    const took = settings.clock.now() - at;
    const said = this.#visits?.saidIn({ [key]: reply })[key] ?? reply;
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

  /** Takes a question back that the client need not answer any more: nothing is recorded, and the call is not resumed. */
  #withdraw(sent: SentQuestion): void {
    this.#replyListener = undefined;
    this.withdraw(sent, { action: "cancel" }, false);
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
      this.#withdraw(sent);
      listener?.resume(replies);
    } catch (error) {
      if (!(error instanceof RunMoved)) this.settings.report(error);
      else if (this.#sent === sent) listener?.failed(error);
    }
  }

  toProtocolError(error: unknown): RpcError | undefined {
    return asRetryable(error) ?? urlRequired(error, this.features, this.client.can);
  }

  /** Settles when a result may be sent: after everything that was told before it. */
  settled(result: JsonObject): void | Promise<void> {
    // What was accepted was consented to; only a call that came to its end shows that it was done.
    if (this.#elicitations !== undefined && result["isError"] !== true)
      return this.#tellDone(this.#elicitations);
    return this.#notifications?.untilRead();
  }

  /** Sends a question to the client, or the person to a page. */
  #send(sent: SentQuestion): void {
    const { question, id } = sent;
    if (this.#token !== undefined) sent.during(this.#openNotifications.startHeartbeat());
    try {
      if (isForPage(question) && this.#session.openPage !== undefined)
        return void this.#sendToPage(sent, question, this.#session.openPage);
      const wanted = this.#requestFor(question, id);
      if ("unsupported" in wanted) return sent.end(unsupportedReply(wanted));
      this.#session.requests.send({ id, about: this.request, ...wanted }, sent);
    } catch (error) {
      sent.end(this.replyFor(error, question));
    }
  }

  /** Sends the person to a page. */
  async #sendToPage(sent: SentQuestion, question: OpenAsk, open: OpenPageFor): Promise<void> {
    const over = new AbortController();
    sent.during(() => over.abort());
    const { settings, principal } = this;
    const { id } = sent;
    this.#visits ??= new PageElicitations(
      new CallPages(open, { server: settings.name, tool: this.#logger, principal }),
    );
    try {
      const reply = await sendToPage(id, question, this.#visits, over.signal, {
        read: (visit, result) => this.#replyIn(visit, result),
        requests: this.#session.requests,
        about: this.request,
        requestFor: (one, page, asked) => this.#requestFor(one, id, page, asked),
        answered: () => this.#notifications?.answered(),
        tellDone: () => this.#openNotifications.completeElicitation(id),
      });
      sent.end(reply);
    } catch (error) {
      sent.end(this.replyFor(error, question));
    }
  }

  #replyIn(question: OpenQuestion, result: JsonObject): Reply {
    const { client, settings, features } = this.#session;
    return replyOnce(question, result, features, client, settings.report);
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
    const notifications = new CallNotifications(this.#session, this.request, this.#token, this.#logger);
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
  /** Whose time is running. */
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
