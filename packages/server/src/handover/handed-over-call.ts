/**
 * A call whose client cannot show some of its questions. It ends with a text for the model: where the user can answer, or what to ask
 * them. A call of `photon_continue` or `photon_answer` continues it.
 *
 * It is the ClientPort of the body, in front of the ClientPort of the call that is being answered.
 *
 *   1. A question is handed over only if the client cannot show it, and the ask has no fallback for that.
 *   2. A secret, a file and a dangerous confirmation never pass through a model: they need a page.
 *   3. An answer that a model relays is checked before the run gets it. A question on a page is answered there only.
 *   4. A run in the store waits there: any process continues it from its log. Other runs wait in this object.
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
  SecretRedactor,
  type WhenUnsupported,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import { callTool } from "../calls/call-kinds.ts";
import type { CallProgress, CallRunner } from "../calls/call-runner.ts";
import type { ClientPort } from "../calls/client-port.ts";
import type { DurableClientPort } from "../durable/drive-call.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import { withTimeout } from "../util/timers.ts";
import type { Features } from "../protocol/revisions.ts";
import type { PageHost } from "../pages/page-host.ts";
import { asksIn, PageRefused } from "../pages/types.ts";
import { PAGE_WAIT_MS, type CallPages } from "../pages/call-pages.ts";
import { CALL_BYTES, type WaitingCall } from "../calls/waiting-calls.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";
import type { HandoverManager } from "./continue-tools.ts";
import { errorResult, handoverText, ONLY_THERE, textResult, notRelayableReason } from "./model-text.ts";
import { withRelayReason, type RelayedAnswer, repliesIn, type RepliesOrProblem } from "./relayed-answers.ts";

/** How a question is asked that the client cannot show. */
export type HandoverMode = Exclude<WhenUnsupported, "fail">;

/** The call that is being answered: its client's side, and whether its tool announced what it returns. */
export interface HandoverCaller {
  readonly clientPort: DurableClientPort;
  readonly hasOutputSchema: boolean;
}

/** Replies that a call brought for the first round that is open, if it brought any. */
export type ReplySupplier = (round: Round) => Promise<RepliesOrProblem | undefined>;

interface HandoverOptions {
  readonly tool: Tool<never>;
  readonly input: unknown;
  readonly mode: HandoverMode;
  readonly pageHost: PageHost;
  readonly pages: CallPages;
  readonly account: Account;
  readonly supply?: ReplySupplier | undefined;
}

export class HandedOverCall implements ClientPort, WaitingCall {
  /** As the body sees it: with pages, every question can be asked. */
  readonly client: Client;
  readonly principal: string;
  readonly account: Account;
  readonly weight: number;
  reserved = 0;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  readonly #runner: CallRunner;
  readonly #tool: string;
  readonly #mode: HandoverMode;
  readonly #pageHost: PageHost;
  /** Whether a page sends the user to a web address, because the client cannot. */
  readonly #sendsToUrls: boolean;
  readonly #pages: CallPages;
  readonly #manager: HandoverManager;
  #caller: HandoverCaller;
  /** The ports of all calls so far: their pages stay open until the run ends. */
  readonly #clientPorts: Set<ClientPort>;
  #via: HandoverMode | undefined;
  /** The id of its first run. A body that sends the user elsewhere first starts again, with another. */
  #id = "";
  #run: Run<unknown> | undefined;
  /** The round that waits in this process, while it does. */
  #waiting: { readonly round: Round; readonly until: number } | undefined;
  /** The round that the client was asked a part of. */
  #asked: Round | undefined;
  /** Whether the questions of the body that runs are in the log. */
  #isLogged = false;
  #secrets: SecretRedactor | undefined;
  #supply: ReplySupplier | undefined;

  constructor(options: HandoverOptions, caller: HandoverCaller, manager: HandoverManager) {
    const { tool, input, mode, pageHost, pages, account, supply } = options;
    const { client, principal } = caller.clientPort;
    const hasPages = mode === "page" && pageHost.unavailableReason(principal) === undefined;
    this.#tool = tool.name ?? "";
    this.#mode = mode;
    this.#pageHost = pageHost;
    this.#sendsToUrls = hasPages && !client.can.url;
    this.#caller = caller;
    this.#clientPorts = new Set([caller.clientPort]);
    this.#pages = pages;
    this.#manager = manager;
    this.#supply = supply;
    this.client = hasPages ? { ...client, can: { ...client.can, form: true, url: true } } : client;
    this.principal = principal;
    this.account = account;
    this.weight = estimateBytes(input) + CALL_BYTES;
    this.#runner = callTool(tool, input, this);
    caller.clientPort.canAskElsewhere = (question) => this.#canAskElsewhere(question);
  }

