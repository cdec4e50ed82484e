import { it } from "vitest";
import { verifies } from "../requirements.ts";
import { assertEnding } from "./assert-ending.ts";
import type { Performance } from "./performance.ts";
import { titleOf } from "./performances.ts";
import type { Studio } from "./studio.ts";
import type { Told } from "./told.ts";

/** Has performances played, each in a studio that is as good as new, and looks at what is left there. */
export function playAll(
  performances: readonly Performance[],
  perform: (performance: Performance) => Promise<Told>,
  place: () => Studio,
): void {
  it.each(performances.map((performance) => [titleOf(performance), performance] as const))(
    verifies("D4", "%s"),
    // Some are played by a process that has to start.
    { timeout: 60_000 },
    async (_, performance) => {
      const studio = place();
      await studio.tidy();
      if (performance.after !== undefined) await perform(performance.after);
      await studio.remember();
      const told = await perform(performance);

      await assertEnding(told, performance, studio);
    },
  );
}
