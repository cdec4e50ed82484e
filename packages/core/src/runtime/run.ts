/**
 * A run: one body, its interpreter, and its limits.
 *
 * Every host drives a run in the same manner: `next()` resolves to a round of questions or to the end, and `next(replies)`
 * continues. Between two calls a run is a paused object.
 *
 *   1. Invalid replies are rejected before the run is touched.
 *   2. `limit` counts the time the body works, not the time a question is open.
 *   3. A run that ends or is closed closes its body, and waits for it within the grace period. A run that is detached has not
 *      ended: its body is not closed.
 */
import { AnswererChain, type AskHandler, askNext } from "./answerers.ts";
import { systemClock } from "../util/time.ts";
import { RunStopped } from "./cancellation.ts";
import type { Content } from "../content.ts";
import type { Body, Replies, Round } from "../effects.ts";
import { InvalidDefinition, ActiveTimeExceeded, RunBusy, RunCancelled, RunDetached } from "../errors.ts";
import { Interpreter } from "./interpreter.ts";
import { parseReplies } from "./replies.ts";
import { RunEnvironment, type RunOptions } from "./environment.ts";
import { type Context, definitionName, type Runnable, subjectOf } from "../definitions/runnable.ts";
import type { Signal } from "../util/platform.ts";
import { parseInput, type Tool } from "../definitions/tool.ts";
import { describeValue } from "../util/describe-value.ts";

/** A run that has reached its end. */
export interface RunCompleted<Result> {
  readonly done: true;
  readonly value: Result;
  /** The content of emitted artifacts, which joins the result. */
  readonly artifacts: readonly Content[];
  /** The text of emitted streams. */
  readonly streamed: string;
}

/** A round of questions that the run waits for, or its end. */
export type RunStep<Result> = { readonly done: false; readonly round: Round } | RunCompleted<Result>;

/** The options of `detach`. */
export interface DetachOptions {
  /** Aborts the signal of the body, whose work is not needed any more. The signal of a step is not aborted. */
  readonly abortsBody?: boolean;
}

const NO_REPLIES: Replies = {};

/** A run of a body. `next` continues it to its next round of questions, or to its end. */
export class Run<Result> {
  readonly #definition: Runnable<never, Result>;
  readonly #environment: RunEnvironment;
  readonly #answerers: AnswererChain | undefined;
  readonly #rounds: AsyncGenerator<Round, Result, Replies | undefined>;
  /** How long the body has worked, in milliseconds, if it has a limit. */
  #activeTime = 0;
  #isBusy = false;
  #isOver = false;

