import type { Asking, Effect, Step } from "../effects.ts";

/** A question as data that also takes `yield*`, which hands back its answer, typed. */
export type Answerable<Question, Answer> = Question & {
  [Symbol.iterator](): Iterator<Question, Answer, unknown>;
};

/** What `yield*` gives back for a question. */
export type AnswerTo<Question> = Question extends {
  [Symbol.iterator](): Iterator<unknown, infer Answer, unknown>;
}
  ? Answer
  : never;

/** What constructors have made, and so have checked. A copy, or data that only looks alike, is not in it. */
const made = new WeakSet<object>();

export const isMade = (value: object): value is Effect => made.has(value);

export const markMade = (effect: Effect): void => void made.add(effect);

/** Freezes a question and makes `yield* question` hand back the answer; `yield question` works too, untyped. */
export function answerable<Question extends Asking | Step, Answer>(
  question: Question,
): Answerable<Question, Answer> {
  Object.defineProperty(question, Symbol.iterator, iterator);
  markMade(question);
  // The property was defined on the line above; the type system does not see `defineProperty`.
  return Object.freeze(question) as Answerable<Question, Answer>;
}

/** One for all questions: yields the question once and returns what it is resumed with. */
const iterator: PropertyDescriptor = {
  *value(this: unknown): Generator<unknown, unknown, unknown> {
    return yield this;
  },
};
