/**
 * The environment of a run: the options of its host with their defaults, its secrets and its cancellation, and the output that it
 * collects.
 *
 * Thousands of runs may be suspended for days. To save memory, objects that most runs never need are created on first use.
 */
import { Cancellation } from "./cancellation.ts";
import type { Artifact, Emit, StepEvent, Stream } from "../effects.ts";
import type { Journal, StartEntry } from "./journal.ts";
import { randomUuid, type Signal } from "../util/platform.ts";
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
} from "../definitions/runnable.ts";
import { omitUndefined, digest } from "../util/json.ts";
import { MissingCapabilities, ToolVersionChanged } from "../errors.ts";
import type { Answerer, AutoAnswer } from "./answerers.ts";

/** The options of a run. All have defaults. */
export interface RunOptions {
  /** Part of every idempotency key. Give the same id when the run is replayed. */
  readonly runId?: string | undefined;
  /** Shows an emit. The body is resumed when it resolves. */
  readonly emit?: (effect: Emit) => void | Promise<void>;
  /** Called when a step begins and ends; the step waits for it. Not called for steps whose result comes from the journal. */
  readonly onStep?: (event: StepEvent) => void | Promise<void>;
  readonly client?: Client;
  readonly trace?: Trace | undefined;
  readonly answerers?: readonly Answerer[];
  /** Called for questions that the host is not asked: an answerer replied, or the question timed out meanwhile. */
  readonly onAnswered?: (answer: AutoAnswer) => void;
  /** The run is recorded in it, and replayed from it. */
  readonly journal?: Journal | undefined;
  /** The secrets of this run, if they must outlive it. */
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

export class RunEnvironment {
  /** The default timeout of questions, in milliseconds; undefined: they stay open until they are answered. */
  readonly askTimeout: number | undefined;
  /** The first entry of the journal, if there is a journal. */
  readonly started: StartEntry | undefined;
  readonly cancellation: Cancellation;
  readonly secrets: SecretRedactor;
  readonly #definition: Definition | undefined;
  readonly #options: RunOptions;
  #runId: string | undefined;
  #artifacts: Content[] | undefined;
  #streamed = "";

  /** Throws if the definition cannot run for this client, or not with this journal. */
  constructor(options: RunOptions, definition?: Definition) {
    const {
      client = inProcessClient,
      askTimeout = definition?.durable === true ? DURABLE_ASK_TIMEOUT_MS : ASK_TIMEOUT_MS,
      grace = GRACE_MS,
    } = options;
    this.#definition = definition;
    this.#options = options;
    const graceMs = milliseconds(grace, "The grace of a run");
    this.started = definition && startEntry(definition, client, options.journal);
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

  /** The content of emitted artifacts. */
  get artifacts(): readonly Content[] {
    return this.#artifacts ?? [];
  }

  /** The text of emitted streams. */
  get streamed(): string {
    return this.#streamed;
  }

  get context(): Context {
    return new RunContext(this, this.#options);
  }

  emit(effect: Emit): Promise<void> | undefined {
    return this.#call(this.#options.emit, effect);
  }

  onStep(event: StepEvent): Promise<void> | undefined {
    return this.#call(this.#options.onStep, event);
  }

  onAnswered(answer: AutoAnswer): void {
    void this.#call(this.#options.onAnswered, answer);
  }

  /** Calls a callback of the host. Its errors are reported, not thrown into the body. */
  #call<Given>(
    callback: ((given: Given) => void | Promise<void>) | undefined,
    given: Given,
  ): Promise<void> | undefined {
    try {
      const pending = callback?.call(this.#options, given);
      // A callback may return any value, such as the number of `push`: it is dropped, since the body gets what an emit resolves to.
      return pending === undefined
        ? undefined
        : Promise.resolve(pending).then(
            () => undefined,
            (error: unknown) => this.report(error),
          );
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  /** Collects the parts of the result; also on replay, where nothing is shown again. */
  collectOutput(effect: Artifact | Stream): void {
    if (effect.emit === "stream") this.#streamed += effect.text;
    else (this.#artifacts ??= []).push(effect.content);
  }

  report(error: unknown): void {
    try {
      this.#options.report?.(this.secrets.redactError(error));
    } catch {
      // `report` itself threw, so its error cannot be reported.
    }
  }

  /** Added to the message of `ReplayDiverged`. */
  explainDivergence(): string {
    const source = recordedStart(this.journal)?.start.source;
    if (source === undefined || this.#definition === undefined) return "";
    return source === sourceDigest(this.#definition)
      ? " Its source is the same as when the run began: what it asks must depend on its input, its answers and its steps only."
      : " Its source has changed since the run began; give the tool a version, so that a change is detected before the run continues.";
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
  readonly #environment: RunEnvironment;

  constructor(environment: RunEnvironment, { client = inProcessClient, trace }: RunOptions) {
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
