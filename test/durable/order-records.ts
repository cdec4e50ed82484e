/** What the tools of order.mjs have written down, held against what their callers were given. */
import type { CompletedCall } from "./callers.ts";
import type { Deployment } from "./deployment.ts";

/** What a tool wrote of one answer. */
interface OrderRecord {
  readonly key: string;
  readonly question: string;
  readonly answer: string;
}

/** What has gone wrong, by its kind; every list is empty where nothing has. */
export interface OrderProblems {
  /** The keys of steps that were done more than once. */
  readonly doneTwice: readonly string[];
  /** Questions that were written down by more than one run or step. */
  readonly askedTwice: readonly string[];
  /** Answers that another run was given than the one that asked. */
  readonly misplaced: readonly OrderRecord[];
  /** Calls that were given other answers than those that were written down. */
  readonly wrongResults: readonly CompletedCall[];
  /** Answers that were written down for calls that were made anew. */
  readonly ofUnbegun: readonly OrderRecord[];
}

export const recordsOf = (deployment: Deployment): readonly OrderRecord[] =>
  deployment.lines("records").map((line) => JSON.parse(line) as OrderRecord);

export function problemsIn(
  records: readonly OrderRecord[],
  completed: readonly CompletedCall[],
): OrderProblems {
  const answers = new Map(records.map(({ question, answer }) => [question, answer]));
  const tokens = new Set(completed.map(({ token }) => token));
  return {
    doneTwice: repeated(records.map(({ key }) => key)),
    askedTwice: repeated(records.map(({ question }) => question)),
    misplaced: records.filter(({ question, answer }) => !answer.startsWith(`${question}#`)),
    wrongResults: completed.filter(
      ({ token, answers: given }) =>
        given.length !== 3 || given.some((answer, index) => answer !== answers.get(`${token}/${index + 1}`)),
    ),
    ofUnbegun: records.filter(({ question }) => !tokens.has(question.replace(/\/\d$/, ""))),
  };
}

export const noProblems: OrderProblems = {
  doneTwice: [],
  askedTwice: [],
  misplaced: [],
  wrongResults: [],
  ofUnbegun: [],
};

const repeated = (values: readonly string[]): readonly string[] =>
  values.filter((value, index) => values.indexOf(value) < index);
