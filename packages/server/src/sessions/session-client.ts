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
import { PutQuestion, type Questioner, replyForFailure } from "./open-question.ts";
import { Telling } from "./call-notifications.ts";
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
  readonly telling: Telling | undefined;
}

export class SessionClient implements DurableClientPort, Questioner, RunListener {
  readonly #home: SessionContext;
  readonly request: RequestId;
  readonly #token: RequestId | undefined;
  readonly #logger: string;
  /** Made when there is something to tell. */
  #toldBy: Telling | undefined;
  #run: Run<unknown> | undefined;
  /** Why the call is closed, once it is. */
  #closedFor: Error | undefined;
  /** The question that is open, and who waits for the reply. */
  #put: PutQuestion | undefined;
  #hearer: ReplyListener | undefined;
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

  /** `keeping`: where a store may keep the run. */
  constructor(
    home: SessionContext,
    request: RequestId,
    token: RequestId | undefined,
    logger: string,
    keeping?: DurabilityOptions,
  ) {
    this.#home = home;
    this.request = request;
    this.#token = token;
    this.#logger = logger;
    this.#begin = keeping?.begin;
    this.#isContinued = keeping?.leased !== undefined;
    this.#toldBy = keeping?.telling;
    const { runs } = home;
    if (keeping?.leased !== undefined && runs !== undefined)
      this.#durable = new DurableCall(keeping.leased, runs, this);
  }

  /** Whoever must go elsewhere first is told by an error, and calls again. */
  get canOpenUrlMidCall(): boolean {
    return false;
  }

  /** What the client wants to be told of progress by, if it does. */
  get token(): RequestId | undefined {
    return this.#token;
  }

  get features(): Features {
    return this.#home.features;
  }

  get client(): Client {
    return this.#home.trust.effectiveCapabilities(this.#home.known);
  }

  get settings(): Settings {
    return this.#home.settings;
  }

  get principal(): string {
    return this.#home.principal;
  }

