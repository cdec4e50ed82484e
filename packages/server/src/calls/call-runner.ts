/**
 * Runs one call of a tool, prompt or resource, round by round: parses the input, runs the body, formats the result. The same for every
 * revision. Between two rounds a runner is a paused object, without promises; `next` continues it with replies (accept, decline …).
 * `driveCall` runs a call from round to round: on a session, over several requests, and without a client. They differ in how they ask.
 *
 *   1. A body that requires the user to open a web address starts again once they have opened it.
 *   2. Errors are converted by kind: tools return an `isError` result; prompts and resources throw a JSON-RPC error.
 */
import {
  type AutoAnswer,
  type Answerer,
  ask,
  AskError,
  type Client,
  type Clock,
  type Emit,
  errorResult,
  InvalidAnswer,
  InvalidInput,
  InvalidOutput,
  type Journal,
  parseArguments,
  parseInput,
  PhotonError,
  type Prompt,
  type PromptResult,
  type Replies,
  type Resource,
  type ResourceResult,
  resultOf,
  type Round,
  type Run,
  type RunCompleted,
  type Runnable,
  type RunOptions,
  type RunStep,
  type Schema,
  type SecretRedactor,
  startRun,
  type StepEvent,
  type Timeout,
  type Tool,
  type Trace,
  UrlRequired,
} from "@photon/core";
import { Auditor } from "../audit.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import { promptResultOf, resourceResultOf, toolResultOf } from "../protocol/results.ts";
import type { ClientPort } from "./client-port.ts";

/** A call asks a round of questions, or has a result. */
export type CallProgress = { readonly round: Round } | { readonly result: JsonObject };

export interface CallRunner {
  /** Runs the body until it asks, or to its end. `replies`: to the last round. */
  next(replies?: Replies): Promise<CallProgress>;
  /** Closes the body. Resolves when it has ended. */
  close(): Promise<void>;
  /** Stops without closing the body: the run has not ended. */
  detach(): Promise<void>;
}

/** Asks a round. Undefined: the replies come later, and another `driveCall` continues with them. */
type AskRound = (round: Round) => Replies | undefined | Promise<Replies | undefined>;

/** The run of a durable call, as `DurableCall` keeps it in the store. */
interface StoredRun {
  acquire(): Promise<void>;
  end(ending: { readonly result: JsonObject }): Promise<void>;
}

/** Runs a call until it ends. Resolves to undefined if it waits for replies that come later. */
export async function driveCall(
  runner: CallRunner,
  clientPort: { readonly durable?: StoredRun | undefined } | undefined,
  askRound: AskRound,
  replies?: Replies,
): Promise<JsonObject | undefined> {
  if (clientPort?.durable !== undefined) await clientPort.durable.acquire();
  let progress = await runner.next(replies);
  while ("round" in progress) {
    const asking = askRound(progress.round);
    // Does not await a reply that is available: an await would slow down plain calls.
    const replied = asking instanceof Promise ? await asking : asking;
    if (replied === undefined) return undefined;
    progress = await runner.next(replied);
  }
  const { result } = progress;
  if (clientPort?.durable !== undefined) await clientPort.durable.end({ result });
  return result;
}

/** A separate run that asks the user to open the web addresses that a body requires. */
interface UrlAskRun {
  readonly error: UrlRequired;
  readonly run: Run<boolean>;
}

abstract class DefinitionRunner<
  Definition extends Runnable<never, Result>,
  Given,
  Result,
