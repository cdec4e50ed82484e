import { expect } from "vitest";
import type { Ending, NonAnswer, Scenario } from "./scenario.ts";
import type { Studio } from "./studio.ts";
import { textOf, type ToolResult } from "./tool-result.ts";

/** Asserts the result of a call, and the changes that it has made in the studio. */
export async function assertEnding(
  result: ToolResult,
  { says, isError = false, gives = isError ? undefined : ["text"], changes = {} }: Ending,
  studio: Studio,
): Promise<void> {
  expect(textOf(result)).toContain(says);
  // An error may have another text about the client.
  if (gives !== undefined) expect(result.content.map(({ type }) => type)).toEqual(gives);
  expect(result.isError).toBe(isError);
  expect(await studio.changes()).toEqual(changes);
}

const ERRORS: { readonly [action in NonAnswer]: string } = {
  decline: "The person declined to answer",
  cancel: "was cancelled.",
  timeout: "No answer to",
};

/** How a scenario ends if this question has no answer. */
export function endingWithout(scenario: Scenario, key: string, action: NonAnswer): Ending {
  return scenario.otherwise?.[key]?.[action] ?? { says: ERRORS[action], isError: true };
}
