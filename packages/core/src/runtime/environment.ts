/** Everything outside of the body, as the interpreter sees it. Each part has a default, so that a test names only its own. */
import { Cancellation } from "./cancellation.ts";
import type { Artifact, Emit, StepEvent, Stream } from "../effects.ts";
import type { Journal, Started } from "./journal.ts";
import { newUuid, nextMacrotask, type Signal, notifySafely } from "../util/platform.ts";
import { SecretRedactor } from "../secrets.ts";
import { type Client, inProcessClient } from "../client.ts";
import {
  type Clock,
  type Duration,
  milliseconds,
  systemClock,
  type Timeout,
  timeoutMilliseconds,
} from "../util/time.ts";
import type { Content } from "../content.ts";
import { type Context, nameOf, type Runnable, subjectOf, type Trace } from "../definitions/definition.ts";
import { omitUndefined, digest } from "../util/json.ts";
import { MissingCapabilities, ToolVersionChanged } from "../errors.ts";
import type { Answerer, AutoAnswer } from "./answerers.ts";

export interface RunEnvironment {
  /** The run's id: part of every idempotency key. */
  readonly runId: string;
  /** Shows an emit. The next effect waits for it. */
  readonly emit: (effect: Emit) => void | Promise<void>;
  /** Hears of a step as it is done. The step waits for it. */
  readonly onStep: (news: StepEvent) => void | Promise<void>;
  /** Takes what becomes part of the result; also on replay, where nothing is shown again. */
  readonly collectOutput: (effect: Artifact | Stream) => void;
  /** Hears of failures that are nobody's answer: a `finally` that threw, an emit that could not be shown. */
  readonly report: (error: unknown) => void;
  /** How long a question stays open that does not say; nothing: until it is answered. */
  readonly askTimeout: number | undefined;
  readonly journal: Journal | undefined;
  /** What the journal begins with. */
  readonly started: Started | undefined;
  /** Added to the message of a divergence. */
  readonly explainDivergence: () => string;
  readonly closing: Cancellation;
  readonly secrets: SecretRedactor;
  /** Lets everything else that waits to be done have its turn. */
  readonly yieldToEventLoop: () => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly uuid: () => string;
}

const FIVE_MINUTES = 300_000;

/** A world in which nobody watches and nothing is kept. */
export function testEnvironment(given: Partial<RunEnvironment> = {}): RunEnvironment {
  return {
    runId: given.runId ?? newUuid(),
    emit: () => {},
    onStep: () => {},
    collectOutput: () => {},
    report: () => {},
    askTimeout: FIVE_MINUTES,
    journal: undefined,
    started: undefined,
    explainDivergence: () => "",
    closing: given.closing ?? new Cancellation(),
    secrets: given.secrets ?? new SecretRedactor(),
    yieldToEventLoop: () => Promise.resolve(),
    now: () => Date.now(),
    random: () => Math.random(),
    uuid: newUuid,
    ...given,
  };
}

/**
 * The world of one run: what its host gave it, and what it has gathered.
 *
 * A suspended run is a paused object that may be there for days, among thousands. So what is the same for every run is on
 * the class, and what most runs never need is made when it is needed.
 */

const FIVE_SECONDS = 5000;
const SEVEN_DAYS = 604_800_000;

export class LiveEnvironment implements RunEnvironment {
  readonly askTimeout: number | undefined;
  readonly started: Started | undefined;
  readonly closing: Cancellation;
  readonly secrets: SecretRedactor;
  readonly #definition: Runnable<never, unknown>;
  readonly #options: RunOptions;
  #runId: string | undefined;
  #artifacts: Content[] | undefined;
  #streamed = "";

  constructor(definition: Runnable<never, unknown>, options: RunOptions) {
    const {
      client = inProcessClient,
      askTimeout = definition.durable === true ? SEVEN_DAYS : FIVE_MINUTES,
      grace = FIVE_SECONDS,
    } = options;
    this.#definition = definition;
    this.#options = options;
    const graceTime = milliseconds(grace, "The grace of a run");
    this.started = startEntry(definition, client, options.journal);
    this.closing = new Cancellation(this.clock, graceTime);
    this.secrets = options.secrets ?? new SecretRedactor();
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

  onStep(news: StepEvent): Promise<void> | undefined {
    return notifySafely(
      () => this.#options.step?.(news),
      (error) => this.report(error),
    );
  }

  collectOutput(effect: Artifact | Stream): void {
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

  explainDivergence(): string {
    return explainDivergence(this.#definition, this.journal);
  }

  yieldToEventLoop(): Promise<void> {
    return nextMacrotask();
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
  readonly #world: LiveEnvironment;

  constructor(world: LiveEnvironment, { client = inProcessClient, trace }: RunOptions) {
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

type Definition = Runnable<never, unknown>;

/**
 * How a run begins, or began: what its journal says first, where it has one.
 *
 * A changed version is noticed here, before anything runs; so is a client that
 * cannot do what the tool needs. What the client can do is what it could at first.
 */
function startEntry(
  definition: Definition,
  client: Client,
  journal: Journal | undefined,
): Started | undefined {
  const began = recordedStart(journal);
  if (began !== undefined) {
    const { version } = began.start;
    if (version !== definition.version)
      throw new ToolVersionChanged(nameOf(definition), version, definition.version);
    return began;
  }
  const missing = definition.needs?.filter((need) => !client.can[need]) ?? [];
  if (missing.length > 0) throw new MissingCapabilities(subjectOf(definition), missing);
  const { version } = definition;
  if (journal === undefined) return undefined;
  return { start: { can: { ...client.can }, ...omitUndefined({ version, source: sourceOf(definition) }) } };
}

/** What may have led to a divergence, where the source shows it. */
function explainDivergence(definition: Definition, journal: Journal | undefined): string {
  const source = recordedStart(journal)?.start.source;
  if (source === undefined) return "";
  return source === sourceOf(definition)
    ? " Its source is the same as when the run began: what it asks must depend on its input, its answers and its steps only."
    : " Its source has changed since the run began; give the tool a version to have that noticed at once.";
}

function recordedStart(journal: Journal | undefined): Started | undefined {
  const first = journal?.entries[0];
  return first !== undefined && "start" in first ? first : undefined;
}

const sources = new WeakMap<Definition["run"], string>();

/** A digest of a body's source, made once. */
function sourceOf({ run }: Definition): string {
  const source = sources.get(run) ?? digest(String(run));
  sources.set(run, source);
  return source;
}

/** What a host gives a run. Everything has a default. */
export interface RunOptions {
  /** The same again when the run is replayed. */
  readonly runId?: string | undefined;
  readonly emit?: (effect: Emit) => void | Promise<void>;
  /** Hears of steps as they are done; not of those that a replay gives back. */
  readonly step?: (news: StepEvent) => void | Promise<void>;
  readonly client?: Client;
  readonly trace?: Trace | undefined;
  readonly answerers?: readonly Answerer[];
  /** Hears what became of a question that the host was not asked: what an answerer has said, or that it expired meanwhile. */
  readonly answered?: (early: AutoAnswer) => void;
  /** Where the run is recorded, and what it is replayed from. */
  readonly journal?: Journal | undefined;
  /** The secrets of this run, where they outlive it. */
  readonly secrets?: SecretRedactor;
  /** How long a question stays open that does not say: 5 minutes, 7 days for durable tools. */
  readonly askTimeout?: Timeout | undefined;
  /** How long a closed body may take to end: 5 seconds. */
  readonly grace?: Duration | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly uuid?: () => string;
  /** Hears of failures that are nobody's answer. */
  readonly report?: (error: unknown) => void;
}
