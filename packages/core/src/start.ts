/**
 * A run: a body, its interpreter, and what bounds it.
 *
 * Every host drives a run the same way: `next()` gives a round of questions or
 * the end, `next(replies)` goes on. Between two calls a run is a paused object.
 *
 *   1. Replies that are not legal are refused before the run is touched.
 *   2. `limit` counts the body's own time; it stands still while a question is open.
 *   3. However a run ends, its body is closed, and waited for within the grace period.
 */
import { answerBy, type Answerer } from "./answerers.ts";
import { begin, explainDivergence } from "./begin.ts";
import { program, type Client } from "./client.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Closing } from "./closing.ts";
import type { Content } from "./content.ts";
import { defined } from "./defined.ts";
import { milliseconds, timeoutMilliseconds, type Duration, type Timeout } from "./duration.ts";
import type { Body, Emit, Replies, Reply, Round } from "./effects.ts";
import { InvalidDefinition, LimitExceeded, RunCancelled } from "./errors.ts";
import { askInTime } from "./in-time.ts";
import { interpret } from "./interpret.ts";
import type { Journal, Started } from "./journal.ts";
import { newUuid, startTimer } from "./platform.ts";
import { checkReplies } from "./reply.ts";
import { Vault } from "./secret.ts";
import { show } from "./show.ts";
import type { Context, Runnable } from "./tool.ts";
import type { World } from "./world.ts";

/** What a host gives a run. Everything has a default. */
export interface RunOptions {
  /** The run's id, the same again when it is replayed. */
  readonly run?: string;
  readonly emit?: (effect: Emit) => void | Promise<void>;
  readonly client?: Client;
  readonly answerers?: readonly Answerer[];
  /** Where the run is recorded, and what it is replayed from. */
  readonly journal?: Journal;
  /** The secrets of this run, where they outlive it. */
  readonly secrets?: Vault;
  /** How long a question stays open that does not say: 5 minutes, 7 days for durable tools. */
  readonly askTimeout?: Timeout;
  /** How long a closed body may take to end: 5 seconds. */
  readonly grace?: Duration;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly uuid?: () => string;
  /** Hears of failures that are nobody's answer. */
  readonly report?: (error: unknown) => void;
}

/** A run that has reached its end. */
export interface Ended<Result> {
  readonly done: true;
  readonly value: Result;
  /** What was emitted to join the result. */
  readonly artifacts: readonly Content[];
  /** What was streamed. */
  readonly streamed: string;
}

export type Turn<Result> = { readonly done: false; readonly round: Round } | Ended<Result>;

export interface Run<Result> {
  readonly id: string;
  /** Goes on until there is something to ask, or to the end. Rejects with what the body threw. */
  next(replies?: Replies): Promise<Turn<Result>>;
  /** Ends the run: open questions are dropped, the body's `finally` blocks run. */
  close(reason?: unknown): Promise<void>;
}

/** Starts a run with an input that was checked. Nothing happens until its first `next()`. */
export function start<Input, Result>(
  definition: Runnable<Input, Result>,
  input: Input,
  options: RunOptions = {},
): Run<Result> {
  return new LiveRun(definition, input, options);
}

