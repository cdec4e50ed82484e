/**
 * A call whose client cannot show its questions. It ends with words: where the person can answer, or what to ask them.
 * Another call, of a tool made for that, goes on with it.
 *
 * To the spine it is a front like any other. Behind it stands the front of whichever call is being answered. It is a little
 * longer than other files, since both meet here: a run that waits here, and one that waits in a store.
 *
 *   1. Only what that front cannot ask is handed over; what an ask falls back on is not.
 *   2. A secret, a file and a dangerous yes or no are never put into a model's words: they need a page.
 *   3. What a model passes on is checked before the run hears of it; what is asked for on a page is answered there only.
 *   4. A run that a store keeps waits there, and not here: whoever goes on with it, here or elsewhere, does so from its log.
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
  UrlRequired,
  SecretRedactor,
  type WhenUnsupported,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import type { AskClient, ClientPort } from "../calls/client-port.ts";
import { withTimeout } from "../util/timers.ts";
import type { Features } from "../protocol/revisions.ts";
import type { PageHost } from "../pages/page-host.ts";
import { asksIn, PageRefused } from "../pages/types.ts";
import { PAGE_WAIT_MS, type CallPages } from "../pages/call-pages.ts";
import { CALL_BYTES, type WaitingCall } from "../calls/waiting-calls.ts";
import { RunLog } from "../durable/run-log.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";
import type { LogReplay, KeptKeeper } from "./durable-handover.ts";
import { errorResult, handoverText, ONLY_THERE, textResult, notRelayableReason } from "./model-text.ts";
import { withRelayReason, type RelayedAnswer, repliesIn } from "./relayed-answers.ts";

/** What becomes of a question that is handed over. */
export type HandoverMode = Exclude<WhenUnsupported, "fail">;

/** Which call is handed over, and how. */
interface HandoverOptions {
  readonly tool: string;
  readonly way: HandoverMode;
  readonly desk: PageHost;
  /** What it is counted for, and how much memory its input takes. */
  readonly account: Account;
  readonly weight: number;
}

/** The client's side of the call that is being answered, and what puts questions to it. */
export interface CallerClient {
  readonly clientPort: ClientPort;
  readonly askThem: AskClient;
}

/** What a handover needs of where it is kept. */
export interface Keeper {
  /** Takes it in; throws where there is no place. Gives back until when it may wait. */
  keep(handover: HandedOverCall, round: Round): number;
  /** What a model goes on by with a run that waits here, once the other processes know of this one, if there are any. */
  nameOf(run: string): string | Promise<string>;
  /** Where those are kept whose runs are in a store, if there is one. */
  readonly kept: KeptKeeper | undefined;
}

interface Waiting {
  readonly round: Round;
  readonly until: number;
  readonly resume: (replies: Replies) => void;
}

