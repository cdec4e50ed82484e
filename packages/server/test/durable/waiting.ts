/** What waits in an inbox, and what is said to it. */
import { expect } from "vitest";
import type { Inbox } from "../../src/index.ts";

/** The only run that waits. */
export async function onlyRun(inbox: Inbox): Promise<string> {
  const { runs } = await inbox.list();
  expect(runs).toHaveLength(1);
  return runs[0]?.run ?? "";
}

/** An answer. */
export const yes = (value: unknown) => ({ action: "accept", value }) as const;