  constructor(definition: Runnable<never, Result>, input: unknown, options: RunOptions) {
    const environment = new RunEnvironment(options, definition);
    const { context } = environment;
    const { answerers = [] } = options;
    this.#definition = definition;
    this.#environment = environment;
    if (answerers.length > 0)
      this.#answerers = new AnswererChain(answerers, environment, {
        tool: definitionName(definition),
        input,
      });
    // `startRun` has the type of the input.
    const create = (): Body<Result> => createBody(definition, input as never, context);
    this.#rounds = new Interpreter(environment, create).drive();
  }

  get id(): string {
    return this.#environment.runId;
  }

  /** Continues to the next round of questions, or to the end. Rejects with the error of the body. */
  async next(replies?: Replies): Promise<RunStep<Result>> {
    const { cancellation, secrets } = this.#environment;
    const parsed = replies === undefined ? NO_REPLIES : parseReplies(replies);
    if (this.#isBusy) throw new RunBusy(this.id);
    this.#throwIfStopped();
    if (this.#isOver) throw new RunCancelled(`The run ${this.id} is over.`);
    this.#isBusy = true;
    try {
      for (let given = parsed; ; given = NO_REPLIES) {
        const next = await this.#advance(given);
        // A generator that was closed meanwhile has ended without its body.
        this.#throwIfStopped();
        if (next.done === true) return this.#complete(next.value);
        const unanswered =
          this.#answerers === undefined
            ? next.value
            : await cancellation.raceCancelled(this.#answerers.ask(next.value));
        if (Object.keys(unanswered).length > 0 && cancellation.stopped === undefined)
          return { done: false, round: unanswered };
      }
    } catch (thrown) {
      const error: unknown = thrown instanceof RunStopped ? thrown.reason : thrown;
      await this.close(error);
      throw secrets.redactError(error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Ends the run: open questions are dropped, the body's `finally` blocks run. */
  async close(reason: unknown = new RunCancelled()): Promise<void> {
    if (this.#isOver) return;
    this.#environment.cancellation.cancel(reason);
    await this.#stop(reason);
  }

  /**
   * Stops the run in this process without ending it, so that another process can continue it from its journal. The body is
   * neither resumed nor closed. Resolves when the step in progress, if there is one, has completed and was recorded.
   */
  async detach({ abortsBody = false }: DetachOptions = {}): Promise<void> {
    if (this.#isOver) return;
    const reason = new RunDetached(this.id);
    this.#environment.cancellation.detach(reason, abortsBody);
    await this.#stop(reason);
  }

  /** Resolves when the body has ended, was abandoned or was detached; errors of its `finally` blocks were reported. */
  async #stop(reason: unknown): Promise<void> {
    this.#answerers?.stop(reason);
    // The value that a generator returns when it is closed is not used.
    await this.#rounds.return(undefined as never).catch(() => {});
    this.#end();
  }

  #advance(given: Replies): Promise<IteratorResult<Round, Result>> {
    const replies = this.#answerers?.merge(given) ?? given;
    const { limit } = this.#definition;
    return limit === undefined ? this.#rounds.next(replies) : this.#advanceWithin(limit, replies);
  }

  /** Cancels the run when the body has worked for longer than its limit. */
  async #advanceWithin(limit: number, replies: Replies): Promise<IteratorResult<Round, Result>> {
    const { cancellation, clock } = this.#environment;
    const before = clock.now();
    const stop = clock.after(Math.max(0, limit - this.#activeTime), () =>
      cancellation.cancel(new ActiveTimeExceeded(subjectOf(this.#definition), limit)),
    );
    try {
      return await this.#rounds.next(replies);
    } finally {
      stop();
      this.#activeTime += clock.now() - before;
    }
  }

  #throwIfStopped(): void {
    const { stopped } = this.#environment.cancellation;
    if (stopped !== undefined) throw stopped.reason;
  }

  #complete(result: Result): RunCompleted<Result> {
    const { secrets, artifacts, streamed } = this.#environment;
    const value = secrets.redact(result);
    this.#end();
    return { done: true, value, artifacts, streamed: secrets.redactText(streamed) };
  }

  #end(): void {
    this.#isOver = true;
    this.#environment.cancellation.end();
  }
}

/** Creates a run with an input that was parsed. The body starts with the first `next()`. */
export function startRun<Input, Result>(
  definition: Runnable<Input, Result>,
  input: Input,
  options: RunOptions = {},
): Run<Result> {
  return new Run(definition, input, options);
}

/** A program that runs tools itself: `emit` shows what they emit, `ask` answers their questions. */
export interface Host extends RunOptions {
  /** Answers one question. Without it, or where it returns nothing, the question is cancelled. */
  readonly ask?: AskHandler;
  /** Closes the run. */
  readonly signal?: Signal;
}

/** Runs a tool to its end and returns its result. Questions of one round are asked one after another. */
export async function run<Input, Result>(
  tool: Tool<Input, Result>,
  input: unknown,
  host: Host = {},
): Promise<Result> {
  const { ask = () => undefined, signal, clock = systemClock, ...options } = host;
  const running = startRun(tool, await parseInput(tool, input), { ...options, clock });
  const close = (): void => void running.close(signal?.reason ?? new RunCancelled());
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted === true) close();
  try {
    let progress = await running.next();
    while (!progress.done) progress = await running.next(await askNext(progress.round, clock, ask, signal));
    return progress.value;
  } finally {
    signal?.removeEventListener("abort", close);
    await running.close();
  }
}

function createBody<Input, Result>(
  definition: Runnable<Input, Result>,
  input: Input,
  context: Context,
): Body<Result> {
  const body = definition.run(input, context);
  const isGenerator =
    typeof body === "object" && body !== null && "next" in body && "throw" in body && "return" in body;
  if (isGenerator) return body;
  throw new InvalidDefinition(
    `${subjectOf(definition)} returned ${describeValue(body)}; write its run as an async generator: async *run(…).`,
  );
}
