/** Asks and steps as data that `yield*` accepts: the iterator, and the brand of what a constructor has made. */
import type { AskEffect, Effect, Step } from "../effects.ts";
import { trackEffect, markUsed } from "../unyielded-effects.ts";

/** A question as data that also takes `yield*`, which hands back its answer, typed. */
export type Yieldable<Asked, Answer> = Asked & {
  [Symbol.iterator](): Iterator<Asked, Answer, unknown>;
};

/** What `yield*` gives back for a question. */
export type AnswerOf<Asked> = Asked extends {
  [Symbol.iterator](): Iterator<unknown, infer Answer, unknown>;
}
  ? Answer
  : never;

// A constructor may give back another object than its own; the fields of a class that extends it are put there.
const Given = function (given: object): object {
  return given;
} as unknown as new (given: object) => object;

/**
 * What constructors have made, and so have checked, has a field that nobody sees, copies or makes but here. Data that
 * only looks alike has none. A set of all that was made would say the same, and be a burden to the garbage collector.
 */
class BuiltBrand extends Given {
  readonly #isMade = true;

  static has(value: object): boolean {
    return #isMade in value && value.#isMade;
  }
}

export const isBuilt = (value: unknown): value is Effect =>
  typeof value === "object" && value !== null && BuiltBrand.has(value);

export const brandBuilt = (effect: Effect): void => void new BuiltBrand(effect);

/** Freezes a question and makes `yield* question` hand back the answer; `yield question` works too, untyped. */
export function yieldable<Asked extends AskEffect | Step, Answer>(question: Asked): Yieldable<Asked, Answer> {
  Object.defineProperty(question, Symbol.iterator, iterator);
  Object.defineProperty(question, Symbol.asyncIterator, asyncIterator);
  brandBuilt(question);
  trackEffect(question);
  // The iterator was defined above; the type system does not see `defineProperty`.
  return Object.freeze(question) as Yieldable<Asked, Answer>;
}

/** One for all questions in generators that are not async: yields the question once and returns what it is resumed with. */
const iterator: PropertyDescriptor = {
  *value(this: object): Generator<unknown, unknown, unknown> {
    markUsed(this);
    return yield this;
  },
};

/** The same for async generators, which take fewer microtasks to continue after it than after an iterator. */
const asyncIterator: PropertyDescriptor = {
  value(this: object): AsyncIterator<unknown, unknown, unknown> {
    return new OneQuestion(this);
  },
};

class OneQuestion implements AsyncIterator<unknown, unknown, unknown> {
  #question: object | undefined;

  constructor(question: object) {
    this.#question = question;
  }

  next(answer: unknown): Promise<IteratorResult<unknown, unknown>> {
    const question = this.#question;
    if (question === undefined) return Promise.resolve({ done: true, value: answer });
    this.#question = undefined;
    markUsed(question);
    return Promise.resolve({ done: false, value: question });
  }

  throw(error: unknown): Promise<never> {
    // Rejects with what was thrown, which need not be an Error.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    return Promise.reject(error);
  }

  return(value: unknown): Promise<IteratorResult<unknown, unknown>> {
    return Promise.resolve({ done: true, value });
  }
}
