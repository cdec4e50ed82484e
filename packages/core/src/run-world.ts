/**
 * The world of one run: what its host gave it, and what it has gathered.
 *
 * A suspended run is a paused object that may be there for days, among thousands. So what is the same for every run is on
 * the class, and what most runs never need is made when it is needed.
 */
import { begin, explainDivergence } from "./begin.ts";
import { program, type Client } from "./client.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Closing } from "./closing.ts";
import type { Content } from "./content.ts";
import { milliseconds, timeoutMilliseconds } from "./duration.ts";
import type { Artifact, Emit, StepNews, Stream } from "./effects.ts";
import type { Journal, Started } from "./journal.ts";
import { newUuid, nextTurn, type Signal } from "./platform.ts";
import type { Context, Runnable, Trace } from "./runnable.ts";
import { Vault } from "./secret.ts";
import type { RunOptions } from "./start.ts";
import type { World } from "./world.ts";

export class RunWorld implements World {
  readonly runId: string;
  readonly askTimeout: number | undefined;
  readonly started: Started;
  readonly closing: Closing;
  readonly secrets: Vault;
  readonly #definition: Runnable<never, unknown>;
  readonly #options: RunOptions;
  #artifacts: Content[] | undefined;
  #streamed = "";

  constructor(definition: Runnable<never, unknown>, options: RunOptions) {
    const {
      client = program,
      askTimeout = definition.durable === true ? "7d" : "5m",
      grace = "5s",
    } = options;
    this.runId = options.runId ?? newUuid();
    this.#definition = definition;
    this.#options = options;
    const graceTime = milliseconds(grace, "The grace of a run");
    this.started = begin(definition, client, options.journal);
    this.closing = new Closing(this.clock, graceTime);
    this.secrets = options.secrets ?? new Vault();
    this.askTimeout = timeoutMilliseconds(askTimeout, "The askTimeout of a run");
  }

  get clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  get journal(): Journal | undefined {
    return this.#options.journal;
  }

  /** What was emitted to join the result. */
  get artifacts(): readonly Content[] {
    return this.#artifacts ?? [];
  }

  get streamed(): string {
    return this.#streamed;
  }

  /** What the body is given of it. */
  get context(): Context {
    return new RunContext(this, this.#options);
  }

  emit(effect: Emit): void | Promise<void> {
    return this.#options.emit?.(effect);
  }

  async tellStep(news: StepNews): Promise<void> {
    try {
      await this.#options.step?.(news);
    } catch (error) {
      this.report(error);
    }
  }

  gather(effect: Artifact | Stream): void {
    if (effect.emit === "stream") this.#streamed += effect.text;
    else (this.#artifacts ??= []).push(effect.content);
  }

  report(error: unknown): void {
    try {
      this.#options.report?.(this.secrets.redactError(error));
    } catch {
      // Whoever is told of failures has one of their own; nobody is left to be told.
    }
  }

  explain(): string {
    return explainDivergence(this.#definition, this.journal);
  }

  breathe(): Promise<void> {
    return nextTurn();
  }

  now(): number {
    return this.clock.now();
  }

  random(): number {
    return this.#options.random?.() ?? Math.random();
  }

  uuid(): string {
    return this.#options.uuid?.() ?? newUuid();
  }
}

class RunContext implements Context {
  readonly runId: string;
  readonly client: Client;
  declare readonly trace?: Trace;
  readonly #closing: Closing;

  constructor({ runId, started, closing }: RunWorld, { client = program, trace }: RunOptions) {
    const { can } = started.start;
    this.runId = runId;
    // As it was at first: a body must not see its client change.
    this.client = client.can === can ? client : { ...client, can };
    if (trace !== undefined) this.trace = trace;
    this.#closing = closing;
  }

  /** Made when a body first asks for it; most never do. */
  get signal(): Signal {
    return this.#closing.signal;
  }
}
