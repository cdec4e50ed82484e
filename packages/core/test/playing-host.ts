/** What a test does in a host's place: takes the turns of a run, and reads its journal back as a file would give it. */
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

/** A tool without input that is nothing but its body. */
export function toolOf<Result>(body: () => Body<Result>): Tool<Record<string, unknown>, Result> {
  return tool({ name: "story", run: body });
}

/** Goes on with a run that is to ask something, and gives back what it asks. */
export async function askedBy(running: Run<unknown>, replies?: Replies): Promise<Round> {
  const turn = await running.next(replies);
  if (turn.done) throw new Error(`The run has ended with ${JSON.stringify(turn.value)} instead of asking.`);
  return turn.round;
}

/** Goes on with a run that is to end, and gives back what it returned. */
export async function endOf<Result>(running: Run<Result>, replies?: Replies): Promise<Result> {
  const turn = await running.next(replies);
  if (turn.done) return turn.value;
  throw new Error(`The run asks ${Object.keys(turn.round).join(", ")} instead of ending.`);
}

/** What a promise is rejected with; where it is not, a text that says so and fits no claim about an error. */
export function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => `Nothing was thrown; it gave ${JSON.stringify(value)}.`,
    (error: unknown) => error,
  );
}

/** Loads what checks answers, which takes real time the first time, so that a clock that stands still finds it loaded. */
export async function loadChecks(): Promise<void> {
  await run(
    toolOf(async function* () {}),
    {},
  );
}

/** A journal that has been to a file and back. */
export function reread({ entries }: Pick<Journal, "entries">): ReturnType<typeof memoryJournal> {
  // What was written is what is read.
  return memoryJournal(JSON.parse(JSON.stringify(entries)) as readonly JournalEntry[]);
}

/** Says yes with a value. */
export const accept = (value?: unknown): { readonly action: "accept"; readonly value?: unknown } => ({
  action: "accept",
  ...(value === undefined ? {} : { value }),
});