> implements CallRunner {
  protected readonly definition: Definition;
  protected readonly given: Given;
  protected readonly clientPort: ClientPort;
  #run: Run<Result> | undefined;
  #urlAskRun: UrlAskRun | undefined;
  #auditor: Auditor | undefined;
  /** The open round, if replies are audited. */
  #round: Round | undefined;

  constructor(definition: Definition, given: Given, clientPort: ClientPort) {
    this.definition = definition;
    this.given = given;
    this.clientPort = clientPort;
  }

  protected abstract parseInput(): Promise<never>;
  protected abstract formatResult(completed: RunCompleted<Result>): JsonObject | Promise<JsonObject>;

  /**
   * Throws: only the result of a tool has a place for an error. The sentences of Photon's own errors are for the client; other errors
   * are only reported.
   */
  protected formatError(error: unknown): JsonObject {
    const isForClient = error instanceof PhotonError && !(error instanceof InvalidOutput);
    throw isForClient ? new RpcError(INTERNAL_ERROR, error.message) : error;
  }

  async next(replies?: Replies): Promise<CallProgress> {
    if (this.#urlAskRun !== undefined) return this.#continueUrlAsk(this.#urlAskRun, replies);
    try {
      this.#run ??= this.#start(this.definition, await this.parseInput());
      this.#auditReplies(this.#run, replies);
      const step = this.#onStep(await this.#run.next(replies));
      if (!step.done) return { round: step.round };
      return { result: await this.formatResult(step) };
    } catch (error) {
      return error instanceof UrlRequired && this.clientPort.canOpenUrlMidCall
        ? this.#startUrlAsk(error)
        : this.#fail(error);
    }
  }

  async close(): Promise<void> {
    await (this.#urlAskRun?.run ?? this.#run)?.close();
    this.clientPort.onRunEnded?.();
  }

  async detach(): Promise<void> {
    await (this.#urlAskRun?.run ?? this.#run)?.detach();
  }

  #startUrlAsk(error: UrlRequired): Promise<CallProgress> {
    this.clientPort.onRunEnded?.();
    this.#run = undefined;
    this.#urlAskRun = { error, run: this.#start(askToOpenUrls(error), undefined as never) };
    return this.#continueUrlAsk(this.#urlAskRun);
  }

  /** Once the user has opened the addresses, the body starts again. */
  async #continueUrlAsk({ error, run }: UrlAskRun, replies?: Replies): Promise<CallProgress> {
    let hasOpenedUrls: boolean;
    try {
      this.#auditReplies(run, replies);
      const step = this.#onStep(await run.next(replies));
      if (!step.done) return { round: step.round };
      hasOpenedUrls = step.value;
    } catch (failure) {
      return this.#fail(failure);
    }
    this.#urlAskRun = undefined;
    return hasOpenedUrls ? this.next() : this.#fail(error);
  }

  #fail(error: unknown): CallProgress {
    this.clientPort.onRunEnded?.();
    return { result: this.formatError(this.clientPort.toProtocolError(error) ?? error) };
  }

  #auditReplies(run: Run<unknown>, replies: Replies | undefined): void {
    if (this.#round !== undefined && replies !== undefined)
      this.#auditor?.recordReplies(run.id, this.#round, replies, this.clientPort.via);
    this.#round = undefined;
  }

  #onStep<Returned>(step: RunStep<Returned>): RunStep<Returned> {
    if (step.done) this.clientPort.onRunEnded?.();
    else if (this.#auditor !== undefined) this.#round = step.round;
    return step;
  }

  #start<Needed, Returned>(definition: Runnable<Needed, Returned>, input: Needed): Run<Returned> {
    const { settings, principal, client } = this.clientPort;
    const { audit, clock } = settings;
    this.#auditor =
      audit && new Auditor(audit, { tool: definition.name ?? "", input, principal, client, clock });
    const run = startRun(
      definition,
      input,
      new RunOptionsForCall(definition, this.clientPort, this.#auditor),
    );
    this.clientPort.onRunStarted(run);
    return run;
  }
}

export class ToolRunner extends DefinitionRunner<Tool<never>, unknown, unknown> {
  protected override parseInput(): Promise<never> {
    // Some clients send a parameter of their own to a tool without input.
    const isIgnored = isRecord(this.given) && hasNoInput(this.definition.input);
    return parseInput(this.definition, isIgnored ? {} : (this.given ?? {}));
  }

  protected override async formatResult(completed: RunCompleted<unknown>): Promise<JsonObject> {
    return toolResultOf(await resultOf(this.definition, completed), this.clientPort.features);
  }

