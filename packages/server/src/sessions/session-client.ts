/**
 * The client's side of a call on a session: what the client can show, its notifications, the question that is open (sent-question.ts),
 * and the run of the call in the store. Questions are sent on the stream of the call, one after another.
 *
 * Thousands of calls may wait for days. To save memory, objects that most calls never need are created on first use.
 */
import {
  type Client,
  type Emit,
  type LogLevel,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  RunCancelled,
  type StepEvent,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import { urlRequired } from "../calls/client-port.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import type { ClientAtConnection } from "../client-trust.ts";
import type { ClientConnection } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import { DurableCall, type DurableClientPort, type LeasedLog } from "../durable/durable-call.ts";
import type { RunListener } from "../durable/process-bus.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import { asRetryable, INVALID_REQUEST, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { Message, RequestId } from "../jsonrpc/messages.ts";
import type { OutgoingRequests } from "../jsonrpc/outgoing-requests.ts";
import { CallPages, type OpenPageFor } from "../pages/page.ts";
import { ANYWHERE, inputRequestFor } from "../protocol/elicitation.ts";
import type { Features } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";
import { CallNotifications } from "./call-notifications.ts";
import type { Handshake } from "./handshake.ts";
import { type ReplyListener, SentQuestion } from "./sent-question.ts";

/** What a call needs of its session: one of this server's, or one of an SDK server's. */
export interface SessionContext {
  /** Without `runs`, runs are not durable; without `openPage`, there are no pages. */
  readonly server: Pick<ServerContext, "settings" | "deadlines"> &
    Partial<Pick<ServerContext, "runs" | "openPage">>;
  readonly connection: Pick<ClientConnection, "mayMergeReads">;
  readonly handshake: Handshake;
  /** The authenticated caller; "" without authentication. */
  readonly principal: string;
  readonly account?: Account;
  readonly requests: Pick<OutgoingRequests, "send" | "cancel" | "detach" | "size">;
  readonly trust: ClientAtConnection;
  /** The lowest level of the logs that the client wants. */
  readonly logLevel: LogLevel;
  /** Whether the client was pinged and did not answer in time. */
  ignoresPings: boolean;
  send(message: Message, about: RequestId): void | Promise<void>;
  /** Another process has continued the run of a request. */
  onCallMoved?(request: RequestId): void;
}

/** Begins the log of a durable run. */
export type CreateLog = (runs: RunRepository) => RunLog;

export class SessionClient implements DurableClientPort, RunListener {
  readonly session: SessionContext;
  readonly settings: Settings;
  readonly features: Features;
  readonly principal: string;
  readonly account: Account | undefined;
  /** The client's request that started the call. */
  readonly request: RequestId;
  /** The progress token of the request, if it sent one. */
  readonly progressToken: RequestId | undefined;
  /** The name of the tool, prompt or resource. */
  readonly #subject: string;
  /** Undefined until the input was checked: before, it is not known whether the run is durable. */
  run: Run<unknown> | undefined;
  /** The run in the store, if it is durable. */
  durable: DurableCall | undefined;
  /** The question that is open. */
  sent: SentQuestion | undefined;
  notifications: CallNotifications | undefined;
  #pages: CallPages | undefined;
  /** Why the call is closed, once it is. */
  #closedFor: Error | undefined;
  /** Whether another process has written to the log while no question was open here. */
  #hasGrown = false;
  readonly #createLog: CreateLog | undefined;
  #isContinued = false;
  /** Whether the request is a call of `photon_continue` or `photon_answer`. */
  continuesRun = false;
  canAskElsewhere: DurableClientPort["canAskElsewhere"];
  /** The questions that the client did not show, and that are asked elsewhere; with its reply if that was a decline or cancel. */
  #askedElsewhere: Map<string, Reply | undefined> | undefined;

  /** Without `createLog`, the run is not durable. */
  constructor(
    session: SessionContext,
    request: RequestId,
    progressToken: RequestId | undefined,
    subject: string,
    createLog?: CreateLog,
  ) {
    this.session = session;
    this.settings = session.server.settings;
    this.features = session.handshake.features;
    this.principal = session.principal;
    this.account = session.account;
    this.request = request;
    this.progressToken = progressToken;
    this.#subject = subject;
    this.#createLog = createLog;
  }

  /** Continues a run from its log. `before`: the same call so far; progress continues from there. */
  continueRun(leased: LeasedLog, before: SessionClient | undefined): void {
    this.#isContinued = true;
    this.notifications = before?.notifications;
    this.adopt(leased);
    this.continuesRun = before?.continuesRun === true;
  }

  /** A client on a session gets an error with the address first, and calls again. */
  get canOpenUrlMidCall(): boolean {
    return false;
  }

  get client(): Client {
    return this.session.trust.effectiveCapabilities(this.session.handshake.client);
  }

  get isClosed(): boolean {
    return this.#closedFor !== undefined;
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets"> {
    const { runs } = this.session.server;
    const createLog = this.#createLog;
    if (definition.durable !== true || runs === undefined || createLog === undefined) return {};
    this.durable ??= new DurableCall({ log: createLog(runs) }, runs, this);
    return this.durable.options(definition);
  }

  onRunStarted(run: Run<unknown>): void {
    this.run = run;
    if (this.#closedFor === undefined) return;
    void (this.durable?.outlivesCall === true ? run.detach() : run.close(this.#closedFor));
  }

  onRunEnded(): void {
    this.#pages?.close();
  }

  /** Ends the call: the open question is cancelled, the body is closed. */
  async close(reason: Error): Promise<void> {
    const { durable, run } = this;
    this.#closedFor ??= reason;
    this.notifications?.end();
    this.sent?.cancel();
    if (durable?.outlivesCall === true) return durable.detach(run, { continues: false });
    await run?.close(reason);
    await durable?.cancel(new RpcError(INVALID_REQUEST, reason.message)).catch(this.settings.report);
  }

  /**
   * Leaves the run to other processes, and sends the client no message: it can resume the stream later. Resolves when the step in
   * progress has ended.
   */
  async detach(reason: Error): Promise<void> {
    this.#closedFor ??= reason;
    this.notifications?.end();
    this.sent?.detach();
    await this.durable?.detach(this.run);
  }

  /** Drops this copy of a run that another process has continued, with its open question. */
  async drop(): Promise<void> {
    this.sent?.withdraw();
    await this.run?.detach();
    await this.durable?.releaseAll();
  }

  /** Sends a notification on the stream of the call. A closed call has no stream. */
  emit(effect: Emit): void | Promise<void> {
    if (!this.isClosed) return this.openNotifications().emit(effect);
  }

  step(event: StepEvent): void | Promise<void> {
    if (!this.isClosed) return this.openNotifications().step(event);
  }

  supports(question: OpenQuestion): boolean {
    if (this.#askedElsewhere?.has(question.key) === true) return false;
    const page = this.session.server.openPage && ANYWHERE;
    return "method" in inputRequestFor(question, this.client.can, this.features, "", page);
  }

  /** The client did not show a question, which is asked elsewhere. `reply`: its decline or cancel, which does not count. */
  noteAskedElsewhere(key: string, reply: Reply | undefined): void {
    (this.#askedElsewhere ??= new Map()).set(key, reply);
  }

  askedElsewhereReply(key: string): Reply | undefined {
    return this.#askedElsewhere?.get(key);
  }

  failureNote(): string | undefined {
    return this.session.trust.remarkOn(this.session.handshake.client);
  }

  toProtocolError(error: unknown): RpcError | undefined {
    return asRetryable(error) ?? urlRequired(error, this.features, this.client.can);
  }

  adopt(leased: LeasedLog): void {
    this.continuesRun = true;
    const { runs } = this.session.server;
    if (runs !== undefined) this.durable = new DurableCall(leased, runs, this);
  }

  forgetRun(): void {
    this.durable = undefined;
    // The body is not resumed here: the call need not retain it.
    this.run = undefined;
  }

  /** Another process may have recorded a reply, or have continued the run. */
  onGrown(): void {
    if (this.sent === undefined) this.#hasGrown = true;
    else void this.sent.readLog();
  }

  onMoved(reconnects: number): void {
    const known = this.durable?.log.reconnects ?? 0;
    if (known <= reconnects) this.session.onCallMoved?.(this.request);
  }

  /**
   * Asks the client the first question of a round; the others come in the next call of `ask`. The listener gets the reply. If the log
   * of a durable run has a reply already, resolves to that, and the client is not asked.
   */
  ask(round: Round, listener: ReplyListener): undefined | Promise<Replies | undefined> {
    if (this.durable === undefined) {
      this.#send(round, listener);
      return undefined;
    }
    return this.durable.openRound(round, answerableUntil(round, this.settings)).then((recorded) => {
      if (recorded === undefined) this.#send(round, listener);
      return recorded;
    });
  }

  #send(round: Round, listener: ReplyListener): void {
    const { asksPerSession } = this.settings.limits;
    // A run that was continued has been asked before, in another process: its limit is not this one's.
    if (!this.#isContinued && this.session.requests.size >= asksPerSession) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has reached its limit of open questions (${asksPerSession}).`,
      );
    }
    const [question] = Object.values(round);
    if (question === undefined) return listener.resume({});
    const sent = new SentQuestion(question, this, listener);
    this.sent = sent;
    if (this.isClosed) return sent.cancel();
    sent.send();
    // The log may have grown after the round was opened, and before there was a question to end.
    if (this.#hasGrown && !sent.hasEnded) void sent.readLog();
    this.#hasGrown = false;
  }

  /** Resolves when the response may be sent: after every notification of the call. */
  beforeResponse(isError: boolean): void | Promise<void> {
    return this.notifications?.beforeResponse(isError);
  }

  openNotifications(): CallNotifications {
    this.notifications ??= new CallNotifications(
      this.session,
      this.request,
      this.progressToken,
      this.#subject,
    );
    return this.notifications;
  }

  pages(openPage: OpenPageFor): CallPages {
    const { settings, principal } = this;
    this.#pages ??= new CallPages(openPage, { server: settings.name, tool: this.#subject, principal });
    return this.#pages;
  }
}

export function cancellationReason(reason: unknown): RunCancelled {
  return new RunCancelled(
    typeof reason === "string"
      ? `The client cancelled the call: ${reason}`
      : "The client cancelled the call.",
  );
}
