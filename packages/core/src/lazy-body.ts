import type { Body } from "./effects.ts";
import { InvalidDefinition } from "./errors.ts";
import { type Context, type Runnable, subjectOf } from "./definitions/definition.ts";
import { show } from "./util/describe-value.ts";

/** What a body is made from, until it is. */
interface Making<Input, Result> {
  readonly definition: Runnable<Input, Result>;
  readonly input: Input;
  readonly context: Context;
}

/** A body that is made with its first resumption: what is no generator function must not run before it, either. */
export class LazyBody<Input, Result> implements Body<Result> {
  #body: Body<Result> | undefined;
  #making: Making<Input, Result> | undefined;

  constructor(making: Making<Input, Result>) {
    this.#making = making;
  }

  next(value?: unknown): ReturnType<Body<Result>["next"]> {
    return promised(this.#made().next(value));
  }

  throw(error: unknown): ReturnType<Body<Result>["throw"]> {
    return promised(this.#made().throw(error));
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
    this.#body = bodyOf(this.#making as Making<Input, Result>);
    // What the body needs of that, it holds itself.
    this.#making = undefined;
    return this.#body;
  }
}

/** A generator that is not async says at once what it yields. */
const promised = <Next>(next: Next | Promise<Next>): Promise<Next> => Promise.resolve(next);

function bodyOf<Input, Result>({ definition, input, context }: Making<Input, Result>): Body<Result> {
  const body = definition.run(input, context);
  const isGenerator =
    typeof body === "object" && body !== null && "next" in body && "throw" in body && "return" in body;
  if (isGenerator) return body;
  throw new InvalidDefinition(
    `${subjectOf(definition)} returned ${show(body)}; write its run as an async generator: async *run(…).`,
  );
}
