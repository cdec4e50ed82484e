/**
 * The client's side of a call of 2026-07-28: a round of questions ends the request, and another brings the answers.
 *
 *   1. A client is asked only what it declared with the request that is being answered.
 *   2. Answers that came before their question was put here (without a state, or for a run that had to be replayed)
 *      count for the first round that is open. Without a state they never answer a dangerous question.
 */
import {
  type Capability,
  type Client,
  type Emit,
  type JournalEntry,
  type Journal,
  memoryJournal,
  type OpenQuestion,
  PhotonError,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  type StepEvent,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import { type ClientPort, missingCapability } from "../calls/client-port.ts";
import {
  CONTINUE,
  continuesCalls,
  encodeOwnedRef,
  encodeRunRef,
  errorResult,
  textResult,
} from "../handover/model-text.ts";
import type { ServerContext } from "../context.ts";
import type { RequestMeta } from "../protocol/request-meta.ts";
import {
  ANYWHERE,
  type InputRequest,
  inputRequestFor,
  isForPage,
  type Unsupported,
} from "../protocol/input-requests.ts";
import { toolListing } from "../protocol/listings.ts";
import {
  type LogTarget,
  logTargetOf,
  logFor,
  ProgressCounter,
  stepLogFor,
} from "../protocol/notifications.ts";
import { inputRequiredResult } from "../protocol/results.ts";
import { roundWithDetails } from "../protocol/question-metadata.ts";
import { type Features, featuresOf } from "../protocol/revisions.ts";
import type { OpenAsk } from "../pages/types.ts";
import { PAGE_WAIT_MS, CallPages } from "../pages/call-pages.ts";
import { asRetryable, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import { DurableCall, type LeasedLog } from "../durable/durable-call.ts";
import type { DurableClientPort } from "../durable/drive-call.ts";
import type { CallHeader } from "../durable/log-records.ts";
import type { Notification, JsonObject } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";
import { ClientAtConnection, isTooQuick, notedAsQuick } from "../client-trust.ts";
import type { StatelessCall } from "./stateless-call.ts";
import { pageRequest, awaitPageAnswers } from "./page-questions.ts";
import type { RequestState } from "./request-state.ts";

/** Known clients take ten in one call. */
const MANY_ROUNDS = 8;

/** What the client is asked, by the keys of the questions. */
export type InputRequests = { readonly [key: string]: InputRequest };

/** What the client is asked; and the questions that it cannot be asked, if there are any, with what is replied to them here. */
interface Requested {
  readonly requests: InputRequests;
  readonly refused: Replies | undefined;
}

/** What a call starts from: the state that its client carried, or its log; and what begins a new log. */
interface Origin {
  readonly state: RequestState | undefined;
  readonly leased: LeasedLog | undefined;
  readonly head: (() => CallHeader) | undefined;
  /** Whether a tool was called: other calls cannot end with words for a model. */
  readonly isTool: boolean;
}

/** When a round was asked, where that is known, and when the request arrived that brings its answers. */
interface Times {
  readonly asked: number | undefined;
  readonly answered: number;
}

/** What goes into a state beside the questions. */
type Carried = Pick<RequestState, "progress" | "journal" | "logged" | "process">;

export class StatelessClient implements DurableClientPort {
  readonly features: Features;
  /** As it was at first: a body must not see its client change. */
  readonly client: Client;
  readonly #context: ServerContext;
  readonly #call: StatelessCall;
  readonly #logger: string;
  readonly #head: (() => CallHeader) | undefined;
  readonly #isTool: boolean;
  /** Its run in the store, where a store keeps it. */
  #durable: DurableCall | undefined;
  #progress: ProgressCounter | undefined;
  /** What the first run is replayed from. */
  #recorded: readonly JournalEntry[] | undefined;
  #journal: Journal | undefined;
  #isDurable = false;
  #run: Run<unknown> | undefined;
  #closed: { readonly reason: unknown } | undefined;
  /** What the client would have had to be able to do, by the key of the question. */
  #lacking: Map<string, Capability> | undefined;
  #pages: CallPages | undefined;
  canAskElsewhere: ClientPort["canAskElsewhere"];
  /** The questions that the client did not show, and that are asked elsewhere; with what it replied. */
  #unshown: Map<string, Reply> | undefined;
  /** What is known of the client from how it replied in this call: a request of 2026-07-28 belongs to no connection. */
  #trust: ClientAtConnection | undefined;
  /** Whether a question of the last round that was heard waits for the inbox only. */
  #isLeftToInbox = false;
  #stopWaiting: (() => void) | undefined;

  constructor(
    call: StatelessCall,
    { client, revision }: RequestMeta,
    context: ServerContext,
    logger: string,
    { state, leased, head, isTool }: Origin,
  ) {
    this.features = featuresOf(revision);
    this.#context = context;
    this.#call = call;
    this.client = client;
    this.#logger = logger;
    this.#recorded = state?.journal;
    this.#head = head;
    this.#isTool = isTool;
    const { runs } = context;
    if (leased !== undefined && runs !== undefined) this.#durable = new DurableCall(leased, runs);
    if (state?.progress !== undefined) this.#progress = new ProgressCounter(state.progress);
  }

  get settings(): Settings {
    return this.#context.settings;
  }

  get principal(): string {
    return this.#call.principal;
  }

  get account(): Account {
    return this.#call.account;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Whether the input was checked and the run has started: before, it is not known whether the run is durable. */
  get hasStarted(): boolean {
    return this.#run !== undefined;
  }

  get durable(): DurableCall | undefined {
    return this.#durable;
  }

  /** Whether another process can continue the call. */
  get isDurable(): boolean {
    return this.#isDurable;
  }

  get canOpenUrlMidCall(): boolean {
    return this.#can.url;
  }

  /** What another process needs to continue the call. */
  get carried(): Carried {
    const progress = this.#progress?.last;
    if (this.#durable !== undefined) return { progress, logged: this.#durable.log.length };
    // What is visited before a durable tool starts over has nothing to be replayed from but the start.
    const journal = this.#journal?.entries ?? (this.#isDurable ? [] : undefined);
    return { progress, journal, process: journal === undefined ? this.#context.runs?.process : undefined };
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets"> {
    const recorded = this.#recorded;
    this.#recorded = undefined;
    const isDurable = definition.durable === true;
    this.#isDurable ||= isDurable;
    const { runId, envelope } = this.#call;
    const recording = isDurable ? this.#recordingOf(definition, runId, recorded) : { runId };
    this.#journal = recording.journal;
    return { ...recording, trace: envelope?.trace };
  }

  onRunStarted(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closed === undefined) return;
    void (this.#durable?.outlivesCall === true ? run.detach() : run.close(this.#closed.reason));
  }

  async close(reason: unknown): Promise<void> {
    this.#closed = { reason };
    this.stopWaiting();
    // A request that waits for a page waits for nothing any more.
    this.#pages?.close();
    await this.#run?.close(reason);
  }

  /** Leaves the run to other processes. Resolves when the step under way has ended. */
  async detach(options: { readonly continues: boolean }): Promise<void> {
    this.#closed = { reason: undefined };
    this.stopWaiting();
    this.#pages?.close();
    if (this.#durable === undefined) await this.#run?.detach();
    else await this.#durable.detach(this.#run, options);
  }

  /** Drops this copy of a run that another process has continued. */
  async drop(): Promise<void> {
    await this.#run?.detach();
    await this.#durable?.rest();
  }

  /**
   * Whether closing the call, which waits until then, ends the run. Other processes can continue the run until then. A process
   * records the timeout of its questions; if the log cannot hold it, one process ends the run.
   */
  async mayEnd(until: number, reason: unknown): Promise<boolean> {
    if (this.#durable === undefined) return true;
    if (this.#durable.log.hasDeadline || until > this.settings.clock.now()) return false;
    const message = reason instanceof Error ? reason.message : String(reason);
    return this.#durable.fail(new RpcError(INVALID_REQUEST, message));
  }

  emit(effect: Emit): void | Promise<void> {
    return this.#tell(effect.emit === "log" ? logFor(effect, this.#logTarget) : this.#progressOf(effect));
  }

  step(news: StepEvent): void | Promise<void> {
    return this.#tell(stepLogFor(news, this.#logTarget));
  }

  onRunEnded(): void {
    this.#pages?.close();
  }

  supports(question: OpenQuestion): boolean {
    if (this.#unshown?.has(question.key) === true) return false;
    return "method" in inputRequestFor(question, this.#can, this.features, question.key, ANYWHERE);
  }

  uncountedReply(key: string): Reply | undefined {
    return this.#unshown?.get(key);
  }

  /**
   * Hears what the client said to the questions of a round, which it was asked at one time and answered at another. Gives back
   * the replies that count: a question that the client did not show stays open where it can be asked elsewhere.
   */
  countReplies(round: Round, replies: Replies, { asked, answered }: Times): Replies {
    const { client } = this.#call.envelope ?? this;
    if (asked === undefined || this.isClosed) return replies;
    const took = answered - asked;
    this.#trust ??= new ClientAtConnection(this.#context.trust, this.principal);
    this.#trust.recordReplies(client, round, replies, took);
    const counted: Record<string, Reply> = {};
    for (const [key, reply] of Object.entries(replies)) {
      const question = round[key];
      if (question?.emit !== "ask" || !isTooQuick(reply.action, took, this.settings)) counted[key] = reply;
      else if (this.canAskElsewhere?.(question) === true)
        (this.#unshown ??= new Map()).set(key, notedAsQuick(reply, client, took));
      else if (this.#isInInbox(question)) this.#isLeftToInbox = true;
      else counted[key] = notedAsQuick(reply, client, took);
    }
    return counted;
  }

  /**
   * Waits for a while until the run is answered in the inbox, where `countReplies` left the whole round to it. Rejects with `RunMoved`
   * once it is: the call then follows the log. Resolves where nothing was answered: the client is asked again.
   */
  fromInbox(counted: Replies): Promise<Replies> | undefined {
    const isLeft = this.#isLeftToInbox && Object.keys(counted).length === 0;
    this.#isLeftToInbox = false;
    if (!isLeft || this.#durable === undefined) return undefined;
    const stopped = new Promise<void>((resolve) => {
      this.#stopWaiting = resolve;
    });
    return this.#durable.untilGrown(stopped, this.settings.clock, PAGE_WAIT_MS).then(() => ({}));
  }

  /** Ends the wait for the inbox. */
  stopWaiting(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
  }

  /** The same replies, with what was answered on pages, if they say anything of one. */
  fromPages(round: Round, replies: Replies): Promise<Replies> | undefined {
    return awaitPageAnswers(replies, round, this.#pages, this.settings.clock);
  }

  /** What the client is asked, at once, unless something of it is asked for on a page. */
  requestsFor(round: Round): Requested | Promise<Requested> {
    const can = this.#can;
    const requests: Record<string, InputRequest> = {};
    for (const [key, question] of Object.entries(round)) {
      const request = inputRequestFor(question, can, this.features, key, ANYWHERE);
      if (!("method" in request) || isForPage(question)) return this.#requestsOneByOne(round);
      requests[key] = request;
    }
    return { requests, refused: undefined };
  }

  async #requestsOneByOne(round: Round): Promise<Requested> {
    const can = this.#can;
    const requests: Record<string, InputRequest> = {};
    let refused: Record<string, Reply> | undefined;
    for (const [key, question] of Object.entries(round)) {
      const wanted = inputRequestFor(question, can, this.features, key, ANYWHERE);
      const isPage = "method" in wanted && isForPage(question);
      const request = isPage ? await this.#requestOnPage(question, can) : wanted;
      if ("method" in request) {
        requests[key] = request;
        continue;
      }
      refused ??= {};
      refused[key] = { action: "unsupported", reason: request.unsupported };
      if (request.lacks !== undefined) (this.#lacking ??= new Map()).set(key, request.lacks);
    }
    return { requests, refused };
  }

  /**
   * Opens a round in the store, where one keeps the run, before the client is asked. Gives back a reply that is recorded already,
   * if there is one. Where the call is in this process only, other processes are told that this one lives.
   */
  openRound(round: Round, until: number): Promise<Replies | undefined> | undefined {
    const isApart = this.#journal === undefined;
    if (this.#durable !== undefined) return this.#durable.openRound(round, until, { isApart });
    if (!this.#isDurable) return this.#context.runs?.announceProcess().then(() => undefined);
    return undefined;
  }

  adopt(leased: LeasedLog): void {
    const { runs } = this.#context;
    if (runs === undefined) return;
    this.#durable = new DurableCall(leased, runs);
    this.#call.adoptRun(leased.log.run);
  }

  forgetRun(): void {
    this.#durable = undefined;
    // The body is not resumed here: the call need not hold on to it.
    this.#run = undefined;
  }

  /** What ends a request with questions. */
  inputRequired(round: Round, requests: InputRequests, state: string): JsonObject {
    if (this.#call.envelope?.wantsDetails !== true) return inputRequiredResult(requests, state);
    const { requests: own, meta } = roundWithDetails(requests, round, this.#durable?.log.run);
    return { ...inputRequiredResult(own, state), _meta: meta };
  }

  /** How many rounds of questions the client takes in one call. */
  get roundsPerCall(): number {
    const isLimited = this.#isTool && this.#call.envelope?.takesAnyRounds !== true;
    const { roundsPerCall } = this.settings.limits;
    return isLimited && continuesCalls(this.#context) ? Math.max(1, roundsPerCall) : Number.POSITIVE_INFINITY;
  }

  /** What ends the call where its client takes no more rounds: the words by which a model continues it with another call. */
  handedOver(): JsonObject {
    const { runs, catalog } = this.#context;
    const { runId } = this.#call;
    const log = this.#durable?.log;
    const owned = runs === undefined ? runId : encodeOwnedRef(runId, runs.process);
    const stored = log?.isHandedOver === true ? encodeRunRef(runId, log.length) : runId;
    const words = continueText(this.#logger, log === undefined ? owned : stored);
    const tool = catalog.tools.find(this.#logger);
    // A client that was told of a tool's output takes nothing else from it but an error.
    const hasOutput = tool !== undefined && "outputSchema" in toolListing(tool, this.features);
    return hasOutput ? errorResult(words) : textResult(words);
  }

  /** The client has been asked so often. */
  asked(rounds: number): void {
    if (rounds === MANY_ROUNDS + 1) this.settings.report(new TooManyRoundsWarning(this.#logger, MANY_ROUNDS));
  }

  failureNote(): string | undefined {
    return this.#trust?.remarkOn(this.#call.envelope?.client ?? this.client);
  }

  toProtocolError(error: unknown): RpcError | undefined {
    return asRetryable(error) ?? missingCapability(error, this.#lacking, this.canOpenUrlMidCall);
  }

  /** What a durable body is recorded in, and replayed from: the store, or the state that its client carries. */
  #recordingOf(
    definition: Runnable<never, unknown>,
    runId: string,
    recorded: readonly JournalEntry[] | undefined,
  ): Pick<RunOptions, "runId" | "journal" | "secrets"> {
    const { runs } = this.#context;
    const head = this.#head;
    if (runs === undefined || head === undefined || recorded !== undefined)
      return { runId, journal: memoryJournal(recorded) };
    this.#durable ??= new DurableCall({ log: runs.begin(runId, head()) }, runs);
    return this.#durable.options(definition);
  }

  /** Whether a person can answer a question in the inbox: it is in a log, and does not need a page. */
  #isInInbox(question: OpenAsk): boolean {
    return this.#durable !== undefined && this.#journal !== undefined && !isForPage(question);
  }

  /** The client of the request that is being answered. */
  get #logTarget(): LogTarget {
    return logTargetOf(this.#call.envelope, this.#logger);
  }

  #progressOf(effect: Emit): Notification | undefined {
    const { token } = this.#call.envelope ?? {};
    if (token === undefined) return undefined;
    this.#progress ??= new ProgressCounter();
    return this.#progress.of(effect, token);
  }

  #tell(notification: Notification | undefined): void | Promise<void> {
    if (notification !== undefined) return this.#call.tell(notification);
  }

  /** What the client of the request that is being answered is believed to be able to do. */
  get #can(): Client["can"] {
    const { client } = this.#call.envelope ?? this;
    return (this.#trust?.effectiveCapabilities(client) ?? client).can;
  }

  /** What must not pass through the client is asked for on a page, to which the client sends the person. */
  #requestOnPage(question: OpenAsk, can: Client["can"]): Promise<InputRequest | Unsupported> {
    this.#pages ??= new CallPages(this.#context.openPage, {
      server: this.settings.name,
      tool: this.#logger,
      principal: this.principal,
    });
    return pageRequest(this.#pages, question, can, this.features);
  }
}

/** A tool asks more rounds of questions, one after another, than clients take in one call. A warning: the run continues. */
class TooManyRoundsWarning extends PhotonError {
  override readonly name = "TooManyRoundsWarning";
  readonly code = "MANY_ROUNDS";

  constructor(tool: string, most: number) {
    super(
      `${tool} has asked more than ${most} rounds of questions in one run; clients of 2026-07-28 take 10 in one call, and their model has to continue it after that. Ask what can be asked together with ask.all.`,
    );
  }
}

/** The client takes no more rounds of questions in this call: another call asks the next. */
function continueText(tool: string, run: string): string {
  return `${tool} has not ended: it has more questions for the person you work for than their client shows in one call. What they have answered is kept. Call the tool ${CONTINUE} with ${JSON.stringify({ run })} now, and they are asked the rest.`;
}

/** Where another call continues it at the moment. */
export const IN_ANOTHER_CALL = "Another call continues that call already. Wait for its result.";