class LiveRun<Input, Result> implements Run<Result> {
  readonly id: string;
  readonly #tool: string;
  readonly #input: Input;
  readonly #started: Started;
  readonly #options: RunOptions;
  readonly #clock: Clock;
  /** However the run is closed, whoever waits for its body waits no longer than the grace period. */
  readonly #closing: Closing = new Closing(() => {
    this.#stopGrace = this.#clock.after(this.#grace, () => this.#closing.abandon());
  });
  readonly #secrets: Vault;
  readonly #grace: number;
  readonly #rounds: AsyncGenerator<Round, Result, Replies | undefined>;
  readonly #artifacts: Content[] = [];
  #streamed = "";
  readonly #limit: number | undefined;
  /** What is left of the body's own time. */
  #remaining: number | undefined;
  #isBusy = false;
  #isOver = false;
  #isRecorded: boolean;
  /** What the answerers said to a round whose other questions the host is asked. */
  #answered: Replies = {};
  /** The questions the answerers have seen, by key and attempt. */
  readonly #consulted = new Set<string>();
  #stopGrace: () => void = () => {};

  constructor(definition: Runnable<Input, Result>, input: Input, options: RunOptions) {
    this.id = options.run ?? newUuid();
    this.#tool = definition.name ?? "the tool";
    this.#input = input;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#secrets = options.secrets ?? new Vault();
    this.#grace = milliseconds(options.grace ?? "5s", "The grace of a run");
    this.#limit = definition.limit;
    this.#remaining = definition.limit;
    this.#isRecorded = (options.journal?.entries.length ?? 0) > 0;
    this.#started = begin(definition, this.#tool, options.client ?? program, options.journal);
    const closing = this.#closing;
    const client: Client = { ...(options.client ?? program), can: this.#started.start.can };
    const context: Context = {
      run: this.id,
      client,
      get signal() {
        return closing.signal;
      },
    };
    this.#rounds = interpret(bodyOf(definition, this.#tool, input, context), this.#world(definition));
  }

  async next(replies?: Replies): Promise<Turn<Result>> {
    const legal = replies === undefined ? undefined : checkReplies(replies);
    if (this.#isBusy)
      throw new InvalidDefinition(`The run ${this.id} is already going on; wait for its next().`);
    if (this.#closing.stop !== undefined) throw this.#closing.stop.reason;
    if (this.#isOver) throw new RunCancelled(`The run ${this.id} is over.`);
    this.#isBusy = true;
    try {
      const turn = await this.#goOn(legal);
      if (turn.done) this.#end();
      return turn;
    } catch (error) {
      await this.close(error);
      throw this.#secrets.redactError(error);
    } finally {
      this.#isBusy = false;
    }
  }

  async close(reason?: unknown): Promise<void> {
    if (this.#isOver) return;
    this.#closing.close(reason ?? new RunCancelled());
    // Settles when the body has ended or was abandoned; what it threw on the way was reported.
    await this.#rounds.return(undefined as never).catch(() => {});
    this.#end();
  }

  /** Tells the host of a failure, without the secrets in it. What it makes of that is not the run's problem. */
  readonly #report = (error: unknown): void => {
    try {
      this.#options.report?.(this.#secrets.redactError(error));
    } catch {
      // Nobody is left to be told.
    }
  };

  async #goOn(given: Replies | undefined): Promise<Turn<Result>> {
    if (!this.#isRecorded) await this.#options.journal?.append(this.#started);
    this.#isRecorded = true;
    let replies = { ...given, ...this.#answered };
    this.#answered = {};
    for (;;) {
      const turn = await this.#work(replies);
      if (turn.done === true) return this.#ended(turn.value);
      const said = await this.#consult(turn.value);
      const left = Object.entries(turn.value).filter(([key]) => !Object.hasOwn(said, key));
      if (left.length > 0 && this.#closing.stop === undefined) {
        this.#answered = said;
        return { done: false, round: Object.fromEntries(left) };
      }
      replies = said;
    }
  }

  /** Lets the body work, within what is left of its limit. */
  async #work(replies: Replies | undefined): Promise<IteratorResult<Round, Result>> {
    const before = this.#clock.now();
    const limit = this.#remaining;
    const stopLimit =
      limit === undefined
        ? undefined
        : this.#clock.after(limit, () =>
            this.#closing.close(new LimitExceeded(this.#tool, this.#limit ?? limit)),
          );
    try {
      const next = await this.#rounds.next(replies);
      // A generator that was closed meanwhile has ended without its body.
      if (this.#closing.stop !== undefined) throw this.#closing.stop.reason;
      return next;
    } finally {
      stopLimit?.();
      if (limit !== undefined) this.#remaining = Math.max(0, limit - (this.#clock.now() - before));
    }
  }

  /** What the answerers say to a round, each question once an attempt. */
  async #consult(round: Round): Promise<Replies> {
    const { answerers = [] } = this.#options;
    const said: Record<string, Reply> = {};
    if (answerers.length === 0) return said;
    for (const question of Object.values(round)) {
      const asking = `${question.key}@${question.attempt}`;
      if (this.#closing.stop !== undefined) break;
      if (this.#consulted.has(asking)) continue;
      this.#consulted.add(asking);
      const reply = await askInTime(
        question,
        this.#clock,
        (open, { signal }) =>
          answerBy(
            answerers,
            open,
            { run: this.id, tool: this.#tool, input: this.#input, signal },
            this.#report,
          ),
        this.#closing.signal,
      );
      if (reply !== undefined) said[question.key] = reply;
    }
    return said;
  }

  #ended(value: Result): Ended<Result> {
    return {
      done: true,
      value: this.#secrets.redact(value),
      artifacts: this.#artifacts,
      streamed: this.#secrets.redactText(this.#streamed),
    };
  }

  #end(): void {
    this.#isOver = true;
    this.#stopGrace();
  }

  #world(definition: Runnable<Input, Result>): Partial<World> {
    const { emit, journal, random, uuid } = this.#options;
    return {
      report: this.#report,
      breathe,
      run: this.id,
      closing: this.#closing,
      secrets: this.#secrets,
      explain: () => explainDivergence(definition, journal),
      gather: (effect) => {
        if (effect.emit === "artifact") this.#artifacts.push(effect.content);
        else this.#streamed += effect.text;
      },
      askTimeout: askTimeoutOf(definition, this.#options),
      now: () => this.#clock.now(),
      ...defined({ emit, journal, random, uuid }),
    };
  }
}

/** A turn for timers and sockets. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    startTimer(0, resolve);
  });
}

function askTimeoutOf(definition: Runnable<never, unknown>, { askTimeout }: RunOptions): number | undefined {
  return timeoutMilliseconds(
    askTimeout ?? (definition.durable === true ? "7d" : "5m"),
    "The askTimeout of a run",
  );
}

function bodyOf<Input, Result>(
  definition: Runnable<Input, Result>,
  name: string,
  input: Input,
  context: Context,
): Body<Result> {
  const body = definition.run(input, context);
  const isGenerator =
    typeof body === "object" && body !== null && "next" in body && "throw" in body && "return" in body;
  if (!isGenerator)
    throw new InvalidDefinition(
      `${name} returned ${show(body)}; write its run as an async generator: async *run(…).`,
    );
  return body;
}
