/**
 * What the interpreter uses of the world outside the body: the host's callbacks, the clock, the journal, defaults.
 *
 * A suspended run may be retained for days, among thousands. So what is the same for every run is on the class, and what most
 * runs never need is created when it is first read.
 */
import { Cancellation } from "./cancellation.ts";
import type { Artifact, Emit, StepEvent, Stream } from "../effects.ts";
import type { Journal, StartEntry } from "./journal.ts";
import { randomUuid, nextMacrotask, type Signal, notifySafely } from "../util/platform.ts";
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
import {
  type Context,
  definitionName,
  type Runnable,
  subjectOf,
  type Trace,
} from "../definitions/definition.ts";
import { omitUndefined, digest } from "../util/json.ts";
import { MissingCapabilities, ToolVersionChanged } from "../errors.ts";
import type { Answerer, AutoAnswer } from "./answerers.ts";

export interface RunEnvironment {
  /** The run's id: part of every idempotency key. */
  readonly runId: string;
  /** Shows an emit. The body is resumed when it resolves. */
  readonly emit: (effect: Emit) => void | Promise<void>;
  /** Called when a step begins and ends. The step waits for it. */
  readonly onStep: (event: StepEvent) => void | Promise<void>;
  /** Collects what becomes part of the result; also on replay, where nothing is shown again. */
  readonly collectOutput: (effect: Artifact | Stream) => void;
  /** Reports errors that no caller gets: a `finally` block that threw, an emit that could not be shown. */
  readonly report: (error: unknown) => void;
  /** The default timeout of questions, in milliseconds; undefined: they stay open until they are answered. */
  readonly askTimeout: number | undefined;
  readonly journal: Journal | undefined;
  /** The first entry of the journal. */
  readonly started: StartEntry | undefined;
  /** Added to the message of `ReplayDiverged`. */
  readonly explainDivergence: () => string;
  readonly cancellation: Cancellation;
  readonly secrets: SecretRedactor;
  readonly yieldToEventLoop: () => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly uuid: () => string;
}

/** What a host gives a run. Everything has a default. */
export interface RunOptions {
  /** Give the same id when the run is replayed. */
  readonly runId?: string | undefined;
  readonly emit?: (effect: Emit) => void | Promise<void>;
  /** Called when a step begins and ends; not for steps whose result comes from the journal. */
  readonly onStep?: (event: StepEvent) => void | Promise<void>;
  readonly client?: Client;
  readonly trace?: Trace | undefined;
  readonly answerers?: readonly Answerer[];
  /** Called for questions that the host is not asked: an answerer replied, or the question timed out meanwhile. */
  readonly onAnswered?: (answer: AutoAnswer) => void;
  /** The run is recorded in it, and replayed from it. */
  readonly journal?: Journal | undefined;
  /** The secrets of this run, where they outlive it. */
  readonly secrets?: SecretRedactor;
  /** The default timeout of questions: 5 minutes, 7 days for durable tools. */
  readonly askTimeout?: Timeout | undefined;
  /** How long a closed body may take to end: 5 seconds. */
  readonly grace?: Duration | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly uuid?: () => string;
  /** Called with errors that no caller gets: a `finally` block that threw, an emit that could not be shown. */
  readonly report?: (error: unknown) => void;
}

const ASK_TIMEOUT_MS = 300_000;
const DURABLE_ASK_TIMEOUT_MS = 604_800_000;
const GRACE_MS = 5000;

/** Adds defaults: nothing is shown, and there is no journal. */
export function completeEnvironment(given: Partial<RunEnvironment> = {}): RunEnvironment {
  return {
    runId: given.runId ?? randomUuid(),
    emit: () => {},
    onStep: () => {},
    collectOutput: () => {},
    report: () => {},
    askTimeout: ASK_TIMEOUT_MS,
    journal: undefined,
    started: undefined,
    explainDivergence: () => "",
    cancellation: given.cancellation ?? new Cancellation(),
    secrets: given.secrets ?? new SecretRedactor(),
    yieldToEventLoop: () => Promise.resolve(),
    now: () => Date.now(),
    random: () => Math.random(),
    uuid: randomUuid,
    ...given,
  };
}