export class HandedOverCall implements ClientPort, WaitingCall {
  /** As the body is to see it: what a person can be asked by a page, its client can ask. */
  readonly client: Client;
  readonly principal: string;
  readonly account: Account;
  readonly weight: number;
  reserved = 0;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  readonly #tool: string;
  readonly #way: HandoverMode;
  readonly #desk: PageHost;
  /** Whether somebody whose client cannot send them to a web address is sent there by a page. */
  readonly #sends: boolean;
  readonly #pages: CallPages;
  readonly #keeper: Keeper;
  #calling: CallerClient;
  /** Every front there has been: what each has opened stays until the run is over. */
  readonly #clientPorts: Set<ClientPort>;
  /** How the last answers came, where that was not through the client. */
  #via: HandoverMode | undefined;
  /** Answers the call that waits. */
  #answer: { resolve(result: JsonObject): void; reject(error: unknown): void } = {
    resolve() {},
    reject() {},
  };
  /** What it is known by: its first run. One that must send somebody elsewhere first begins again. */
  #id = "";
  #run: Run<unknown> | undefined;
  #waiting: Waiting | undefined;
  /** The log of the run, where a store keeps it; and whether what is asked now is in there. */
  #log: RunLog | undefined;
  #isLogged = false;
  #secrets: SecretRedactor | undefined;
  readonly #fromLog: LogReplay | undefined;
  #isHandedOver = false;

  /** `fromLog`: where it goes on with a run that was handed over before. */
  constructor(
    { tool, way, desk, account, weight }: HandoverOptions,
    calling: CallerClient,
    pages: CallPages,
    keeper: Keeper,
    fromLog?: LogReplay,
  ) {
    const { clientPort } = calling;
    const { client, principal } = clientPort;
    // A page carries every question, and so meets what a tool needs to ask.
    const hasPages = way === "page" && desk.unavailableReason(principal) === undefined;
    this.#tool = tool;
    this.#way = way;
    this.#desk = desk;
    this.#sends = hasPages && !client.can.url;
    this.#calling = calling;
    this.#clientPorts = new Set([clientPort]);
    this.#pages = pages;
    this.#keeper = keeper;
    this.#fromLog = fromLog;
    this.client = hasPages ? { ...client, can: { ...client.can, form: true, url: true } } : client;
    this.principal = principal;
    clientPort.canAskElsewhere = (question) => this.#canAskElsewhere(question);
    this.account = account;
    this.weight = weight + CALL_BYTES;
  }

  get #clientPort(): ClientPort {
    return this.#calling.clientPort;
  }

  get settings(): Settings {
    return this.#clientPort.settings;
  }

  get features(): Features {
    return this.#clientPort.features;
  }

  get canOpenUrlMidCall(): boolean {
    return this.#sends || this.#clientPort.canOpenUrlMidCall;
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

  /** Whether what the call was answered with is not its result. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  get via(): HandoverMode | undefined {
    return this.#via;
  }

  options(definition: Runnable<never, unknown>): ReturnType<ClientPort["options"]> {
    const options = (this.#fromLog ?? this.#clientPort).options(definition);
    const { journal } = options;
    this.#isLogged = journal !== undefined;
    if (journal instanceof RunLog) this.#log = journal;
    if (this.#log === undefined) return options;
    this.#secrets ??= this.#keeper.kept?.secretsOf(this.#log.run) ?? options.secrets ?? new SecretRedactor();
    if (journal !== undefined) this.#log.describe(definition, this.#secrets);
    return { ...options, secrets: this.#secrets };
  }

  onRunStarted(run: Run<unknown>): void {
    this.#id ||= run.id;
    this.#run = run;
    this.#clientPort.onRunStarted(this.#fromLog?.withoutClosing(run) ?? run);
  }

  onRunEnded(): void {
    if (this.#log !== undefined) this.#keeper.kept?.over(this.#log.run);
    this.#pages.close();
    for (const clientPort of this.#clientPorts) clientPort.onRunEnded?.();
  }

  emit(effect: Emit): void | Promise<void> {
    // While it waits, whoever called has been answered: what a body tells as it is closed is told to nobody.
    if (this.#waiting === undefined) return this.#clientPort.emit(effect);
  }

  step(news: StepEvent): void | Promise<void> {
    if (this.#waiting === undefined) return this.#clientPort.step(news);
  }

  supports(question: OpenQuestion): boolean {
    return this.#clientPort.supports(question) || this.#canHandOver(question);
  }

  failureNote(): string | undefined {
    // What was said on a page, or passed on, is no word of the client's.
    return this.#via === undefined ? this.#clientPort.failureNote?.() : undefined;
  }

  toProtocolError(error: unknown): RpcError | undefined {
    const hasBeenSent = this.#sends && error instanceof UrlRequired;
    return hasBeenSent ? undefined : this.#clientPort.toProtocolError(error);
  }

  async ask(round: Round): Promise<Replies> {
    const direct = Object.entries(round).filter(
      ([, question]) => this.#clientPort.supports(question) || !this.#canHandOver(question),
    );
    this.#via = undefined;
    const brought = await this.#fromLog?.takeSupplied(round);
    if (brought !== undefined && "replies" in brought) {
      this.#via = this.#way;
      return brought.replies;
    }
    if (direct.length > 0) {
      const replies = await this.#askDirectly(Object.fromEntries(direct));
      return withRelayReason(replies, round, (question) => this.#whyNoWay(question));
    }
    try {
      const { kept } = this.#keeper;
      if (this.#log !== undefined && kept !== undefined)
        return await this.#giveAway(round, this.#log, kept, brought?.problem);
      return await this.#waitFor(round);
    } catch (error) {
      // There can be no page here.
      if (!(error instanceof PageRefused)) throw error;
      const unsupported = { action: "unsupported", reason: error.reason } as const;
      return Object.fromEntries(
        Object.keys(round).map((key) => [key, this.#clientPort.uncountedReply?.(key) ?? unsupported]),
      );
    }
  }

  /** Performs the call. What it comes to, or where it is handed over, answers the call that then waits. */
  begin(perform: () => Promise<JsonObject>): Promise<JsonObject> {
    const answer = this.#newAnswer();
    void perform().then(
      (result) => this.#answer.resolve(result),
      (error: unknown) => this.#answer.reject(error),
    );
    return answer;
  }

  /** Goes on, for another call, once a page was answered; says again where they are as long as none was. */
  async continueCall(calling: CallerClient): Promise<JsonObject> {
    const { round = {} } = this.#waiting ?? {};
    if (this.#way === "relay") return textResult(await this.#inWords(round));
    const replies: Record<string, Reply> = {};
    const answered = asksIn(round).map(async (question) => {
      const page = await this.#pages.get(question);
      replies[question.key] = await page.reply;
    });
    await withTimeout(Promise.all(answered), this.settings.clock, PAGE_WAIT_MS);
    if (Object.keys(replies).length > 0) return this.#resume(calling, replies, round);
    return textResult(`Nobody has answered yet. ${await this.#inWords(round)}`);
  }

  /** Goes on, for another call, with what its model has passed on, if that fits. */
  async answer(calling: CallerClient, passedOn: RelayedAnswer): Promise<JsonObject> {
    if (this.#way === "page") return errorResult(ONLY_THERE);
    const { round = {} } = this.#waiting ?? {};
    const read = await repliesIn(passedOn, round, this.settings.clock.now());
    if ("problem" in read) return textResult(await this.#inWords(round, read.problem));
    return this.#resume(calling, read.replies, round);
  }

  async close(reason: unknown): Promise<void> {
    await this.#run?.close(reason);
    // The spine finds its run closed, and ends.
    this.#waiting?.resume({});
    this.#waiting = undefined;
  }

  /** Hands over what only this process knows: it waits here. */
  async #waitFor(round: Round): Promise<Replies> {
    // Before any page is opened for it: there may be no place.
    const until = this.#keeper.keep(this, round);
    const words = await this.#inWords(round);
    // Whoever called has gone while their pages were opened: the spine finds its run closed, and ends.
    if (this.#clientPort.isClosed) return {};
    this.#isHandedOver = true;
    return new Promise((resume) => {
      this.#waiting = { round, until, resume };
      this.#answer.resolve(textResult(words));
    });
  }

  /** Hands over what a store keeps. The body is not closed for it: that would tell it of an end that is none. */
  async #giveAway(
    round: Round,
    log: RunLog,
    kept: KeptKeeper,
    problem: string | undefined,
  ): Promise<Replies> {
    const given = {
      tool: this.#tool,
      way: this.#way,
      log,
      isLogged: this.#isLogged,
      secrets: (this.#secrets ??= new SecretRedactor()),
      pages: this.#pages,
      clientPort: this.#clientPort,
      clientPorts: this.#clientPorts,
      fromLog: this.#fromLog,
      problem,
    };
    const words = await kept.giveAway(given, round);
    // Whoever called has gone meanwhile: the spine finds its run closed, and ends.
    if (words === undefined) return {};
    this.#isHandedOver = true;
    this.#answer.resolve(textResult(words));
    return new Promise(() => {});
  }

  #askDirectly(round: Round): Promise<Replies> {
    const { askThem } = this.#calling;
    const { kept } = this.#keeper;
    const isAsked = Object.values(round).some((question) => this.#clientPort.supports(question));
    if (this.#fromLog === undefined || kept === undefined || !isAsked) return askThem(round);
    return this.#fromLog.ask(round, kept.lastMoment(round), askThem, () => this.isClosed);
  }

  #resume(calling: CallerClient, replies: Replies, round: Round): Promise<JsonObject> {
    const { clientPort } = calling;
    const waiting = this.#waiting;
    if (waiting?.round !== round || clientPort.isClosed)
      return Promise.resolve(textResult("The call has gone on already, for another call."));
    this.#waiting = undefined;
    this.#calling = calling;
    this.#clientPorts.add(clientPort);
    this.#via = this.#way;
    clientPort.canAskElsewhere = (question) => this.#canAskElsewhere(question);
    if (this.#run !== undefined) clientPort.onRunStarted(this.#run);
    const answer = this.#newAnswer();
    waiting.resume(replies);
    return answer;
  }

  #newAnswer(): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
    });
  }

  /** Whether a question that the client cannot show is handed over. Where that needs a page, opening it may still fail. */
  #canHandOver(question: OpenQuestion): boolean {
    if (question.emit !== "ask" || Object.hasOwn(question.fallback ?? {}, "unsupported")) return false;
    return this.#way === "page" || notRelayableReason(question) === undefined;
  }

  /** Why the way that the server has for such questions is closed to this one, as a phrase; nothing, where it is open. */
  #whyNoWay(question: OpenQuestion): string | undefined {
    if (question.emit !== "ask") return undefined;
    return this.#way === "page" ? this.#desk.whyNotNow(this.principal) : notRelayableReason(question);
  }

  #canAskElsewhere(question: OpenQuestion): boolean {
    return this.#canHandOver(question) && this.#whyNoWay(question) === undefined;
  }

  async #inWords(round: Round, problem?: string): Promise<string> {
    const name = await this.#keeper.nameOf(this.runId);
    const asked = { way: this.#way, tool: this.#tool, round, name };
    return handoverText(asked, async (question) => (await this.#pages.get(question)).url, problem);
  }
}
