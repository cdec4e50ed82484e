/**
 * A run: a body, its interpreter, and what bounds it.
 *
 * Every host drives a run the same way: `next()` gives a round of questions or
 * the end, `next(replies)` goes on. Between two calls a run is a paused object.
 *
 *   1. Replies that are not legal are refused before the run is touched.
 *   2. `limit` counts the body's own time; it stands still while a question is open.
 *   3. However a run ends, its body is closed, and waited for within the grace period. A run that is detached has not ended:
 *      its body is not closed.
 */
import { AnswererChain, type AskHandler, askNext } from "./answerers.ts";
import { systemClock } from "../util/time.ts";
import { StopSignal, ActiveTimeLimit } from "./cancellation.ts";
import type { Content } from "../content.ts";
import type { Body, Replies, Round } from "../effects.ts";
import { InvalidDefinition, ActiveTimeExceeded, RunBusy, RunCancelled, RunDetached } from "../errors.ts";
import { interpretIn } from "./interpreter.ts";
import { checkReplies } from "./replies.ts";
import { LiveEnvironment, type RunOptions } from "./environment.ts";
import { checkInput, type Context, nameOf, type Runnable, subjectOf } from "../definitions/definition.ts";
import type { Signal } from "../util/platform.ts";
import type { Tool } from "../definitions/tool.ts";
import { describeValue } from "../util/describe-value.ts";

/** A run that has reached its end. */
export interface RunCompleted<Result> {
  readonly done: true;
  readonly value: Result;
  /** What was emitted to join the result. */
  readonly artifacts: readonly Content[];
  /** What was streamed. */
  readonly streamed: string;
}

export type RunStep<Result> = { readonly done: false; readonly round: Round } | RunCompleted<Result>;

export interface DetachOptions {
  readonly abortsBody?: boolean;
}

export interface Run<Result> {
  readonly id: string;
  /** Goes on until there is something to ask, or to the end. Rejects with what the body threw. */
  next(replies?: Replies): Promise<RunStep<Result>>;
  /** Ends the run: open questions are dropped, the body's `finally` blocks run. */
  close(reason?: unknown): Promise<void>;
  /**
   * Stops the run here without ending it, so that another process can continue it from its journal. The body is neither resumed
   * nor closed. Resolves when the step under way, if there is one, has ended and was recorded. `abortsBody` aborts the signal of
   * the body, whose work is not wanted any more, and not that of the step.
   */
  detach(options?: DetachOptions): Promise<void>;
}

/** Starts a run with an input that was checked. Nothing happens until its first `next()`. */
export function startRun<Input, Result>(
  definition: Runnable<Input, Result>,
  input: Input,
  options: RunOptions = {},
): Run<Result> {
  return new RunImpl(definition, input, options);
}

const NONE: Replies = {};

class RunImpl<Input, Result> implements Run<Result> {
  readonly #world: LiveEnvironment;
  readonly #workTime: ActiveTimeLimit | undefined;
  readonly #consultation: AnswererChain | undefined;
  readonly #rounds: AsyncGenerator<Round, Result, Replies | undefined>;
  #isBusy = false;
  #isOver = false;

  constructor(definition: Runnable<Input, Result>, input: Input, options: RunOptions) {
    const world = new LiveEnvironment(definition, options);
    this.#world = world;
    this.#workTime = workTimeOf(definition, world);
    this.#consultation = consultationFor(definition, input, world, options);
    this.#rounds = interpretIn(world, new LazyGenerator({ definition, input, context: world.context }));
  }

  get id(): string {
    return this.#world.runId;
  }

