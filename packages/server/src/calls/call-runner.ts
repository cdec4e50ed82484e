/**
 * Runs one call round by round: checks the input, runs the body, formats the result.
 *
 * It is the same for tools, prompts and resources, and for every revision. Between two rounds it is a paused object: nothing waits
 * inside of it.
 *
 *   1. A body that requires the user to visit a web address starts again after the visit.
 *   2. Errors are converted by kind: tools return an `isError` result; prompts and resources throw a JSON-RPC error.
 */
import {
  type AutoAnswer,
  type Answerer,
  ask,
  type Client,
  type Clock,
  type Duration,
  type Emit,
  type RunCompleted,
  type Journal,
  type Replies,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  startRun,
  type StepEvent,
  type Timeout,
  type Trace,
  type RunStep,
  UrlRequired,
  type SecretRedactor,
} from "@photon/core";
import { Auditor } from "../audit.ts";
import type { ClientPort } from "./client-port.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";

/** What a call has come to: something to ask, or its result. */
export type CallProgress = { readonly round: Round } | { readonly result: JsonObject };

export interface CallRunner {
  /** Runs the body until it asks, or to its end. */
  next(replies?: Replies): Promise<CallProgress>;
  /** It is given up where it is. Settles when the body has ended. */
  close(): Promise<void>;
  /** Stops without closing the body: the run has not ended. */
  detach(): Promise<void>;
}

/** What is done before and after the run of something, by what it is. */
export interface DefinitionKind<Definition, Given, Input, Result> {
  /** The input of the body. */
  parseInput(definition: Definition, given: Given): Input | Promise<Input>;
  /** What the body returned, as the client is told. */
  formatResult(
    ended: RunCompleted<Result>,
    definition: Definition,
    given: Given,
    clientPort: ClientPort,
  ): JsonObject | Promise<JsonObject>;
  /** What the client is told of an error. Throws where no result says it. */
  formatError(error: unknown, clientPort: ClientPort): JsonObject;
}

/** The question whether the user opens the addresses that a body requires first. */
interface UrlPrerequisite {
  readonly demand: UrlRequired;
  readonly run: Run<boolean>;
}

export class DefinitionRunner<
  Definition extends Runnable<Input, Result>,
  Given,
  Input,
  Result,
> implements CallRunner {
  readonly #kind: DefinitionKind<Definition, Given, Input, Result>;
  readonly #definition: Definition;
  readonly #given: Given;
  readonly #clientPort: ClientPort;
  #run: Run<Result> | undefined;
  #visit: UrlPrerequisite | undefined;
  #auditor: Auditor | undefined;
  /** What was asked last, where it is audited. */
  #round: Round | undefined;

  /** Nothing happens before its first `next()`. */
  constructor(
    kind: DefinitionKind<Definition, Given, Input, Result>,
    definition: Definition,
    given: Given,
    clientPort: ClientPort,
  ) {
    this.#kind = kind;
    this.#definition = definition;
    this.#given = given;
    this.#clientPort = clientPort;
  }

  async next(replies?: Replies): Promise<CallProgress> {
    if (this.#visit !== undefined) return this.#continueUrlVisit(this.#visit, replies);
    try {
      this.#run ??= this.#start(this.#definition, await this.#kind.parseInput(this.#definition, this.#given));
      this.#hear(this.#run, replies);
      const turn = this.#reached(await this.#run.next(replies));
      if (!turn.done) return { round: turn.round };
      return { result: await this.#kind.formatResult(turn, this.#definition, this.#given, this.#clientPort) };
    } catch (error) {
      return error instanceof UrlRequired && this.#clientPort.canOpenUrlMidCall
        ? this.#sendTo(error)
        : this.#failed(error);
    }
  }

  async close(): Promise<void> {
    await (this.#visit?.run ?? this.#run)?.close();
    this.#clientPort.onRunEnded?.();
  }

  async detach(): Promise<void> {
    await (this.#visit?.run ?? this.#run)?.detach();
  }

  /** Asks the user to open the addresses that the body requires first. */
  #sendTo(demand: UrlRequired): Promise<CallProgress> {
    this.#clientPort.onRunEnded?.();
    this.#run = undefined;
    this.#visit = { demand, run: this.#start(askToOpenUrl(demand), undefined as never) };
    return this.#continueUrlVisit(this.#visit);
  }

  async #continueUrlVisit({ demand, run }: UrlPrerequisite, replies?: Replies): Promise<CallProgress> {
    let hasBeen: boolean;
    try {
      this.#hear(run, replies);
      const turn = this.#reached(await run.next(replies));
      if (!turn.done) return { round: turn.round };
      hasBeen = turn.value;
    } catch (error) {
      return this.#failed(error);
    }
    this.#visit = undefined;
    return hasBeen ? this.next() : this.#failed(demand);
  }

  #failed(error: unknown): CallProgress {
    const clientPort = this.#clientPort;
    clientPort.onRunEnded?.();
    return { result: this.#kind.formatError(clientPort.toProtocolError(error) ?? error, clientPort) };
  }

  /** Audits what was replied to the last round. A run that is not audited may never need its id. */
  #hear(run: Run<unknown>, replies?: Replies): void {
    if (this.#round !== undefined && replies !== undefined)
      this.#auditor?.recordReplies(run.id, this.#round, replies, this.#clientPort.via);
    this.#round = undefined;
  }

  #reached<Returned>(turn: RunStep<Returned>): RunStep<Returned> {
    if (turn.done) this.#clientPort.onRunEnded?.();
    else if (this.#auditor !== undefined) this.#round = turn.round;
    return turn;
  }

  #start<Needed, Returned>(definition: Runnable<Needed, Returned>, input: Needed): Run<Returned> {
    const { settings, principal, client } = this.#clientPort;
    const { audit, clock } = settings;
    this.#auditor =
      audit && new Auditor(audit, { tool: definition.name ?? "", input, principal, client, clock });
    const run = startRun(
      definition,
      input,
      new RunOptionsForCall(definition, this.#clientPort, this.#auditor),
    );
    this.#clientPort.onRunStarted(run);
    return run;
  }
}

/** Asks a person to go where they are needed first; whether they will. */
function askToOpenUrl({ urls }: UrlRequired): Runnable<never, boolean> {
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

/** What the run of a call is started with. It is there for as long as the run, so it holds next to nothing of its own. */
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

  get grace(): Duration {
    return this.#clientPort.settings.grace;
  }

  onAnswered(early: AutoAnswer): void {
    this.#auditor?.recordAutoAnswer(early);
  }

  emit(effect: Emit): void | Promise<void> {
    if (effect.emit === "log") this.#clientPort.settings.log?.(effect, this.#definition.name ?? "");
    return this.#clientPort.emit(effect);
  }

  onStep(news: StepEvent): void | Promise<void> {
    return this.#clientPort.step(news);
  }

  report(error: unknown): void {
    this.#clientPort.settings.report(error);
  }
}
