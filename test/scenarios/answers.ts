/** How people at a client answer. */
import type { ElicitResult, RequestId } from "@modelcontextprotocol/sdk/types.js";

export interface Asked {
  readonly message: string;
  /** The id of the request. */
  readonly id: RequestId;
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
}

export type Answer = (asked: Asked) => ElicitResult | Promise<ElicitResult>;

/** Nobody is there who could answer. */
export const nobody: Answer = ({ message }) => {
  throw new Error(`Nobody expects to be asked ${message}`);
};

export const accept =
  (content?: ElicitResult["content"]): Answer =>
  () => ({ action: "accept", ...(content === undefined ? {} : { content }) });

export const decline: Answer = () => ({ action: "decline" });

export const cancel: Answer = () => ({ action: "cancel" });

/** The first answer to the first question, the second to the second, and so on. */
export function inTurn(...answers: readonly Answer[]): Answer {
  const left = [...answers];
  return (asked) => {
    const next = left.shift();
    return next === undefined ? nobody(asked) : next(asked);
  };
}

/** Somebody who thinks until nobody wants to know any more. */
export function thinker(): {
  readonly answer: Answer;
  /** Settles when there is a question. */
  readonly asked: Promise<Asked>;
  /** Settles when the question was taken back. */
  readonly dropped: Promise<void>;
} {
  let ask: (question: Asked) => void = () => {};
  let drop = (): void => {};
  const asked = new Promise<Asked>((resolve) => {
    ask = resolve;
  });
  const dropped = new Promise<void>((resolve) => {
    drop = resolve;
  });
  const answer: Answer = (question) => {
    ask(question);
    return new Promise((resolve) => {
      const stop = (): void => {
        drop();
        // Nobody reads this: the client answers no request that was taken back.
        resolve({ action: "cancel" });
      };
      // A busy client may hear of the question and that it was taken back at once.
      if (question.signal.aborted) stop();
      else question.signal.addEventListener("abort", stop);
    });
  };
  return { answer, asked, dropped };
}

/** Somebody who answers after so many milliseconds, when it may be too late. */
export const slow =
  (wait: number, answer: Answer): Answer =>
  async (asked) => {
    await new Promise((resolve) => {
      setTimeout(resolve, wait);
    });
    return answer(asked);
  };

/** People who wait until so many questions are there, then answer them, the last one first. */
export function lastFirst(
  count: number,
): (answer: (message: string) => ElicitResult["content"] | undefined) => Answer {
  const answers: (() => void)[] = [];
  return (answer) =>
    ({ message }) =>
      new Promise((resolve) => {
        const content = answer(message);
        answers.push(() => resolve({ action: "accept", ...(content === undefined ? {} : { content }) }));
        if (answers.length === count) for (const give of answers.toReversed()) give();
      });
}
