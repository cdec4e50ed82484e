/**
 * The type of an example's `check.ts`.
 *
 * A check calls the tools of its example through a connected client, gives the user's answers, and asserts the results.
 * The tests run every check over several transports (test/examples.test.ts).
 */

/** The result of a call. */
interface CallOutcome {
  /** The texts of the result, one per line. */
  readonly text: string;
  /** The structured content; empty if the result has none. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** The messages of the progress notifications, in order. */
  readonly progress: readonly string[];
}

/** Calls a tool. The user gives these answers, in order. */
export type Call = (
  tool: string,
  input?: Readonly<Record<string, unknown>>,
  answers?: readonly unknown[],
) => Promise<CallOutcome>;

export type Check = (call: Call) => Promise<void>;

/** What a user can do instead of answering. */
export const decline = { action: "decline" } as const;
export const cancel = { action: "cancel" } as const;
