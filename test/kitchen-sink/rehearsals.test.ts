import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tools } from "../../examples/kitchen-sink/definitions.ts";
import { verifies } from "../requirements.ts";
import { endingWithout, assertEnding } from "./assert-ending.ts";
import type { Performance } from "./performance.ts";
import { performances, titleOf } from "./performances.ts";
import { rehearse } from "./rehearse.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());
beforeEach(() => studio.tidy());

async function setUp({ after }: Performance): Promise<void> {
  if (after !== undefined) await rehearse(after);
  await studio.remember();
}

describe("the kitchen sink", () => {
  it("has a performance of every tool", () => {
    const shown = new Set(performances.map(({ tool }) => tool));

    expect(tools.map(({ name }) => name).filter((name) => !shown.has(name ?? ""))).toEqual([]);
  });

  it.each(performances.map((performance) => [titleOf(performance), performance] as const))(
    verifies("D4", "with %s"),
    async (_, performance) => {
      await setUp(performance);
      const { told } = await rehearse({ ...performance, after: undefined });

      await assertEnding(told, performance, studio);
    },
  );
});

const asking = performances.filter(({ answers, roots, model }) => answers ?? roots ?? model);

describe.each(asking.map((performance) => [titleOf(performance), performance] as const))(
  "%s; but",
  (_, performance) => {
    it.each(["decline", "cancel", "timeout"] as const)(
      verifies(["D4", "B1"], "makes no answer of a %s, whichever question comes to it"),
      async (action) => {
        const { questions } = await rehearse(performance);
        const keys = new Set(questions.map(({ key }) => key));

        expect(keys.size).toBeGreaterThan(0);
        for (const key of keys) {
          await studio.tidy();
          await setUp(performance);
          const { told } = await rehearse({ ...performance, after: undefined }, { key, action });

          await assertEnding(told, endingWithout(performance, key, action), studio);
        }
      },
    );
  },
);