  get account(): Account | undefined {
    return this.#home.account;
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
  get telling(): Telling | undefined {
    return this.#toldBy;
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets"> {
    const { runs } = this.#home;
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
    this.#toldBy?.end();
    if (this.#put !== undefined) this.withdraw(this.#put, { action: "cancel" });
    if (this.#durable?.outlivesCall === true) return this.#durable.detach(this.#run, { continues: false });
    await this.#run?.close(reason);
    await this.#durable?.cancel(new RpcError(INVALID_REQUEST, reason.message)).catch(this.settings.report);
  }

  /**
   * Leaves the run to other processes. The client is told nothing: it can come back for the rest. Resolves when the step under
   * way has ended.
   */
  async detach(reason: Error): Promise<void> {
    const put = this.#put;
    this.#closedFor ??= reason;
    this.#toldBy?.end();
    if (put !== undefined) {
      this.#hearer = undefined;
      this.#home.requests.detach?.(put.id);
      put.end({ action: "cancel" });
    }
    await this.#durable?.detach(this.#run);
  }

  /** Drops this copy of a run that another process has continued: the question that it has open is withdrawn. */
  async drop(): Promise<void> {
    if (this.#put !== undefined) this.#withdraw(this.#put);
    await this.#run?.detach();
    await this.#durable?.rest();
  }

  /** Tells on the stream of the call; a call that was closed has none any more. */
  emit(effect: Emit): void | Promise<void> {
    if (!this.isClosed) return this.#telling.show(effect);
  }

  step(news: StepEvent): void | Promise<void> {
    if (!this.isClosed) return this.#telling.step(news);
  }

  supports(question: OpenQuestion): boolean {
    if (this.#unshown?.has(question.key) === true) return false;
    return "method" in this.#requestFor(question, "", this.#home.openPage && ANYWHERE);
  }

  uncountedReply(key: string): Reply | undefined {
    return this.#unshown?.get(key);
  }

  failureNote(): string | undefined {
    return this.#home.trust.remarkOn(this.#home.client);
  }

  onRunEnded(): void {
    this.#visits?.close();
  }

  /** Opens a round in the store, where one keeps the run. Gives back a reply that is recorded already, if there is one. */
  openRound(round: Round): Promise<Replies | undefined> | undefined {
    return this.#durable?.openRound(round, answerableUntil(round, this.settings));
  }

  adopt(leased: LeasedLog): void {
    const { runs } = this.#home;
    if (runs !== undefined) this.#durable = new DurableCall(leased, runs, this);
  }

  forgetRun(): void {
    this.#durable = undefined;
    // The body is not resumed here: the call need not hold on to it.
    this.#run = undefined;
  }

  onAnswered(): void {
    if (this.#put === undefined) this.#hasGrown = true;
    else void this.#lookAtLog(this.#put);
  }

  onMoved(returns: number): void {
    const known = this.#durable?.log.returns ?? 0;
    if (known <= returns) this.#home.onCallMoved?.(this.request);
  }

  /** Puts the first question of a round to the client. What is left of the round comes again. */
  ask(round: Round, hearer: ReplyListener): void {
    const { clock, limits } = this.settings;
    // A run that was continued has been asked before, in another process: its limit is not this one's.
    if (!this.#isContinued && this.#home.requests.size >= limits.asksPerSession) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has reached its limit of open questions (${limits.asksPerSession}).`,
      );
    }
    const [question] = Object.values(round);
    if (question === undefined) return hearer.resume({});
    const id = `${this.runId}:${question.key}:${question.attempt}`;
    const put = new PutQuestion(id, question, clock.now(), this);
    const { left } = put;
    this.#put = put;
    this.#hearer = hearer;
    if (this.isClosed) return put.end({ action: "cancel" });
    if (left !== undefined && left <= 0) return put.end({ action: "timeout" });
    if (left !== undefined) this.#home.deadlines.add(put, left);
    this.#send(put);
    // The log may have grown after the round was opened, and before there was a question to end.
    if (this.#hasGrown && this.#put === put) void this.#lookAtLog(put);
    this.#hasGrown = false;
  }

  /** Before a client answers, it has read what it was told before. */
  parseReply({ question, id }: PutQuestion, result: JsonObject): Reply {
    const reply = this.#replyIn(question, result);
    this.#toldBy?.answered();
    const isUrl = question.emit === "ask" && question.ask === "url";
    if (isUrl && reply.action === "accept") (this.#elicitations ??= []).push(id);
    return reply;
  }

  replyFor(failure: unknown, question: OpenQuestion): Reply {
    if (failure instanceof ClientError && failure.code === METHOD_NOT_FOUND)
      this.#home.trust.refuse(question);
    return replyForFailure(failure, this.settings.report);
  }

  withdraw(put: PutQuestion, reply: Reply, isTheirs = true): void {
    this.#home.requests.cancel({ id: put.id, about: this.request });
    put.end(reply, isTheirs);
  }

  staysOpen({ question, at }: PutQuestion, reply: Reply): boolean {
    const { trust, client, settings } = this.#home;
    const took = settings.clock.now() - at;
    const isInInbox = this.#durable !== undefined && question.emit === "ask" && !isForPage(question);
    if (!isInInbox || this.isClosed || this.canAskElsewhere?.(question) === true) return false;
    if (!isTooQuick(reply.action, took, settings)) return false;
    trust.hear(client, { [question.key]: question }, { [question.key]: reply }, took);
    return true;
  }

  onQuestionEnded(put: PutQuestion, reply: Reply, isTheirs: boolean): void {
    const { deadlines } = this.#home;
    const { question, left } = put;
    const hearer = this.#hearer;
    if (left !== undefined) deadlines.delete(put, left);
    this.#put = undefined;
    this.#hearer = undefined;
    const counted = !this.isClosed && isTheirs ? this.#countedReply(put, reply) : reply;
    if (counted === undefined) return hearer?.resume({});
    if (this.#durable === undefined || this.isClosed) hearer?.resume({ [question.key]: counted });
    else if (hearer !== undefined) void this.#record(this.#durable, put, counted, hearer);
  }

  /** What the client has replied, as it counts; nothing, where it did not show the question, which is then asked elsewhere. */
  #countedReply({ question, at }: PutQuestion, reply: Reply): Reply | undefined {
    const { trust, client, settings } = this.#home;
    const { key } = question;
    const took = settings.clock.now() - at;
    const said = this.#visits?.saidIn({ [key]: reply })[key] ?? reply;
    trust.hear(client, { [key]: question }, { [key]: said }, took);
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
  #withdraw(put: PutQuestion): void {
    this.#hearer = undefined;
    this.withdraw(put, { action: "cancel" }, false);
  }

  /** Gives the call the reply that counts: this one, if it is the first in the log. */
  async #record(
    durable: DurableCall,
    { question }: PutQuestion,
    reply: Reply,
    hearer: ReplyListener,
  ): Promise<void> {
    try {
      hearer.resume(await durable.recordReply(question, reply));
    } catch (error) {
      // The other process asks the same question, and the client has answered it here.
      if (hasClientElsewhere(error)) await durable.passOn(question, reply).catch(this.settings.report);
      hearer.failed(error);
    }
  }

  /** Looks at what another process has recorded: a reply to the open question ends it, and a run that has moved is followed. */
  async #lookAtLog(put: PutQuestion): Promise<void> {
    const hearer = this.#hearer;
    try {
      const replies = await this.#durable?.replyElsewhere(put.question);
      if (replies === undefined || this.#put !== put) return;
      this.#withdraw(put);
      hearer?.resume(replies);
    } catch (error) {
      if (!(error instanceof RunMoved)) this.settings.report(error);
      else if (this.#put === put) hearer?.failed(error);
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
    return this.#toldBy?.untilRead();
  }

  /** Sends a question to the client, or the person to a page. */
  #send(put: PutQuestion): void {
    const { question, id } = put;
    if (this.#token !== undefined) put.during(this.#telling.beat());
    try {
      if (isForPage(question) && this.#home.openPage !== undefined)
        return void this.#sendToPage(put, question, this.#home.openPage);
      const wanted = this.#requestFor(question, id);
      if ("unsupported" in wanted) return put.end(unsupportedReply(wanted));
      this.#home.requests.send({ id, about: this.request, ...wanted }, put);
    } catch (error) {
      put.end(this.replyFor(error, question));
    }
  }

  /** Sends the person to a page. */
  async #sendToPage(put: PutQuestion, question: OpenAsk, open: OpenPageFor): Promise<void> {
    const over = new AbortController();
    put.during(() => over.abort());
    const { settings, principal } = this;
    const { id } = put;
    this.#visits ??= new PageElicitations(
      new CallPages(open, { server: settings.name, tool: this.#logger, principal }),
    );
    try {
      const reply = await sendToPage(id, question, this.#visits, over.signal, {
        read: (visit, result) => this.#replyIn(visit, result),
        requests: this.#home.requests,
        about: this.request,
        requestFor: (one, page, asked) => this.#requestFor(one, id, page, asked),
        answered: () => this.#toldBy?.answered(),
        tellDone: () => this.#telling.done(id),
      });
      put.end(reply);
    } catch (error) {
      put.end(this.replyFor(error, question));
    }
  }

  #replyIn(question: OpenQuestion, result: JsonObject): Reply {
    const { client, settings, features } = this.#home;
    return replyOnce(question, result, features, client, settings.report);
  }

  #requestFor(
    question: OpenQuestion,
    id: string,
    page?: string,
    about = question,
  ): InputRequest | Unsupported {
    const wanted = inputRequestFor(question, this.client.can, this.features, id, page);
    if ("unsupported" in wanted || !this.#home.client.wantsDetails) return wanted;
    return withDetails(wanted, about, aboutCall(this.#telling.hearer));
  }

  get #telling(): Telling {
    if (this.#toldBy !== undefined) return this.#toldBy;
    const telling = new Telling(this.#home, this.request, this.#token, this.#logger);
    if (this.isClosed) telling.end();
    this.#toldBy = telling;
    return telling;
  }

  async #tellDone(elicitations: string[]): Promise<void> {
    for (const elicitationId of elicitations.splice(0)) await this.#telling.done(elicitationId);
    await this.#telling.untilRead();
  }
}

const NO_OPTIONS = {};

/** What a front needs of the session it belongs to, ours or one of the SDK's. */
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
