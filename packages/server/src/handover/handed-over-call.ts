/**
 * A call whose client cannot show some of its questions. It ends with a text for the model: where the person can answer, or what to
 * ask them. A call of `photon_continue` or `photon_answer` continues it.
 *
 * It is the ClientPort of the body, in front of the ClientPort of the request that is being answered.
 *
 *   1. A question is handed over only if the client cannot show it, and the ask has no fallback for that.
 *   2. A secret, a file and a dangerous confirmation never pass through a model: they need a page.
 *   3. An answer that a model passes on is checked before the run gets it. A question on a page is answered there only.
 *   4. A run in the store waits there: any process replays it from its log. The body of any other run waits in this object.
 */
import {
  type Client,
  type Emit,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type StepEvent,
  type Tool,
  UrlRequired,
} from "@photon/core";
import { digestJson } from "../crypto/digest.ts";
import { type CallProgress, type CallRunner, ToolRunner } from "../calls/call-runner.ts";
import type { ClientPort } from "../calls/client-port.ts";
import { answerableUntil, isExpired } from "../calls/question-deadlines.ts";
import { CALL_BYTES } from "../calls/waiting-calls.ts";
import type { DurableCall, DurableClientPort } from "../durable/durable-call.ts";
import type { HandoverMode } from "../durable/open-questions.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import { asksIn, PageRefused } from "../pages/page.ts";
import type { Features } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";
import { formatStoredRun, parseModelAnswer, type ModelAnswer } from "./continue-tools.ts";
import type { HandoverManager } from "./handover-manager.ts";
import { hasQuestion, LocalRun } from "./local-run.ts";
import { handoverResult, NO_ANSWER_YET, notThroughModelReason, textResult } from "./model-text.ts";

/** The round that the model was told of, and the answer in its call of `photon_answer`. */
interface Continuation {
  readonly modelRound: Round;
  /** Undefined if the person answers on pages, or the model calls `photon_continue`. */
  readonly modelAnswer: ModelAnswer | undefined;
}

/** The tool of a run, and how its questions are handed over. */
export interface HandoverTarget {
  readonly tool: Tool<never>;
  readonly mode: HandoverMode;
}

export class HandedOverCall implements ClientPort, CallRunner {
  /** As the body sees it: with pages, every question can be asked. */
  readonly client: Client;
  readonly principal: string;
  via: HandoverMode | undefined;
  readonly #runner: CallRunner;
  readonly #tool: Tool<never>;
  readonly #input: unknown;
  readonly #mode: HandoverMode;
  /** Whether a page sends the user to a web address, because the client cannot. */
  readonly #sendsToUrls: boolean;
  readonly #manager: HandoverManager;
  #clientPort: DurableClientPort;
  #local: LocalRun;
  #run: Run<unknown> | undefined;
  /** The round that the client was asked a part of. */
  #askedRound: Round | undefined;
  /** Whether the questions of the body that runs are in the log. */
  #isLogged = false;
  /** Whether the run waits in the store. This call then leaves its body as it is. */
  #isStored = false;

  constructor(
    { tool, mode }: HandoverTarget,
    input: unknown,
    clientPort: DurableClientPort,
    manager: HandoverManager,
    local: LocalRun = new LocalRun("", tool.name ?? "", clientPort, manager),
  ) {
    const { client, principal } = clientPort;
    const { pageHost } = manager.context;
    const hasPages = mode === "page" && pageHost.unavailableReason(principal) === undefined;
    this.#tool = tool;
    this.#input = input;
    this.#mode = mode;
    this.#sendsToUrls = hasPages && !client.can.url;
    this.#manager = manager;
    this.client = hasPages ? { ...client, can: { ...client.can, form: true, url: true } } : client;
    this.principal = principal;
    this.#local = local;
    this.#runner = new ToolRunner(tool, input, this);
    this.#clientPort = this.#attach(clientPort);
  }

  get settings(): Settings {
    return this.#clientPort.settings;
  }

  get features(): Features {
    return this.#clientPort.features;
  }

  get canOpenUrlMidCall(): boolean {
    return this.#sendsToUrls || this.#clientPort.canOpenUrlMidCall;
  }

