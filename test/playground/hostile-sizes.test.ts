/** More than anybody reads. What is on the page stays bounded, and the page answers. */
import { ask, emit, tool, type Body } from "@photon/core";
import type { Page as Tab } from "playwright-core";
import { describe, expect, it } from "vitest";
import { usePlayground } from "./browser.ts";
import { framesToChoose, scrollToBeginning, weigh } from "./frames.ts";
import { hostileServer, odd, result } from "./hostile-server.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const MEGABYTE = 1_000_000;

const small = tool({
  name: "small",
  async *run() {
    return "small";
  },
});

async function assertAnswering(tab: Tab): Promise<void> {
  expect(await framesToChoose(tab, "small")).toBeLessThan(10);
  const { elements, characters, rows } = await weigh(tab);
  expect(elements).toBeLessThan(120_000);
  expect(characters).toBeLessThan(2 * MEGABYTE);
  expect(rows).toBeLessThan(1000);
}

async function runOf(body: () => Body<unknown>): Promise<Person> {
  const { url } = await stage({ tools: [tool({ name: "large", run: body }), small] });
  const person = new Person(await playground.visit(url, { place: "#tool/large" }));
  await person.runIt();
  return person;
}

describe("the playground shows", () => {
  it.each<[string, string]>([
    ["in one line", "x".repeat(10 * MEGABYTE)],
    ["in a million lines", "a line\n\n\n\n".repeat(MEGABYTE)],
    ["in wide characters", "\u{1F9D9}".repeat(5 * MEGABYTE)],
  ])("the beginning of ten megabytes of text %s, and more of it on request", async (_, text) => {
    const person = await runOf(async function* () {
      return text;
    });
    expect(await person.ending()).toMatchObject({ state: "done" });
    await assertAnswering(person.tab);

    const before = (await weigh(person.tab)).characters;
    await person.run.getByRole("button", { name: "Show more" }).click();
    await expect.poll(async () => (await weigh(person.tab)).characters).toBeGreaterThan(before);
    await person.choose("large");
    await assertAnswering(person.tab);
  });

  it("the beginning of ten megabytes of data", async () => {
    const person = await runOf(async function* () {
      return Array.from({ length: 100_000 }, (_, index) => ({ index, text: "x".repeat(80) }));
    });
    expect(await person.ending()).toMatchObject({ state: "done" });
    await assertAnswering(person.tab);
  });

  it("a question whose message has a megabyte, and its buttons", async () => {
    const person = await runOf(async function* () {
      return String(yield* ask.confirm(`Sure? ${"x".repeat(MEGABYTE)}`));
    });
    await person.asked(/^Sure\?/);
    expect((await weigh(person.tab)).characters).toBeLessThan(MEGABYTE / 10);
    await person.press("Yes");
    expect((await person.ending()).says).toContain("true");
    await assertAnswering(person.tab);
  });

  it("what is left of a flood of 20,000 notifications, and says that there were more", async () => {
    const person = await runOf(async function* () {
      for (let count = 1; count <= 20_000; count++) yield emit.log("info", `drop ${count}`);
      return "over";
    });
    // However long it takes on a busy machine.
    await person.run.locator(".state-done").waitFor({ timeout: 50_000 });
    expect(await person.run.getByText("drop 20000", { exact: true }).count()).toBe(1);
    await assertAnswering(person.tab);

    await scrollToBeginning(person.tab);
    await person.run.getByText(/^1\d{4} earlier entries were let go/).waitFor();
    await person.choose("large");
    await assertAnswering(person.tab);
  }, 60_000);

  it("the first of a result's 20,000 pieces, and more of them on request", async () => {
    const pieces = Array.from({ length: 20_000 }, (_, index) => ({ type: "text", text: `piece ${index}` }));
    const { url } = await hostileServer({
      tools: [odd({}), odd({ name: "small" })],
      call: () => [result({ content: pieces })],
    });
    const person = new Person(await playground.visit(url, { place: "#tool/odd" }));
    await person.runIt();
    await person.run.getByText("piece 0", { exact: true }).waitFor();
    await assertAnswering(person.tab);

    expect(await person.run.getByText("piece 150", { exact: true }).count()).toBe(0);
    await person.run.getByRole("button", { name: "Show more" }).click();
    await person.run.getByText("piece 150", { exact: true }).waitFor();
  });
});
