/** Answer handlers: how the user of a client answers a question. */
import type { ElicitRequest, ElicitResult, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { deferred } from "../../packages/server/src/util/timers.ts";

/** A question that has reached a client. */
export interface Question {
  readonly message: string;
  /** The parameters of `elicitation/create`. */
  readonly params: ElicitRequest["params"];
  /** The key of the question in its run, as `ask-1`. */
  readonly key: string;
  /** The id of the request; in 2026-07-28 the key. */
  readonly id: RequestId;
  /** Aborted when the question is cancelled. */
  readonly signal: AbortSignal;
}

export type AnswerHandler = (question: Question) => ElicitResult | Promise<ElicitResult>;

/** Fails: the test expects no question. */
export const noQuestion: AnswerHandler = ({ message }) => {
  throw new Error(`The test expects no question: ${message}`);
};

export const accept =
  (content?: ElicitResult["content"]): AnswerHandler =>
  () => ({ action: "accept", ...(content === undefined ? {} : { content }) });

/** Accepts a form with one field. */
export const acceptValue = (value: string | number | boolean | string[]): AnswerHandler => accept({ value });

/** Accepts a form with one field, with a value that depends on the message of the question. */
export const acceptBy =
  (valueOf: (message: string) => unknown): AnswerHandler =>
  async ({ message }) => ({
    action: "accept",
    // The server under test checks the value.
    content: { value: (await valueOf(message)) as string },
  });

export const decline: AnswerHandler = () => ({ action: "decline" });

export const cancel: AnswerHandler = () => ({ action: "cancel" });

/** Answers the first question with the first handler, the second with the second, and so on. */
export function inTurn(...handlers: readonly AnswerHandler[]): AnswerHandler {
  const left = [...handlers];
  return (question) => (left.shift() ?? noQuestion)(question);
}

/** Leaves a question open until it is cancelled. */
export function leaveOpen(): {
  readonly answer: AnswerHandler;
  /** Resolves when the question has arrived. */
  readonly asked: Promise<Question>;
  /** Resolves when the question was cancelled. */
  readonly cancelled: Promise<void>;
} {
  const asked = deferred<Question>();
  const cancelled = deferred();
  const answer: AnswerHandler = (question) => {
    asked.resolve(question);
    return new Promise((resolve) => {
      const stop = (): void => {
        cancelled.resolve();
        // The SDK sends no response to a request that was cancelled.
        resolve({ action: "cancel" });
      };
      // The question and its cancellation may arrive together.
      if (question.signal.aborted) stop();
      else question.signal.addEventListener("abort", stop);
    });
  };
  return { answer, asked: asked.promise, cancelled: cancelled.promise };
}

/** Accepts with a value when the test calls `release`. */
export function acceptOnRelease(value: string | number | boolean): {
  readonly answer: AnswerHandler;
  /** Resolves when the question has arrived. */
  readonly asked: Promise<void>;
  release(): void;
} {
  const asked = deferred();
  const released = deferred();
  return {
    asked: asked.promise,
    release: () => released.resolve(),
    async answer() {
      asked.resolve();
      await released.promise;
      return { action: "accept", content: { value } };
    },
  };
}

/** Answers after a delay in milliseconds. */
export const delayed =
  (delay: number, handler: AnswerHandler): AnswerHandler =>
  async (question) => {
    await new Promise((resolve) => {
      setTimeout(resolve, delay);
    });
    return handler(question);
  };

/** Waits until `count` questions are open, then accepts them, the last one first. */
export function lastFirst(
  count: number,
): (contentOf: (message: string) => ElicitResult["content"] | undefined) => AnswerHandler {
  const answers: (() => void)[] = [];
  return (contentOf) =>
    ({ message }) =>
      new Promise((resolve) => {
        const content = contentOf(message);
        answers.push(() => resolve({ action: "accept", ...(content === undefined ? {} : { content }) }));
        if (answers.length === count) for (const answer of answers.toReversed()) answer();
      });
}
