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
export function yieldable<Asked extends TrackedEffect, Answer>(effect: Asked): Yieldable<Asked, Answer> {
  Object.defineProperty(effect, Symbol.iterator, iterator);
  Object.defineProperty(effect, Symbol.asyncIterator, asyncIterator);
  addBrand(effect);
  trackEffect(effect);
  // The iterator was defined above; the type system does not see `defineProperty`.
  return Object.freeze(effect) as Yieldable<Asked, Answer>;
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
    return new SingleEffectIterator(this);
  },
};

class SingleEffectIterator implements AsyncIterator<unknown, unknown, unknown> {
  #effect: object | undefined;

  constructor(effect: object) {
    this.#effect = effect;
  }

  next(answer: unknown): Promise<IteratorResult<unknown, unknown>> {
    const effect = this.#effect;
    if (effect === undefined) return Promise.resolve({ done: true, value: answer });
    this.#effect = undefined;
    markUsed(effect);
    return Promise.resolve({ done: false, value: effect });
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
