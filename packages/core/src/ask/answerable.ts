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

/** What was made here, and so was checked. A copy, or data that only looks alike, is not. */
const made = new WeakSet<object>();

export const isMade = (value: object): boolean => made.has(value);

/** Freezes a question and makes `yield* question` hand back the answer; `yield question` works too, untyped. */
export function answerable<Question extends object, Answer>(
  question: Question,
): Answerable<Question, Answer> {
  Object.defineProperty(question, Symbol.iterator, { value: () => answering<Question, Answer>(question) });
  made.add(question);
  // The property was defined on the line above; the type system does not see `defineProperty`.
  return Object.freeze(question) as Answerable<Question, Answer>;
}

/** Yields the question once and returns what it is resumed with. */
function* answering<Question, Answer>(question: Question): Generator<Question, Answer, unknown> {
  // The interpreter resumes a question only with a value that its check let through.
  return (yield question) as Answer;
}
