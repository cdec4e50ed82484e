/**
 * How an example checks itself.
 *
 * A check is given somebody at a client, over whatever transport: it calls the example's tools, says what the person
 * answers, and looks at what came of it. The tests run every check over several transports.
 */

/** What a call came to. */
interface Called {
  /** The texts of the result, a line each. */
  readonly text: string;
  /** What it is as data; nothing in it where it is words alone. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** What was told on the way: the messages of its progress. */
  readonly told: readonly string[];
}

/** Calls a tool. The person gives these answers, one after another. */
export type Call = (
  tool: string,
  input?: Readonly<Record<string, unknown>>,
  answers?: readonly unknown[],
) => Promise<Called>;

export type Check = (call: Call) => Promise<void>;

/** What a person may do instead of answering. */
export const decline = { action: "decline" } as const;
export const cancel = { action: "cancel" } as const;
