/** A click that is under way when a dangerous question is shown, or moves, does not say yes to it. */
import { ask, tool, type Body } from "@photon/core";
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

/** The middle of the Yes of the question that is shown. */
async function placeOf(yes: Locator): Promise<[x: number, y: number]> {
  const box = await yes.boundingBox();
  if (box === null) throw new Error("There is no Yes to be seen.");
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Has the person in front of the page of a tool that asks something dangerous, each time once it is let. */
async function beforeDeleting(message: string) {
  let isLet: Promise<void> | undefined;
  const deleting = tool({
    name: "deleting",
    async *run(): Body<string> {
      await isLet;
      return (yield* ask.confirm(message, { dangerous: true })) ? "deleted" : "kept";
    },
  });
  const { url } = await stage({ tools: [deleting], minReadingTime: "none" });
  const viewport = { width: 1280, height: 800 };
  const person = new Person(await playground.visit(url, { place: "#tool/deleting", viewport }));
  const hold = (): (() => void) => {
    let release = (): void => {};
    isLet = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  return { person, hold, yes: person.question.getByRole("button", { name: "Yes", exact: true }) };
}

it("clicks that are under way when it is shown do not answer it, and one that comes after them does", async () => {
  const { person, hold, yes } = await beforeDeleting("Delete it?");
  await person.runIt();
  await person.asked("Delete it?");
  const place = await placeOf(yes);
  await person.press("Decline");
  await person.ending();
  const letAsk = hold();
  await person.runIt();

  const begun = performance.now();
  letAsk();
  while (performance.now() - begun < 2000) await person.tab.mouse.click(...place);
  expect(await person.question.count()).toBe(1);

  await person.press("Yes");
  expect((await person.ending()).says).toContain("deleted");
});

it("a click right after its Yes was scrolled into view, or moved, does not answer it", async () => {
  const { person, yes } = await beforeDeleting(`Delete these?\n${"One more of them.\n".repeat(60)}`);
  await person.runIt();
  await person.asked(/^Delete these/);
  await expect.poll(() => yes.isEnabled()).toBe(true);

  await yes.scrollIntoViewIfNeeded();
  await person.tab.mouse.click(...(await placeOf(yes)));
  expect(await person.question.count()).toBe(1);

  await expect.poll(() => yes.isEnabled()).toBe(true);
  await person.tab.setViewportSize({ width: 1000, height: 780 });
  await yes.scrollIntoViewIfNeeded();
  await person.tab.mouse.click(...(await placeOf(yes)));
  expect(await person.question.count()).toBe(1);

  await expect.poll(() => yes.isEnabled()).toBe(true);
  await person.press("Yes");
  expect((await person.ending()).says).toContain("deleted");
});