  get #clientPort(): DurableClientPort {
    return this.#caller.clientPort;
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

  get isClosed(): boolean {
    return this.#clientPort.isClosed;
  }

  get runId(): string {
    return this.#id;
  }

  get until(): number | undefined {
    return this.#waiting?.until;
  }

  get via(): HandoverMode | undefined {
    return this.#via;
  }

  options(definition: Runnable<never, unknown>): ReturnType<ClientPort["options"]> {
    const options = this.#clientPort.options(definition);
    this.#isLogged = options.journal !== undefined;
    const log = this.#clientPort.durable?.log;
    if (log === undefined) return options;
    this.#secrets ??= this.#manager.durable?.secretsOf(log.run) ?? options.secrets ?? new SecretRedactor();
    if (this.#isLogged) log.describe(definition, this.#secrets);
    return { ...options, secrets: this.#secrets };
  }

  onRunStarted(run: Run<unknown>): void {
    this.#id ||= run.id;
    this.#run = run;
    this.#clientPort.onRunStarted(run);
  }

  onRunEnded(): void {
    const { durable } = this.#clientPort;
    if (durable !== undefined) this.#manager.durable?.onRunEnded(durable.log.run);
    this.#pages.close();
    for (const clientPort of this.#clientPorts) clientPort.onRunEnded?.();
  }

  emit(effect: Emit): void | Promise<void> {
    // While it waits, its caller has been answered: what a body emits as it is closed reaches no client.
    if (this.#waiting === undefined) return this.#clientPort.emit(effect);
  }

  step(news: StepEvent): void | Promise<void> {
    if (this.#waiting === undefined) return this.#clientPort.step(news);
  }

  supports(question: OpenQuestion): boolean {
    return this.#clientPort.supports(question) || this.#canHandOver(question);
  }

  failureNote(): string | undefined {
    // An answer on a page, or through a model, says nothing about the client.
    return this.#via === undefined ? this.#clientPort.failureNote?.() : undefined;
  }

  toProtocolError(error: unknown): RpcError | undefined {
    const hasBeenSent = this.#sendsToUrls && error instanceof UrlRequired;
    return hasBeenSent ? undefined : this.#clientPort.toProtocolError(error);
  }

  /** Runs the body until the client has something to show, the call is handed over, or it ends. */
  async advance(replies?: Replies): Promise<CallProgress> {
    const asked = this.#asked;
    this.#asked = undefined;
    let given =
      asked && replies && withRelayReason(replies, asked, (question) => this.#notHandedOverReason(question));
    for (;;) {
      const progress = await this.#runner.next(given ?? replies);
      if (!("round" in progress)) {
        this.#manager.remove(this);
        return progress;
      }
      const next = await this.#ask(progress.round);
      if ("result" in next || "round" in next) return next;
      given = next.replies;
    }
  }

  /** Closes the body. The run ends, unless the store has it for other calls. */
  async close(reason?: unknown): Promise<void> {
    await this.#run?.close(reason);
    await this.#runner.close();
    this.#waiting = undefined;
    this.#manager.remove(this);
  }

  async detach(): Promise<void> {
    await this.#runner.detach();
  }

  /** What a call that continues it does next: it is answered with a result, or runs the body with replies. */
  async continueWith(
    caller: HandoverCaller,
    relayed: RelayedAnswer | undefined,
  ): Promise<{ readonly result: JsonObject } | { readonly replies: Replies }> {
    const { round } = this.#waiting ?? { round: {} };
    const read = relayed === undefined ? await this.#fromPages(round) : await this.#relayed(relayed, round);
    if ("result" in read) return read;
    const { clientPort } = caller;
    if (this.#waiting?.round !== round || clientPort.isClosed)
      return { result: textResult("The call has gone on already, for another call.") };
    this.#waiting = undefined;
    this.#caller = caller;
    this.#clientPorts.add(clientPort);
    this.#via = this.#mode;
    clientPort.canAskElsewhere = (question) => this.#canAskElsewhere(question);
    if (this.#run !== undefined) clientPort.onRunStarted(this.#run);
    return read;
  }

  /** Waits for the user to answer on pages. Without an answer, the model is given the links again. */
  async #fromPages(round: Round): Promise<{ readonly result: JsonObject } | { readonly replies: Replies }> {
    if (this.#mode === "relay") return { result: textResult(await this.#text(round)) };
    const replies: Record<string, Reply> = {};
    const answered = asksIn(round).map(async (question) => {
      const page = await this.#pages.get(question);
      replies[question.key] = await page.reply;
    });
    await withTimeout(Promise.all(answered), this.settings.clock, PAGE_WAIT_MS);
    if (Object.keys(replies).length > 0) return { replies };
    return { result: textResult(`There is no answer yet. ${await this.#text(round)}`) };
  }

  async #relayed(
    relayed: RelayedAnswer,
    round: Round,
  ): Promise<{ readonly result: JsonObject } | { readonly replies: Replies }> {
    if (this.#mode === "page") return { result: errorResult(ONLY_THERE) };
    const read = await repliesIn(relayed, round, this.settings.clock.now());
    return "problem" in read ? { result: textResult(await this.#text(round, read.problem)) } : read;
  }

  async #ask(round: Round): Promise<CallProgress | { readonly replies: Replies }> {
    this.#via = undefined;
    const supply = this.#supply;
    this.#supply = undefined;
    const supplied = await supply?.(round);
    if (supplied !== undefined && "replies" in supplied) {
      this.#via = this.#mode;
      return supplied;
    }
    const direct = Object.entries(round).filter(
      ([, question]) => this.#clientPort.supports(question) || !this.#canHandOver(question),
    );
    if (direct.length > 0) {
      this.#asked = round;
      return { round: Object.fromEntries(direct) };
    }
    try {
      return await this.#handOver(round, supplied?.problem);
    } catch (error) {
      if (!(error instanceof PageRefused)) throw error;
      const unsupported = { action: "unsupported", reason: error.reason } as const;
      const replies = Object.fromEntries(
        Object.keys(round).map((key) => [key, this.#clientPort.uncountedReply?.(key) ?? unsupported]),
      );
      return { replies };
    }
  }

  /** Ends the call with a text for the model. The body is not closed: `finally` would run although the run continues. */
  async #handOver(round: Round, problem?: string): Promise<CallProgress | { readonly replies: Replies }> {
    const { durable } = this.#manager;
    const isStored = durable !== undefined && this.#clientPort.durable !== undefined;
    // Before any page is opened: the limit of waiting calls may be reached.
    const until = isStored ? 0 : this.#manager.add(this, round);
    const text = isStored
      ? await durable.handOver(
          {
            tool: this.#tool,
            mode: this.#mode,
            isLogged: this.#isLogged,
            secrets: (this.#secrets ??= new SecretRedactor()),
            pages: this.#pages,
            clientPort: this.#clientPort,
            clientPorts: this.#clientPorts,
            problem,
          },
          round,
        )
      : await this.#text(round);
    // The client has gone meanwhile: the body finds its run closed.
    if (text === undefined || (!isStored && this.isClosed)) return { replies: {} };
    if (!isStored) this.#waiting = { round, until };
    return { result: this.#caller.hasOutputSchema ? errorResult(text) : textResult(text) };
  }

  /** Whether a question that the client cannot show is handed over. Opening a page for it may still fail. */
  #canHandOver(question: OpenQuestion): boolean {
    if (question.emit !== "ask" || Object.hasOwn(question.fallback ?? {}, "unsupported")) return false;
    return this.#mode === "page" || notRelayableReason(question) === undefined;
  }

  /** Why a question cannot be handed over now, as a phrase; undefined where it can. */
  #notHandedOverReason(question: OpenQuestion): string | undefined {
    if (question.emit !== "ask") return undefined;
    return this.#mode === "page"
      ? this.#pageHost.unavailableNowReason(this.principal)
      : notRelayableReason(question);
  }

  #canAskElsewhere(question: OpenQuestion): boolean {
    return this.#canHandOver(question) && this.#notHandedOverReason(question) === undefined;
  }

  async #text(round: Round, problem?: string): Promise<string> {
    const name = await this.#manager.refTo(this.runId);
    const asked = { way: this.#mode, tool: this.#tool, round, name };
    return handoverText(asked, async (question) => (await this.#pages.get(question)).url, problem);
  }
}
