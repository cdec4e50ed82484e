import { it } from "vitest";
import { verifies } from "../requirements.ts";
import { assertEnding } from "./assert-ending.ts";
import type { Scenario } from "./scenario.ts";
import { titleOf } from "./scenarios.ts";
import type { Studio } from "./studio.ts";
import type { ToolResult } from "./tool-result.ts";

/** Runs scenarios, each in a new studio, and asserts how they end. */
export function runAll(
  scenarios: readonly Scenario[],
  run: (scenario: Scenario) => Promise<ToolResult>,
  studioOf: () => Studio,
): void {
  it.each(scenarios.map((scenario) => [titleOf(scenario), scenario] as const))(
    verifies("D4", "%s"),
    // Some start a process.
    { timeout: 60_000 },
    async (_, scenario) => {
      const studio = studioOf();
      await studio.tidy();
      if (scenario.after !== undefined) await run(scenario.after);
      await studio.remember();
      const result = await run(scenario);

      await assertEnding(result, scenario, studio);
    },
  );
}
