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
import { Consultation, type Answerer } from "./answerers.ts";
import { begin, explainDivergence } from "./begin.ts";
import { program, type Client } from "./client.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Closing } from "./closing.ts";
import type { Content } from "./content.ts";
import { defined } from "./defined.ts";
import { milliseconds, timeoutMilliseconds, type Duration, type Timeout } from "./duration.ts";
import type { Body, Emit, Replies, Round } from "./effects.ts";
import { InvalidDefinition, LimitExceeded, RunBusy, RunCancelled } from "./errors.ts";
import { interpret } from "./interpret.ts";
import type { Journal } from "./journal.ts";
import { newUuid, nextTurn } from "./platform.ts";
import { checkReplies } from "./reply.ts";
import { nameOf, subjectOf, type Context, type Runnable, type Trace } from "./runnable.ts";
import { Vault } from "./secret.ts";
import { show } from "./show.ts";
import { WorkTime } from "./work-time.ts";
import type { World } from "./world.ts";

/** What a host gives a run. Everything has a default. */
export interface RunOptions {
  /** The same again when the run is replayed. */
  readonly runId?: string;
  readonly emit?: (effect: Emit) => void | Promise<void>;
  readonly client?: Client;
  readonly trace?: Trace;
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
  readonly #closing: Closing;
  readonly #secrets: Vault;
  readonly #workTime: WorkTime;
  readonly #consultation: Consultation | undefined;
  readonly #rounds: AsyncGenerator<Round, Result, Replies | undefined>;
  readonly #artifacts: Content[] = [];
  #streamed = "";
  #isBusy = false;
  #isOver = false;
  #stopGrace: () => void = () => {};

  constructor(definition: Runnable<Input, Result>, input: Input, options: RunOptions) {
    const {
      runId = newUuid(),
      clock = systemClock,
      client = program,
      secrets = new Vault(),
      answerers = [],
    } = options;
    const {
      journal,
      report,
      emit,
      random,
      uuid,
      trace,
      askTimeout = definition.durable === true ? "7d" : "5m",
    } = options;
    const grace = milliseconds(options.grace ?? "5s", "The grace of a run");
    const tool = nameOf(definition);
    const started = begin(definition, client, journal);
    // However the run is closed, whoever waits for its body waits no longer than the grace period.
    const closing = new Closing(() => {
      this.#stopGrace = clock.after(grace, () => closing.abandon());
    });
    const reportClean = (error: unknown): void => reportTo(report, secrets.redactError(error));

    this.id = runId;
    this.#closing = closing;
    this.#secrets = secrets;
    this.#workTime = new WorkTime(definition.limit, clock, () =>
      closing.close(new LimitExceeded(subjectOf(definition), definition.limit ?? 0)),
    );
    this.#consultation =
      answerers.length === 0
        ? undefined
        : new Consultation(answerers, { runId, tool, input }, clock, closing.signal, reportClean);
    const context: Context = {
      runId,
      client: { ...client, can: started.start.can },
      ...defined({ trace }),
      get signal() {
        return closing.signal;
      },
    };
    const world: Partial<World> = {
      runId,
      closing,
      secrets,
      started,
      report: reportClean,
      explain: () => explainDivergence(definition, journal),
      gather: (effect) => {
        if (effect.emit === "artifact") this.#artifacts.push(effect.content);
        else this.#streamed += effect.text;
      },
      askTimeout: timeoutMilliseconds(askTimeout, "The askTimeout of a run"),
      breathe: nextTurn,
      now: () => clock.now(),
      ...defined({ emit, journal, random, uuid }),
    };
    this.#rounds = interpret(
      lazily(() => bodyOf(definition, input, context)),
      world,
    );
  }

  async next(replies?: Replies): Promise<Turn<Result>> {
    const legal = replies === undefined ? {} : checkReplies(replies);
    if (this.#isBusy) throw new RunBusy(this.id);
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
    // Settles when the body has ended or was abandoned; what it threw on the way was reported. What a generator that
    // is being closed would return is of no interest to anybody.
    await this.#rounds.return(undefined as never).catch(() => {});
    this.#end();
  }

  async #goOn(given: Replies): Promise<Turn<Result>> {
    let replies = this.#consultation?.complete(given) ?? given;
    for (;;) {
      const next = await this.#workTime.during(() => this.#rounds.next(replies));
      // A generator that was closed meanwhile has ended without its body.
      if (this.#closing.stop !== undefined) throw this.#closing.stop.reason;
      if (next.done === true) return this.#ended(next.value);
      const left =
        this.#consultation === undefined ? next.value : await this.#consultation.consult(next.value);
      if (Object.keys(left).length > 0 && this.#closing.stop === undefined)
        return { done: false, round: left };
      replies = this.#consultation?.complete({}) ?? {};
    }
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
}

/** Tells a host of a failure. What it makes of that is not the run's problem. */
function reportTo(report: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    report?.(error);
  } catch {
    // Nobody is left to be told.
  }
}

function bodyOf<Input, Result>(
  definition: Runnable<Input, Result>,
  input: Input,
  context: Context,
): Body<Result> {
  const body = definition.run(input, context);
  const isGenerator =
    typeof body === "object" && body !== null && "next" in body && "throw" in body && "return" in body;
  if (isGenerator) return body;
  throw new InvalidDefinition(
    `${subjectOf(definition)} returned ${show(body)}; write its run as an async generator: async *run(…).`,
  );
}

/** A body that is made with its first resumption: what is no generator function must not run before it, either. */
function lazily<Result>(make: () => Body<Result>): Body<Result> {
  let body: Body<Result> | undefined;
  const made = (): Body<Result> => (body ??= make());
  return {
    next: async (value: unknown) => made().next(value),
    throw: async (error: unknown) => made().throw(error),
    // One that never began has nothing to end.
    return: async (value) => (body === undefined ? { done: true, value: await value } : body.return(value)),
    [Symbol.asyncIterator]: () => made(),
  };
}
