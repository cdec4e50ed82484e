/** Helpers of tests that drive a run as a host does. */
import {
  memoryJournal,
  run,
  tool,
  type Body,
  type JournalEntry,
  type Journal,
  type Replies,
  type Round,
  type Run,
  type Tool,
} from "@photon/core";

/** A tool without input. */
export function toolOf<Result>(body: () => Body<Result>): Tool<Record<string, unknown>, Result> {
  return tool({ name: "story", run: body });
}

/** Continues a run that must ask, and returns its round. */
export async function askedBy(running: Run<unknown>, replies?: Replies): Promise<Round> {
  const turn = await running.next(replies);
  if (turn.done) throw new Error(`The run has ended with ${JSON.stringify(turn.value)} instead of asking.`);
  return turn.round;
}

/** Continues a run that must end, and returns its result. */
export async function endOf<Result>(running: Run<Result>, replies?: Replies): Promise<Result> {
  const turn = await running.next(replies);
  if (turn.done) return turn.value;
  throw new Error(`The run asks ${Object.keys(turn.round).join(", ")} instead of ending.`);
}

/** The error that a promise rejects with; a text if it resolves, so that no assertion about an error passes. */
export function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => `Nothing was thrown; it gave ${JSON.stringify(value)}.`,
    (error: unknown) => error,
  );
}

/** Loads ajv, which takes real time, for tests whose clock does not move. */
export async function loadChecks(): Promise<void> {
  await run(
    toolOf(async function* () {}),
    {},
  );
}

/** A journal as it is read back from a file. */
export function reread({ entries }: Pick<Journal, "entries">): ReturnType<typeof memoryJournal> {
  return memoryJournal(JSON.parse(JSON.stringify(entries)) as readonly JournalEntry[]);
}

/** A reply with a value. */
export const accept = (value?: unknown): { readonly action: "accept"; readonly value?: unknown } => ({
  action: "accept",
  ...(value === undefined ? {} : { value }),
});
