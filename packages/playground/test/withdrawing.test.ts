/** Questions that nobody can answer any more are taken off the page. */
import { ask, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { expect, it } from "vitest";
import { stage } from "./stage.ts";
import { ended, happened } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const hasty = tool({
  name: "hasty",
  description: "Does not wait for long",
  async *run() {
    const { action } = yield* ask.outcome(ask.text("Quick, who?", { timeout: "30s" }));
    return `It was a ${action}.`;
  },
});

onEveryWay((how) => {
  it("withdraws a question whose time is over, and the tool hears of it", async () => {
    const clock = testClock();
    const { open } = await stage({ tools: [hasty], clock });
    const tab = open(how, { clock });
    const run = await tab.call("hasty");
    const question = await tab.question();
    expect(question.details.deadline).toBe(clock.now() + 30_000);

    await clock.advance("31s");

    expect(await ended(run)).toEqual({ state: "done" });
    expect(happened(run, "withdrawn")).toMatchObject([{ question: { message: "Quick, who?" } }]);
    expect(JSON.stringify(happened(run, "result"))).toContain("It was a timeout.");
    expect(tab.desk.questions.value).toEqual([]);
  });
});

onEveryWay(
  (how) => {
    it("does not judge by a clock that is not the server's", async () => {
      const { open } = await stage({ tools: [hasty], clock: testClock(0) });
      const tab = open(how);
      const run = await tab.call("hasty");

      await tab.accept("Ada");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(happened(run, "withdrawn")).toEqual([]);
    });

    it("withdraws after a reload what was over meanwhile", async () => {
      const clock = testClock();
      const { open } = await stage({ tools: [hasty], clock });
      const tab = open(how, { clock });
      await tab.call("hasty");
      await tab.question();

      tab.reload();
      await tab.isOpen();
      const [run] = tab.desk.runs.value;
      if (run === undefined) throw new Error("The run is gone.");
      await clock.advance("31s");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(happened(run, "withdrawn")).toHaveLength(1);
    });
  },
  ["2026-07-28"],
);
