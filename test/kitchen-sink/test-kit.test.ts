import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tools } from "../../examples/kitchen-sink/definitions.ts";
import { verifies } from "../requirements.ts";
import { endingWithout, assertEnding } from "./assert-ending.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios, titleOf } from "./scenarios.ts";
import { runInTestKit } from "./run-in-test-kit.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());
beforeEach(() => studio.tidy());

async function setUp({ after }: Scenario): Promise<void> {
  if (after !== undefined) await runInTestKit(after);
  await studio.remember();
}

describe("the kitchen sink", () => {
  it("has a scenario for every tool", () => {
    const covered = new Set(scenarios.map(({ tool }) => tool));

    expect(tools.map(({ name }) => name).filter((name) => !covered.has(name ?? ""))).toEqual([]);
  });

  it.each(scenarios.map((scenario) => [titleOf(scenario), scenario] as const))(
    verifies("D4", "with %s"),
    async (_, scenario) => {
      await setUp(scenario);
      const { result } = await runInTestKit({ ...scenario, after: undefined });

      await assertEnding(result, scenario, studio);
    },
  );
});

const asking = scenarios.filter(({ answers, roots, model }) => answers ?? roots ?? model);

describe.each(asking.map((scenario) => [titleOf(scenario), scenario] as const))(
  "the kitchen sink, %s",
  (_, scenario) => {
    it.each(["decline", "cancel", "timeout"] as const)(
      verifies(["D4", "B1"], "with a %s at any of its questions"),
      async (action) => {
        const { questions } = await runInTestKit(scenario);
        const keys = new Set(questions.map(({ key }) => key));

        expect(keys.size).toBeGreaterThan(0);
        for (const key of keys) {
          await studio.tidy();
          await setUp(scenario);
          const { result } = await runInTestKit({ ...scenario, after: undefined }, { key, action });

          await assertEnding(result, endingWithout(scenario, key, action), studio);
        }
      },
    );
  },
);