  async next(replies?: Replies): Promise<RunStep<Result>> {
    const { closing, secrets } = this.#world;
    const legal = replies === undefined ? NONE : checkReplies(replies);
    if (this.#isBusy) throw new RunBusy(this.id);
    this.#refuseWhenClosed();
    if (this.#isOver) throw new RunCancelled(`The run ${this.id} is over.`);
    this.#isBusy = true;
    try {
      for (let given = legal; ; given = NONE) {
        const next = await this.#work(given);
        // A generator that was closed meanwhile has ended without its body.
        this.#refuseWhenClosed();
        if (next.done === true) return this.#ended(next.value);
        const left =
          this.#consultation === undefined
            ? next.value
            : await closing.raceCancelled(this.#consultation.ask(next.value));
        if (Object.keys(left).length > 0 && closing.stop === undefined) return { done: false, round: left };
      }
    } catch (thrown) {
      const error: unknown = thrown instanceof StopSignal ? thrown.reason : thrown;
      await this.close(error);
      throw secrets.redactError(error);
    } finally {
      this.#isBusy = false;
    }
  }

  async close(reason: unknown = new RunCancelled()): Promise<void> {
    if (this.#isOver) return;
    this.#world.closing.cancel(reason);
    await this.#stop(reason);
  }

  async detach({ abortsBody = false }: DetachOptions = {}): Promise<void> {
    if (this.#isOver) return;
    const reason = new RunDetached(this.id);
    this.#world.closing.detach(reason, abortsBody);
    await this.#stop(reason);
  }

  /** Settles when the body has ended, was abandoned or was left; errors of its `finally` blocks were reported. */
  async #stop(reason: unknown): Promise<void> {
    this.#consultation?.stop(reason);
    // The value that a generator returns when it is closed is not used.
    await this.#rounds.return(undefined as never).catch(() => {});
    this.#end();
  }

  /** Goes on to the next round, or to the end, with what was replied and what the answerers have said. */
  #work(given: Replies): Promise<IteratorResult<Round, Result>> {
    const replies = this.#consultation?.merge(given) ?? given;
    if (this.#workTime === undefined) return this.#rounds.next(replies);
    return this.#workTime.run(() => this.#rounds.next(replies));
  }

  #refuseWhenClosed(): void {
    const { stop } = this.#world.closing;
    if (stop !== undefined) throw stop.reason;
  }

  #ended(result: Result): RunCompleted<Result> {
    const { secrets, artifacts, streamed } = this.#world;
    const value = secrets.redact(result);
    this.#end();
    return { done: true, value, artifacts, streamed: secrets.redactText(streamed) };
  }

  #end(): void {
    this.#isOver = true;
    this.#world.closing.end();
  }
}

/** What keeps the limit of a body, where it has one. */
function workTimeOf(
  definition: Runnable<never, unknown>,
  { clock, closing }: LiveEnvironment,
): ActiveTimeLimit | undefined {
  const { limit } = definition;
  if (limit === undefined) return undefined;
  return new ActiveTimeLimit(limit, clock, () =>
    closing.cancel(new ActiveTimeExceeded(subjectOf(definition), limit)),
  );
}

/** Whoever is asked before the host, where there is anybody. */
function consultationFor(
  definition: Runnable<never, unknown>,
  input: unknown,
  world: LiveEnvironment,
  options: RunOptions,
): AnswererChain | undefined {
  const { answerers = [] } = options;
  if (answerers.length === 0) return undefined;
  const asker = { runId: world.runId, tool: nameOf(definition), input };
  return new AnswererChain(answerers, asker, world.clock, {
    report: (error) => world.report(error),
    answered: (early) => options.answered?.(early),
  });
}

/** Where a program shows what a tool emits, and who answers what it asks. */
export interface Host extends RunOptions {
  /** Puts one question to somebody. Without it, or where it gives nothing, the question is cancelled. */
  readonly ask?: AskHandler;
  /** Closes the run. */
  readonly signal?: Signal;
}

/** Runs a tool to its end and gives back what it returned. Questions of one round are asked one after another. */
export async function run<Input, Result>(
  tool: Tool<Input, Result>,
  input: unknown,
  host: Host = {},
): Promise<Result> {
  const { ask = () => undefined, signal, clock = systemClock, ...options } = host;
  const running = startRun(tool, await checkInput(tool, input), { ...options, clock });
  const close = (): void => void running.close(signal?.reason ?? new RunCancelled());
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted === true) close();
  try {
    let turn = await running.next();
    while (!turn.done) turn = await running.next(await askNext(turn.round, clock, ask, signal));
    return turn.value;
  } finally {
    signal?.removeEventListener("abort", close);
    await running.close();
  }
}

/** What a body is made from, until it is. */
interface GeneratorFactory<Input, Result> {
  readonly definition: Runnable<Input, Result>;
  readonly input: Input;
  readonly context: Context;
}

/** A body that is made with its first resumption: what is no generator function must not run before it, either. */
class LazyGenerator<Input, Result> implements Body<Result> {
  #body: Body<Result> | undefined;
  #making: GeneratorFactory<Input, Result> | undefined;

  constructor(making: GeneratorFactory<Input, Result>) {
    this.#making = making;
  }

  next(value?: unknown): ReturnType<Body<Result>["next"]> {
    return toPromise(this.#made().next(value));
  }

  throw(error: unknown): ReturnType<Body<Result>["throw"]> {
    return toPromise(this.#made().throw(error));
  }

  async return(value: Result | PromiseLike<Result>): ReturnType<Body<Result>["return"]> {
    // One that never began has nothing to end.
    return this.#body === undefined ? { done: true, value: await value } : this.#body.return(value);
  }

  [Symbol.asyncIterator](): Body<Result> {
    return this;
  }

  #made(): Body<Result> {
    if (this.#body !== undefined) return this.#body;
    // Until the body is there, so is what it is made from.
    this.#body = bodyOf(this.#making as GeneratorFactory<Input, Result>);
    // What the body needs of that, it holds itself.
    this.#making = undefined;
    return this.#body;
  }
}

/** A generator that is not async says at once what it yields. */
const toPromise = <Next>(next: Next | Promise<Next>): Promise<Next> => Promise.resolve(next);

function bodyOf<Input, Result>({
  definition,
  input,
  context,
}: GeneratorFactory<Input, Result>): Body<Result> {
  const body = definition.run(input, context);
  const isGenerator =
    typeof body === "object" && body !== null && "next" in body && "throw" in body && "return" in body;
  if (isGenerator) return body;
  throw new InvalidDefinition(
    `${subjectOf(definition)} returned ${describeValue(body)}; write its run as an async generator: async *run(…).`,
  );
}
