/**
 * The client's side of a stateless call: notifications to the request that is being answered, and the run with its journal.
 *
 * The journal of a durable tool is in the store. Without a store it is in the requestState that the client carries.
 */
import {
  type Client,
  type Emit,
  type Journal,
  type JournalEntry,
  memoryJournal,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  type StepEvent,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import { missingCapability } from "../calls/client-port.ts";
import type { ServerContext } from "../context.ts";
import { isContinueTool } from "../handover/continue-tools.ts";
import {
  type LogTarget,
  logTargetOf,
  logFor,
  ProgressCounter,
  stepLogFor,
} from "../protocol/notifications.ts";
import { type Features, featuresOf } from "../protocol/revisions.ts";
import { asRetryable, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import { DurableCall, type DurableClientPort, type LeasedLog } from "../durable/durable-call.ts";
import { type CallHeader, ownParams } from "../durable/log-records.ts";
import type { Notification, Params } from "../jsonrpc/messages.ts";
import { callMethods, methodNotFound } from "../methods.ts";
import { limitedClient, type RequestMeta } from "../protocol/request-meta.ts";
import type { Settings } from "../settings.ts";
import { ClientQuestions, type InputResponses } from "./client-questions.ts";
import type { RequestAttempt } from "./pending-request.ts";
import { type RequestState, subjectOf } from "./request-state.ts";
import type { StatelessCall } from "./stateless-call.ts";

/** The start of a call in this process: answers, the state that it continues from, and its log. */
export interface CallOrigin {
  readonly responses: InputResponses | undefined;
  readonly state?: RequestState;
  readonly leased?: LeasedLog;
}

/** The target of the first request of a call; the same when the call continues in another process. */
interface CallTarget {
  readonly method: string;
  readonly params: Params;
  readonly meta: RequestMeta;
}

export class StatelessClient implements DurableClientPort {
  readonly features: Features;
  /** The client of the first request: a body must not see its client change. */
  readonly client: Client;
  /** The name of the tool, prompt or resource. */
  readonly name: string;
  readonly questions: ClientQuestions;
  canAskElsewhere: DurableClientPort["canAskElsewhere"];
  /** The run in the store, if the store has it. */
  durable: DurableCall | undefined;
  /** Whether another process can continue the call. */
  isDurable = false;
  readonly #context: ServerContext;
  readonly #call: StatelessCall;
  /** The first record of the run's log, if there is a store. */
  readonly #header: CallHeader | undefined;
  #progress: ProgressCounter | undefined;
  /** The journal in the state that the call continues from, until the run is started with it. */
  #recorded: readonly JournalEntry[] | undefined;
  /** The journal of the run under way. Undefined for tools that are not durable, and for the run that asks to open the addresses of a `UrlRequired`. */
  #journal: Journal | undefined;
  #run: Run<unknown> | undefined;
  #closed: { readonly reason: unknown } | undefined;

  constructor(
    call: StatelessCall,
    target: CallTarget,
    context: ServerContext,
    name: string,
    { state, leased }: CallOrigin,
  ) {
    const { client, revision } = target.meta;
    const { runs } = context;
    this.features = featuresOf(revision);
    this.client = client;
    this.name = name;
    this.questions = new ClientQuestions(this, context);
    this.#context = context;
    this.#call = call;
    this.#header = runs && headerOf(target, call);
    this.#recorded = state?.journal;
    if (leased !== undefined && runs !== undefined) this.durable = new DurableCall(leased, runs);
    if (state?.progress !== undefined) this.#progress = new ProgressCounter(state.progress);
  }

  /** The client of the request that is being answered. */
  get currentClient(): Client {
    return this.#call.attempt?.meta.client ?? this.client;
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

  get continuesRun(): boolean {
    return isContinueTool(this.#call.attempt?.params["name"]);
  }

  /** Whether the input was checked and the run has started: before, it is not known whether the run is durable. */
  get hasStarted(): boolean {
    return this.#run !== undefined;
  }

  /** Whether the run under way has a journal. */
  get isLogged(): boolean {
    return this.#journal !== undefined;
  }

  get canOpenUrlMidCall(): boolean {
    return this.questions.can.url;
  }

  /** The part of the requestState with the progress, the journal and the process of the run. */
  get runState(): Pick<RequestState, "progress" | "journal" | "logged" | "process"> {
    const progress = this.#progress?.last;
    if (this.durable !== undefined) return { progress, logged: this.durable.log.length };
    // The run that asks to open the addresses of a `UrlRequired` has no journal: another process starts the tool again.
    const journal = this.#journal?.entries ?? (this.isDurable ? [] : undefined);
    return { progress, journal, process: journal === undefined ? this.#context.runs?.process : undefined };
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets"> {
    const recorded = this.#recorded;
    this.#recorded = undefined;
    const { runId, attempt } = this.#call;
    const isDurable = definition.durable === true;
    this.isDurable ||= isDurable;
    const trace = attempt?.meta.trace;
    // The ask to open URLs has no journal, also in the call of a durable tool.
    this.#journal = undefined;
    if (!isDurable) return { runId, trace };
    const options = this.#durableOptions(definition, recorded);
    this.#journal = options.journal;
    return { ...options, trace };
  }

  onRunStarted(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closed === undefined) return;
    void (this.durable?.outlivesCall === true ? run.detach() : run.close(this.#closed.reason));
  }

  onRunEnded(): void {
    this.questions.closePages();
  }

  async close(reason: unknown): Promise<void> {
    this.#closed = { reason };
    this.questions.close();
    await this.#run?.close(reason);
  }

  /** Leaves the run to other processes. Resolves when the step under way has ended. */
  async detach(options: { readonly continues: boolean }): Promise<void> {
    this.#closed = { reason: undefined };
    this.questions.close();
    if (this.durable === undefined) await this.#run?.detach();
    else await this.durable.detach(this.#run, options);
  }

  /** Drops this copy of a run that another process has continued. */
  async drop(): Promise<void> {
    await this.#run?.detach();
    await this.durable?.releaseAll();
  }

  /**
   * Whether closing the call, which is parked until `until`, closes its body. Before that time other processes can continue a run in
   * the store. After it, some process records the timeout of its questions; where they have no deadline, one process ends the run.
   */
  async canEnd(until: number, { message }: Error): Promise<boolean> {
    if (this.durable === undefined) return true;
    if (this.durable.log.hasDeadline || until > this.settings.clock.now()) return false;
    return this.durable.fail(new RpcError(INVALID_REQUEST, message));
  }

  emit(effect: Emit): void | Promise<void> {
    if (effect.emit === "log") return this.#notify(logFor(effect, this.#logTarget));
    const token = this.#call.attempt?.meta.token;
    if (token === undefined) return undefined;
    this.#progress ??= new ProgressCounter();
    return this.#notify(this.#progress.of(effect, token));
  }

  step(event: StepEvent): void | Promise<void> {
    return this.#notify(stepLogFor(event, this.#logTarget));
  }

  supports(question: OpenQuestion): boolean {
    return this.questions.supports(question);
  }

  askedElsewhereReply(key: string): Reply | undefined {
    return this.questions.askedElsewhereReply(key);
  }

  failureNote(): string | undefined {
    return this.questions.failureNote();
  }

  toProtocolError(error: unknown): RpcError | undefined {
    return asRetryable(error) ?? missingCapability(error, this.questions.lacking, this.canOpenUrlMidCall);
  }

  /**
   * Opens a round in the store, where the store has the run, before the client is asked. Returns a reply that is recorded already, if
   * there is one. Where only this process has the call, the other processes are told that this process is alive.
   */
  openRound(round: Round, until: number): Promise<Replies | undefined> | undefined {
    if (this.durable !== undefined)
      return this.durable.openRound(round, until, { isUnlogged: !this.isLogged });
    if (!this.isDurable) return this.#context.runs?.announceProcess().then(() => undefined);
    return undefined;
  }

  adopt(leased: LeasedLog): void {
    const { runs } = this.#context;
    if (runs === undefined) return;
    this.durable = new DurableCall(leased, runs);
    this.#call.adoptRun(leased.log.run);
  }

  forgetRun(): void {
    this.durable = undefined;
    // The body is not resumed here.
    this.#run = undefined;
  }

  #durableOptions(
    definition: Runnable<never, unknown>,
    recorded: readonly JournalEntry[] | undefined,
  ): Pick<RunOptions, "runId" | "journal" | "secrets"> {
    const { runId } = this.#call;
    const { runs } = this.#context;
    const header = this.#header;
    if (runs === undefined || header === undefined || recorded !== undefined)
      return { runId, journal: memoryJournal(recorded) };
    this.durable ??= new DurableCall({ log: runs.begin(runId, header) }, runs);
    return this.durable.options(definition);
  }

  get #logTarget(): LogTarget {
    return logTargetOf(this.#call.attempt?.meta, this.name);
  }

  #notify(notification: Notification | undefined): void | Promise<void> {
    if (notification !== undefined) return this.#call.attempt?.notify(notification);
  }
}

/** Creates the runner of a call, and its client's side. Throws if the parameters name nothing that can be called. */
export function createRunner(
  call: StatelessCall,
  attempt: RequestAttempt,
  context: ServerContext,
  origin: CallOrigin,
): { readonly runner: CallRunner; readonly clientPort: StatelessClient } {
  const { meta } = attempt;
  // Where `photon_continue` brings the state, its own parameters are not those of the call.
  const method = origin.leased?.log.head.method ?? attempt.method;
  const params = origin.leased?.log.head.params ?? origin.state?.called ?? attempt.params;
  const target = { method, params, meta };
  let clientPort: StatelessClient | undefined;
  const runner = callMethods[method]?.({
    context,
    features: featuresOf(meta.revision),
    params,
    limited: limitedClient(meta),
    clientPort: (name) => (clientPort = new StatelessClient(call, target, context, name, origin)),
  });
  if (runner === undefined || clientPort === undefined) throw methodNotFound(method);
  return { runner, clientPort };
}

function headerOf({ method, params, meta }: CallTarget, { principal, account }: StatelessCall): CallHeader {
  const { client, revision } = meta;
  return {
    method,
    subject: subjectOf(method, params),
    params: ownParams(params),
    principal,
    owner: account.name,
    client,
    revision,
  };
}