/** The environment of a run that a host started. */
export class HostEnvironment implements RunEnvironment {
  readonly askTimeout: number | undefined;
  readonly started: StartEntry | undefined;
  readonly cancellation: Cancellation;
  readonly secrets: SecretRedactor;
  readonly #definition: Definition;
  readonly #options: RunOptions;
  #runId: string | undefined;
  #artifacts: Content[] | undefined;
  #streamed = "";

  constructor(definition: Definition, options: RunOptions) {
    const {
      client = inProcessClient,
      askTimeout = definition.durable === true ? DURABLE_ASK_TIMEOUT_MS : ASK_TIMEOUT_MS,
      grace = GRACE_MS,
    } = options;
    this.#definition = definition;
    this.#options = options;
    const graceMs = milliseconds(grace, "The grace of a run");
    this.started = startEntry(definition, client, options.journal);
    this.cancellation = new Cancellation(this.clock, graceMs);
    this.secrets = options.secrets ?? new SecretRedactor();
    this.askTimeout = timeoutMilliseconds(askTimeout, "The askTimeout of a run");
  }

  get runId(): string {
    this.#runId ??= this.#options.runId ?? randomUuid();
    return this.#runId;
  }

  get clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  get journal(): Journal | undefined {
    return this.#options.journal;
  }

  get artifacts(): readonly Content[] {
    return this.#artifacts ?? [];
  }

  get streamed(): string {
    return this.#streamed;
  }

  get context(): Context {
    return new RunContext(this, this.#options);
  }

  emit(effect: Emit): void | Promise<void> {
    return this.#options.emit?.(effect);
  }

  onStep(event: StepEvent): Promise<void> | undefined {
    return notifySafely(
      () => this.#options.onStep?.(event),
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
      // An error of the error handler: there is no other to report it to.
    }
  }

  explainDivergence(): string {
    const source = recordedStart(this.journal)?.start.source;
    if (source === undefined) return "";
    return source === sourceDigest(this.#definition)
      ? " Its source is the same as when the run began: what it asks must depend on its input, its answers and its steps only."
      : " Its source has changed since the run began; give the tool a version, so that a change is detected before the run continues.";
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
    return this.#options.uuid?.() ?? randomUuid();
  }
}

class RunContext implements Context {
  readonly client: Client;
  declare readonly trace?: Trace;
  readonly #environment: HostEnvironment;

  constructor(environment: HostEnvironment, { client = inProcessClient, trace }: RunOptions) {
    const { started } = environment;
    // The capabilities of the first start: a replayed body must see the same ones.
    this.client = started === undefined ? client : { ...client, can: started.start.can };
    if (trace !== undefined) this.trace = trace;
    this.#environment = environment;
  }

  get runId(): string {
    return this.#environment.runId;
  }

  get signal(): Signal {
    return this.#environment.cancellation.signal;
  }
}

type Definition = Runnable<never, unknown>;

/**
 * The first entry of a run's journal, recorded or new. Throws, before the body starts, if the tool's version is another than
 * the recorded one, or if the client lacks a capability that the tool needs.
 */
function startEntry(
  definition: Definition,
  client: Client,
  journal: Journal | undefined,
): StartEntry | undefined {
  const recorded = recordedStart(journal);
  const { version, needs = [] } = definition;
  if (recorded !== undefined) {
    if (recorded.start.version !== version)
      throw new ToolVersionChanged(definitionName(definition), recorded.start.version, version);
    return recorded;
  }
  const missing = needs.filter((need) => !client.can[need]);
  if (missing.length > 0) throw new MissingCapabilities(subjectOf(definition), missing);
  if (journal === undefined) return undefined;
  return {
    start: { can: { ...client.can }, ...omitUndefined({ version, source: sourceDigest(definition) }) },
  };
}

function recordedStart(journal: Journal | undefined): StartEntry | undefined {
  const first = journal?.entries[0];
  return first !== undefined && "start" in first ? first : undefined;
}

const digests = new WeakMap<Definition["run"], string>();

function sourceDigest({ run }: Definition): string {
  const known = digests.get(run) ?? digest(String(run));
  digests.set(run, known);
  return known;
}
