/**
 * A click that is under way when a dangerous question is shown, or moves, does not say yes to it.
 *
 * The clock of the page stands still but where a test lets it run: how long the machine takes for a click does not matter.
 */
import { ask, tool, type Body } from "@photon/core";
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

/** Has a person asked something dangerous, at a moment that lasts. */
async function askedAtOnce(message: string): Promise<{ readonly person: Person; readonly yes: Locator }> {
  const deleting = tool({
    name: "deleting",
    async *run(): Body<string> {
      return (yield* ask.confirm(message, { dangerous: true })) ? "deleted" : "kept";
    },
  });
  const { url } = await stage({ tools: [deleting] });
  const viewport = { width: 1280, height: 800 };
  const person = new Person(await playground.visit(url, { place: "#tool/deleting", viewport }));
  await person.tab.clock.install();
  await person.tab.clock.pauseAt(Date.now() + 60_000);
  await person.runIt();
  await person.question.waitFor();
  return { person, yes: person.question.getByRole("button", { name: "Yes", exact: true }) };
}

/** Clicks where it is, without waiting until it can be clicked. */
async function clickAt({ tab }: Person, yes: Locator): Promise<void> {
  const box = await yes.boundingBox();
  if (box === null) throw new Error("There is no Yes to be seen.");
  await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

async function ending(person: Person): Promise<string> {
  await person.tab.clock.resume();
  return (await person.ending()).says;
}

it("clicks that go on while it is shown do not answer it, and one that comes half a second later does", async () => {
  const { person, yes } = await askedAtOnce("Delete it?");

  for (let count = 0; count < 30; count++) {
    await clickAt(person, yes);
    await person.tab.clock.runFor(50);
  }
  expect(await yes.isEnabled()).toBe(false);

  await person.tab.clock.runFor(600);
  await clickAt(person, yes);
  expect(await ending(person)).toContain("deleted");
});

it("a click right after its Yes was scrolled into view, or moved, does not answer it", async () => {
  const { person, yes } = await askedAtOnce(`Delete these?\n${"One more of them.\n".repeat(60)}`);
  await person.tab.clock.runFor(600);
  expect(await yes.isEnabled()).toBe(true);

  for (const move of [
    () => yes.scrollIntoViewIfNeeded(),
    () => person.tab.setViewportSize({ width: 1000, height: 780 }).then(() => yes.scrollIntoViewIfNeeded()),
  ]) {
    await move();
    await clickAt(person, yes);
    await person.tab.clock.runFor(100);
    expect(await yes.isEnabled()).toBe(false);
    await person.tab.clock.runFor(600);
    expect(await yes.isEnabled()).toBe(true);
  }

  await clickAt(person, yes);
  expect(await ending(person)).toContain("deleted");
});
