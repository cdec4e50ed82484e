/** Effects as data that `yield*` accepts: the iterator, and the brand of effects that a builder has made and checked. */
import { trackEffect, markUsed, type TrackedEffect } from "../unyielded-effects.ts";

/** An effect as data, of which `yield*` returns the typed answer. */
export type Yieldable<Asked, Answer> = Asked & {
  [Symbol.iterator](): Iterator<Asked, Answer, unknown>;
};

/** The answer that `yield*` returns for an effect. */
export type AnswerOf<Asked> = Asked extends {
  [Symbol.iterator](): Iterator<unknown, infer Answer, unknown>;
}
  ? Answer
  : never;

// A constructor may return another object. The private fields of a subclass are then added to that object.
const Given = function (given: object): object {
  return given;
} as unknown as new (given: object) => object;

/** A private field, which no copy and no other data has. A WeakSet would do the same, at a cost for the garbage collector. */
class BuiltBrand extends Given {
  readonly #isMade = true;

  static has(value: object): boolean {
    return #isMade in value && value.#isMade;
  }
}

/** Whether a builder has made and checked an object. */
export const hasBrand = (value: object): boolean => BuiltBrand.has(value);

export const addBrand = (effect: object): void => void new BuiltBrand(effect);

/** Freezes an effect and makes `yield*` return its answer. A plain `yield` works too, untyped. */
export function yieldable<Asked extends TrackedEffect, Answer>(question: Asked): Yieldable<Asked, Answer> {
  Object.defineProperty(question, Symbol.iterator, iterator);
  Object.defineProperty(question, Symbol.asyncIterator, asyncIterator);
  addBrand(question);
  trackEffect(question);
  // The iterator was defined above; the type system does not see `defineProperty`.
  return Object.freeze(question) as Yieldable<Asked, Answer>;
}

/** For synchronous generators: yields the effect once and returns the value that the generator is resumed with. */
const iterator: PropertyDescriptor = {
  *value(this: object): Generator<unknown, unknown, unknown> {
    markUsed(this);
    return yield this;
  },
};

/** For async generators, which continue in fewer microtasks after an async iterator. */
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