  options(definition: Runnable<never, unknown>): ReturnType<ClientPort["options"]> {
    const options = this.#clientPort.options(definition);
    this.#isLogged = options.journal !== undefined;
    const log = this.#clientPort.durable?.log;
    if (log === undefined) return options;
    this.#local.id ||= log.run;
    // An earlier call in this process may know secrets of the run.
    this.#local = this.#manager.find(log.run) ?? this.#local;
    this.#local.clientPorts.add(this.#clientPort);
    const { secrets } = this.#local;
    if (this.#isLogged) log.describe(definition, secrets);
    return { ...options, secrets };
  }

  onRunStarted(run: Run<unknown>): void {
    this.#local.id ||= run.id;
    this.#run = run;
    this.#clientPort.onRunStarted(run);
  }

  onRunEnded(): void {
    this.#manager.remove(this.#local);
  }

  emit(effect: Emit): void | Promise<void> {
    // While the call waits, its client has its result: what a body emits as it is closed is dropped.
    if (!this.#isWaiting) return this.#clientPort.emit(effect);
  }

  step(event: StepEvent): void | Promise<void> {
    if (!this.#isWaiting) return this.#clientPort.step(event);
  }

  failureNote(): string | undefined {
    // An answer on a page, or through a model, says nothing about the client.
    return this.via === undefined ? this.#clientPort.failureNote?.() : undefined;
  }

  toProtocolError(error: unknown): RpcError | undefined {
    const hasBeenSent = this.#sendsToUrls && error instanceof UrlRequired;
    return hasBeenSent ? undefined : this.#clientPort.toProtocolError(error);
  }

  /** Runs the body until the client has something to show, the call is handed over, or it ends. `continuation` is for the first round. */
  async next(replies?: Replies, continuation?: Continuation): Promise<CallProgress> {
    const askedRound = this.#askedRound;
    this.#askedRound = undefined;
    let progress = await this.#runner.next(
      askedRound && replies ? this.#withReasons(replies, askedRound) : replies,
    );
    for (let forFirst = continuation; "round" in progress; forFirst = undefined) {
      const next = await this.#ask(progress.round, forFirst);
      if (!("replies" in next)) return next;
      progress = await this.#runner.next(next.replies);
    }
    return progress;
  }

  async close(reason?: unknown): Promise<void> {
    if (this.#isStored) return;
    await this.#run?.close(reason);
    await this.#runner.close();
  }

  async detach(): Promise<void> {
    if (!this.#isStored) await this.#runner.detach();
  }

  /** Continues a body that waits here for another request. `next` is called next, with replies. */
  continueFor(clientPort: DurableClientPort): void {
    this.#local.waiting = undefined;
    this.#clientPort = this.#attach(clientPort);
    this.via = this.#mode;
    if (this.#run !== undefined) clientPort.onRunStarted(this.#run);
  }

  /** Whether the body waits here for a call that continues it. */
  get #isWaiting(): boolean {
    return this.#local.call === this && this.#local.waiting !== undefined;
  }

  #attach(clientPort: DurableClientPort): DurableClientPort {
    this.#local.clientPorts.add(clientPort);
    clientPort.canAskElsewhere = (question) =>
      this.#canHandOver(question) && this.#notHandedOverReason(question) === undefined;
    return clientPort;
  }

  /** The replies that a call brings for a round. If it brings none, a note for the model, unless the model was told of another round. */
  async repliesTo(
    round: Round,
    { modelRound, modelAnswer }: Continuation,
  ): Promise<{ readonly replies: Replies } | { readonly note: string | undefined }> {
    const open: Round = Object.fromEntries(
      Object.entries(round).filter(
        ([, question]) => hasQuestion(modelRound, question) && this.#canHandOver(question),
      ),
    );
    if (Object.keys(open).length === 0) return { note: undefined };
    const now = this.settings.clock.now();
    // The caller has refused an answer to questions on pages.
    if (modelAnswer !== undefined)
      return parseModelAnswer(modelAnswer, open, Object.keys(modelRound).length === 1, now);
    const replies: Record<string, Reply> = {};
    // A secret that is asked for again, because its value is lost, has the deadline of the first time.
    for (const key of Object.keys(open))
      if (isExpired(modelRound[key] ?? {}, now)) replies[key] = { action: "timeout" };
    Object.assign(replies, await this.#local.pageReplies(open));
    if (Object.keys(replies).length > 0) return { replies };
    return { note: this.#mode === "page" ? NO_ANSWER_YET : undefined };
  }

  async #ask(
    round: Round,
    continuation: Continuation | undefined,
  ): Promise<CallProgress | { readonly replies: Replies }> {
    this.via = undefined;
    let note: string | undefined;
    if (continuation !== undefined) {
      const outcome = await this.repliesTo(round, continuation);
      if ("replies" in outcome) {
        this.via = this.#mode;
        // With the next append: another answer to this round comes too late.
        if (continuation.modelAnswer !== undefined)
          this.#clientPort.durable?.log.noteAnswers(digestJson(continuation.modelAnswer));
        return outcome;
      }
      ({ note } = outcome);
    }
    const direct = Object.entries(round).filter(
      ([, question]) => this.#clientPort.supports(question) || !this.#canHandOver(question),
    );
    if (direct.length > 0) {
      this.#askedRound = round;
      return { round: Object.fromEntries(direct) };
    }
    try {
      return await this.#handOver(round, note);
    } catch (error) {
      if (!(error instanceof PageRefused)) throw error;
      const unsupported = { action: "unsupported", reason: error.reason } as const;
      const replies = Object.keys(round).map((key) => [
        key,
        this.#clientPort.askedElsewhereReply?.(key) ?? unsupported,
      ]);
      return { replies: Object.fromEntries(replies) as Replies };
    }
  }

  /** Ends the call with a text for the model. The body is not closed: `finally` would run although the run continues. */
  async #handOver(round: Round, note?: string): Promise<CallProgress | { readonly replies: Replies }> {
    const { durable, hasNoClient = false } = this.#clientPort;
    const local = this.#local;
    const manager = this.#manager;
    const until = answerableUntil(round, this.settings);
    // Before any page is opened, and before the store lists the questions: the limit of waiting calls may be reached.
    if (!hasNoClient && durable?.outlivesCall !== true) manager.assertCapacity(local);
    if (durable === undefined) {
      local.call = this;
      local.weight = estimateBytes(this.#input) + CALL_BYTES;
      manager.add(local, until);
    }
    if (!hasNoClient && this.#mode === "page")
      await Promise.all(asksIn(round).map((question) => local.pages.get(question)));
    const ref =
      durable === undefined ? await manager.refTo(local.id) : await this.#leaveToStore(durable, round, until);
    // The client has disconnected, and the run is closed.
    if (ref === undefined || (durable === undefined && this.#clientPort.isClosed)) return { replies: {} };
    if (hasNoClient) return { result: textResult("") };
    if (durable !== undefined) manager.add(local, until);
    const waiting = { mode: this.#mode, round, ref, until };
    await local.waitAt(waiting);
    const text = await local.textFor(waiting, note);
    return { result: handoverResult(text, this.#tool, this.#clientPort) };
  }

  /** Opens the round in the store, for any call to continue. Returns its reference; undefined if the client has disconnected. */
  async #leaveToStore(durable: DurableCall, round: Round, until: number): Promise<string | undefined> {
    const { log } = durable;
    // While the run is claimed, other processes leave it to this one.
    durable.unclaim();
    await log.openRound(round, until, { isUnlogged: !this.#isLogged, handoverMode: this.#mode });
    if (this.#clientPort.isClosed) return undefined;
    this.#isStored = true;
    this.#clientPort.forgetRun();
    await durable.release();
    await this.#manager.context.runs?.publishGrown(log.run);
    return formatStoredRun(log);
  }

  /** Whether a question that the client cannot show is handed over. Opening a page for it may still fail. */
  #canHandOver(question: OpenQuestion): boolean {
    if (question.emit !== "ask" || Object.hasOwn(question.fallback ?? {}, "unsupported")) return false;
    return this.#mode === "page" || notThroughModelReason(question) === undefined;
  }

  /** Why a question cannot be handed over now, as a phrase. */
  #notHandedOverReason(question: OpenQuestion): string | undefined {
    if (question.emit !== "ask") return undefined;
    return this.#mode === "page"
      ? this.#manager.context.pageHost.unavailableNowReason(this.principal)
      : notThroughModelReason(question);
  }

  /** The replies of the client, where `unsupported` also says why the question was not handed over. */
  #withReasons(replies: Replies, round: Round): Replies {
    const explained = Object.entries(replies).map(([key, reply]) => {
      const question = round[key];
      const why = question && this.#notHandedOverReason(question);
      if (reply.action !== "unsupported" || why === undefined || why === reply.reason) return [key, reply];
      return [key, { ...reply, reason: reply.reason === undefined ? why : `${why}, and ${reply.reason}` }];
    });
    return Object.fromEntries(explained) as Replies;
  }
}