  protected override formatError(error: unknown): JsonObject {
    const { settings, features } = this.clientPort;
    if (error instanceof RpcError) throw error;
    // An error of the tool's own: its author needs the stack.
    if (!(error instanceof PhotonError)) settings.report(error);
    const result = errorResult(error);
    // The model should know that the client may not have shown the question.
    const isUnanswered = error instanceof AskError && !(error instanceof InvalidAnswer);
    const note = isUnanswered ? this.clientPort.failureNote?.() : undefined;
    const content = note === undefined ? [] : [{ type: "text", text: note } as const];
    return toolResultOf({ ...result, content: [...result.content, ...content] }, features);
  }
}

function hasNoInput({ json, standard }: Schema): boolean {
  const { properties = {}, additionalProperties, patternProperties } = json;
  const isClosed = additionalProperties === false && patternProperties === undefined;
  return standard === undefined && isClosed && Object.keys(properties).length === 0;
}

export class PromptRunner extends DefinitionRunner<Prompt<never>, unknown, PromptResult> {
  protected override async parseInput(): Promise<never> {
    try {
      return parseArguments(this.definition, this.given ?? {});
    } catch (error) {
      throw error instanceof InvalidInput ? new RpcError(INVALID_PARAMS, error.message) : error;
    }
  }

  protected override formatResult({ value }: RunCompleted<PromptResult>): JsonObject {
    return promptResultOf(value, this.definition, this.clientPort.features);
  }
}

/** The address of a resource, and the variables of its template. */
interface ResourceLocation {
  readonly uri: string;
  readonly variables: object;
}

export class ResourceRunner extends DefinitionRunner<Resource<never>, ResourceLocation, ResourceResult> {
  protected override async parseInput(): Promise<never> {
    // The resource's own template has parsed them; the type of a resource does not name them.
    return this.given.variables as never;
  }

  protected override formatResult({ value }: RunCompleted<ResourceResult>): JsonObject {
    return resourceResultOf(value, this.given.uri, this.definition);
  }
}

/** A body that asks the user to open addresses, and returns whether they agree. */
function askToOpenUrls({ urls }: UrlRequired): Runnable<never, boolean> {
  const asks = Object.fromEntries(
    urls.map(({ message, url }, index) => [`url-${index + 1}`, ask.url(message, url)]),
  );
  return {
    async *run() {
      const { action } = yield* ask.outcome(ask.all(asks));
      return action === "accept";
    },
  };
}

/** The options of a call's run. The run retains them, so most of them are getters. */
class RunOptionsForCall implements RunOptions {
  readonly runId: string | undefined;
  readonly journal: Journal | undefined;
  readonly trace: Trace | undefined;
  declare readonly secrets?: SecretRedactor;
  readonly #definition: Runnable<never, unknown>;
  readonly #clientPort: ClientPort;
  readonly #auditor: Auditor | undefined;

  constructor(definition: Runnable<never, unknown>, clientPort: ClientPort, auditor: Auditor | undefined) {
    const { runId, journal, trace, secrets } = clientPort.options(definition);
    this.runId = runId;
    this.journal = journal;
    this.trace = trace;
    if (secrets !== undefined) this.secrets = secrets;
    this.#definition = definition;
    this.#clientPort = clientPort;
    this.#auditor = auditor;
  }

  get answerers(): readonly Answerer[] {
    return this.#clientPort.settings.answerers;
  }

  get client(): Client {
    return this.#clientPort.client;
  }

  get clock(): Clock {
    return this.#clientPort.settings.clock;
  }

  get askTimeout(): Timeout | undefined {
    return this.#clientPort.settings.askTimeout;
  }

  get grace(): number {
    return this.#clientPort.settings.grace;
  }

  onAnswered(answer: AutoAnswer): void {
    this.#auditor?.recordAutoAnswer(answer);
  }

  emit(effect: Emit): void | Promise<void> {
    if (effect.emit === "log") this.#clientPort.settings.log?.(effect, this.#definition.name ?? "");
    return this.#clientPort.emit(effect);
  }

  onStep(event: StepEvent): void | Promise<void> {
    return this.#clientPort.step(event);
  }

  report(error: unknown): void {
    this.#clientPort.settings.report(error);
  }
}
