import { expect } from "vitest";
import type { Ending, NonAnswer, Performance } from "./performance.ts";
import type { Studio } from "./studio.ts";
import { textOf, type Told } from "./told.ts";

/** Compares what a call came to, and what it has left in the studio, with how it should end. */
export async function assertEnding(
  told: Told,
  { says, isError = false, gives = isError ? undefined : ["text"], changes = {} }: Ending,
  studio: Studio,
): Promise<void> {
  expect(textOf(told)).toContain(says);
  // An error may come with a remark about the client.
  if (gives !== undefined) expect(told.content.map(({ type }) => type)).toEqual(gives);
  expect(told.isError).toBe(isError);
  expect(await studio.changes()).toEqual(changes);
}

const ERRORS: { readonly [action in NonAnswer]: string } = {
  decline: "The person declined to answer",
  cancel: "was cancelled.",
  timeout: "No answer to",
};

/** How a performance ends where this question has no answer. */
export function endingWithout(performance: Performance, key: string, action: NonAnswer): Ending {
  return performance.otherwise?.[key]?.[action] ?? { says: ERRORS[action], isError: true };
}
