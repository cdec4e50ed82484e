/** A run of 5,000 entries: what is drawn stays small, and each new entry costs what the first one did. */
import { ask, emit, logLevels, tool, type Body } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { countAdded, framesToChoose, scrollToBeginning, weigh } from "./frames.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const MANY = 5000;

/** Tells a lot, and one thing more when somebody wants it. */
const talkative = tool({
  name: "talkative",
  async *run(): Body<string> {
    for (let count = 1; count <= MANY; count++) {
      const level = logLevels[count % logLevels.length] ?? "info";
      yield emit.log(level, `entry ${count}`);
    }
    while (yield* ask.confirm("One more?")) yield emit.log("error", "one more");
    return "that was all";
  },
});

const quiet = tool({
  name: "quiet",
  async *run() {
    return "…";
  },
});

async function manyEntries(): Promise<Person> {
  const { url } = await stage({ tools: [talkative, quiet] });
  const person = new Person(await playground.visit(url, { place: "#tool/talkative" }));
  await person.runIt();
  await person.question.waitFor({ timeout: 25_000 });
  return person;
}

describe("a run with 5,000 entries", () => {
  it(
    verifies("D3", "does not freeze the page: what is new is drawn, and nothing else is again"),
    async () => {
      const person = await manyEntries();
      expect(await person.run.getByText(`entry ${MANY}`, { exact: true }).count()).toBe(1);
      const { elements, rows } = await weigh(person.tab);
      expect(rows).toBeLessThan(1000);
      const added = await countAdded(person.tab);

      await person.press("Yes");
      await person.run.getByText("one more", { exact: true }).waitFor();
      await person.asked("One more?");

      // An entry, two about the question, the question itself, and what went over the wire.
      expect(await added()).toBeLessThan(400);
      expect(await added()).toBeLessThan(elements / 10);
      await person.press("Later");
      expect(await framesToChoose(person.tab, "quiet")).toBeLessThan(10);
      await person.runIt();
      expect(await person.ending()).toMatchObject({ state: "done" });
    },
  );

  it("has its beginning for whoever scrolls there, and is filtered by level", async () => {
    const person = await manyEntries();
    await person.press("Later");
    await scrollToBeginning(person.tab);
    await person.run.getByText("entry 1", { exact: true }).waitFor();

    const levels = person.run.getByLabel("Logs");
    await levels.selectOption("errors and above");
    const shown = person.run.locator(".entry-log .level");
    await expect
      .poll(async () => new Set(await shown.allTextContents()))
      .toEqual(new Set(["error", "critical", "alert", "emergency"]));
    expect((await weigh(person.tab)).rows).toBeLessThan(1000);

    await levels.selectOption("none");
    await expect.poll(() => shown.count()).toBe(0);
    await person.run.getByText("One more?").waitFor();

    await levels.selectOption("of every level");
    await person.run.getByText("entry 1", { exact: true }).waitFor();
  });
});
