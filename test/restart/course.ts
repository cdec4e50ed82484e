/** What a wizard came to, whoever carried it: to be held against the live one. */
import type { CallResponse } from "./stateless-calls.ts";
import type { Ledger } from "./ledger.ts";
import type { UninterruptedRun } from "./uninterrupted.ts";

export interface Course {
  readonly result: unknown;
  /** The keys of what it asked, in their order. */
  readonly asked: readonly string[];
  /** The steps that were done, in their order, each as often as it was. */
  readonly steps: readonly string[];
  /** How many runs the keys of the steps belong to, and how many tokens were drawn at their beginning. */
  readonly runs: number;
  readonly tokens: number;
}

/** The course of a run that was never interrupted, but whose steps may have been repeated. */
export const uninterruptedCourse = (
  { result, asked, steps }: UninterruptedRun,
  repeated = steps,
): Course => ({
  result,
  asked,
  steps: repeated,
  runs: 1,
  tokens: 1,
});

export function courseOf(responses: readonly CallResponse[], ledger: Ledger): Course {
  return {
    result: responses.at(-1)?.result?.structuredContent,
    asked: responses.flatMap(({ result }) => Object.keys(result?.inputRequests ?? {})),
    ...stepsIn(ledger),
  };
}

export function stepsIn({ done }: Ledger): Pick<Course, "steps" | "runs" | "tokens"> {
  const keys = done.map(({ key }) => key.split("/"));
  return {
    steps: keys.map(([, step = ""]) => step),
    runs: new Set(keys.map(([run]) => run)).size,
    tokens: new Set(done.map(({ token }) => token)).size,
  };
}
