/**
 * The world of one run: what its host gave it, and what it has gathered.
 *
 * A suspended run is a paused object that may be there for days, among thousands. So what is the same for every run is on
 * the class, and what most runs never need is made when it is needed.
 */
import { begin, explainDivergence } from "./begin.ts";
import { program, type Client } from "./client.ts";
import { type Clock, milliseconds, systemClock, timeoutMilliseconds } from "./util/time.ts";
import { Closing } from "./closing.ts";
import type { Content } from "./content.ts";
import type { Artifact, Emit, StepNews, Stream } from "./effects.ts";
import type { Journal, Started } from "./journal.ts";
import { newUuid, nextTurn, type Signal, tellWatcher } from "./util/platform.ts";
import type { Context, Runnable, Trace } from "./definitions/definition.ts";
import { Vault } from "./secrets.ts";
import type { RunOptions } from "./start.ts";
import { FIVE_MINUTES, type World } from "./world.ts";

const FIVE_SECONDS = 5000;
const SEVEN_DAYS = 604_800_000;

export class RunWorld implements World {
  readonly askTimeout: number | undefined;
  readonly started: Started | undefined;
  readonly closing: Closing;
  readonly secrets: Vault;
  readonly #definition: Runnable<never, unknown>;
  readonly #options: RunOptions;
  #runId: string | undefined;
  #artifacts: Content[] | undefined;
  #streamed = "";

  constructor(definition: Runnable<never, unknown>, options: RunOptions) {
    const {
      client = program,
      askTimeout = definition.durable === true ? SEVEN_DAYS : FIVE_MINUTES,
      grace = FIVE_SECONDS,
    } = options;
    this.#definition = definition;
    this.#options = options;
    const graceTime = milliseconds(grace, "The grace of a run");
    this.started = begin(definition, client, options.journal);
    this.closing = new Closing(this.clock, graceTime);
    this.secrets = options.secrets ?? new Vault();
    this.askTimeout = timeoutMilliseconds(askTimeout, "The askTimeout of a run");
  }

  /** Made when somebody asks for it: most runs end without being called anything. */
  get runId(): string {
    this.#runId ??= this.#options.runId ?? newUuid();
    return this.#runId;
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

  tellStep(news: StepNews): Promise<void> | undefined {
    return tellWatcher(
      () => this.#options.step?.(news),
      (error) => this.report(error),
    );
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
  readonly client: Client;
  declare readonly trace?: Trace;
  readonly #world: RunWorld;

  constructor(world: RunWorld, { client = program, trace }: RunOptions) {
    const { started } = world;
    // As it was at first: a body must not see its client change.
    this.client = started === undefined ? client : { ...client, can: started.start.can };
    if (trace !== undefined) this.trace = trace;
    this.#world = world;
  }

  get runId(): string {
    return this.#world.runId;
  }

  /** Made when a body first asks for it; most never do. */
  get signal(): Signal {
    return this.#world.closing.signal;
  }
}
