/** Several who ask at once. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const asking = (name: string, message: string) =>
  tool({
    name,
    async *run() {
      return `${name}: ${yield* ask.text(message, { id: "one" })}`;
    },
  });
const tools = [asking("baker", "Which bread?"), asking("smith", "Which horse?")];

/** Somebody whom both ask; the smith was set aside before the baker asked. */
async function bothAsk(): Promise<Person> {
  const { url } = await stage({ tools });
  const person = new Person(await playground.visit(url));
  await person.choose("smith");
  await person.runIt();
  await person.asked("Which horse?");
  await person.press("Later");
  await person.choose("baker");
  await person.runIt();
  await person.asked("Which bread?");
  return person;
}

async function answer(person: Person, message: string, words: string): Promise<void> {
  await (await person.asked(message)).getByRole("textbox").fill(words);
  await person.press("Accept");
}

describe("while two runs ask", () => {
  it(verifies("D3", "the list, the header and the tab's title say that somebody is wanted"), async () => {
    const person = await bothAsk();

    expect(await person.tab.title()).toBe("(2) Wanted · Photon");
    await person.press("Later");
    await person.question.waitFor({ state: "hidden" });
    expect(await person.list.getByRole("button", { name: "asks something" }).count()).toBe(2);
    expect(await person.tab.getByRole("button", { name: "2 questions wait" }).isVisible()).toBe(true);
  });

  it(verifies("D3", "what was set aside is asked when the other is answered, and wanted"), async () => {
    const person = await bothAsk();

    await answer(person, "Which bread?", "rye");
    expect((await person.ending()).says).toContain("baker: rye");
    expect(await person.tab.title()).toBe("(1) Wanted · Photon");
    await person.tab.getByRole("button", { name: "1 question waits" }).click();
    await answer(person, "Which horse?", "grey");
    await person.tab.getByRole("tab", { name: "smith , done" }).click();

    expect((await person.ending()).says).toContain("smith: grey");
    expect(await person.tab.title()).not.toContain("Wanted");
  });

  it(verifies("D3", "they queue up in sight, and the second can be answered first"), async () => {
    const person = await bothAsk();
    await person.press("Later");
    await person.tab.getByRole("button", { name: "2 questions wait" }).click();

    const first = await person.asked("Which horse?");
    expect(await first.innerText()).toContain("1 of 2 questions. Also waiting:");
    await first.getByRole("textbox").fill("half a ho");
    await first.getByRole("button", { name: "baker" }).click();
    await answer(person, "Which bread?", "rye");
    const second = await person.asked("Which horse?");
    expect(await second.getByRole("textbox").inputValue()).toBe("half a ho");
    await answer(person, "Which horse?", "grey");

    await person.tab.getByRole("tab", { name: "smith , done" }).click();
    expect((await person.ending()).says).toContain("smith: grey");
    await person.tab.getByRole("tab", { name: "baker , done" }).click();
    expect((await person.ending()).says).toContain("baker: rye");
  });

  it("what is set aside can be gone back to from its run", async () => {
    const person = await bothAsk();
    await person.press("Later");

    await person.run.getByRole("button", { name: "Answer", exact: true }).click();
    await answer(person, "Which bread?", "rye");

    expect((await person.ending()).says).toContain("baker: rye");
  });
});
