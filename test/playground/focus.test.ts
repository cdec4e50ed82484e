/** A question that arrives while the person is busy: it waits, and no key that was meant for something else answers it. */
import { ask, tool, type Body } from "@photon/core";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { press } from "../../packages/server/test/pages/browser.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

/** A tool that works until the test says so, and then asks. */
function slow(): { readonly slowly: ReturnType<typeof tool>; readonly finish: () => void } {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slowly = tool({
    name: "slowly",
    input: { type: "object", properties: { note: { type: "string", maxLength: 50 } } },
    async *run(): Body<string> {
      await done;
      return `named ${yield* ask.text("Name?", { default: "nobody" })}`;
    },
  });
  return { slowly, finish };
}

const EDITABLE = `
  const box = document.createElement("div");
  box.contentEditable = "true";
  box.setAttribute("role", "textbox");
  box.setAttribute("aria-label", "Notes");
  document.querySelector("main").append(box);
`;

const LIST = `
  const list = document.createElement("select");
  list.setAttribute("aria-label", "Colour");
  list.append(new Option("red"), new Option("green"));
  document.querySelector("main").append(list);
`;

const TYPED = `document.activeElement.value ?? document.activeElement.textContent`;

const isFocused = (person: Person, field: Locator): Promise<number> =>
  field.and(person.tab.locator(":focus")).count();

/** Opens the page, starts the slow tool by mouse, and has the person in a field when it asks. */
async function busyIn(field: (person: Person) => Promise<Locator>) {
  const { slowly, finish } = slow();
  const { url } = await stage({ tools: [slowly] });
  const viewport = { width: 1280, height: 800 };
  const person = new Person(await playground.visit(url, { place: "#tool/slowly", viewport }));
  await person.runIt();
  const box = await field(person);
  await box.focus();
  return { person, box, finish };
}

const waits = (person: Person): Locator => person.tab.getByRole("button", { name: "1 question waits" });

describe("a question that arrives while a field is in use", () => {
  it.each<[string, (person: Person) => Promise<Locator>]>([
    ["an input", async ({ wire }) => wire.getByLabel("Search the messages")],
    [
      "a textarea",
      async ({ main }) => {
        await main.getByRole("button", { name: "JSON" }).click();
        return main.getByLabel("Input as JSON");
      },
    ],
    [
      "an editable element",
      async ({ tab, main }) => {
        await tab.evaluate(EDITABLE);
        return main.getByRole("textbox", { name: "Notes" });
      },
    ],
  ])("leaves the focus and the keys to %s", async (_, field) => {
    const { person, box, finish } = await busyIn(field);
    await person.tab.keyboard.type("be");
    finish();
    await waits(person).waitFor();
    await person.tab.keyboard.type("gun");
    await press(person.tab, "Enter");

    expect(await isFocused(person, box)).toBe(1);
    expect(await person.tab.evaluate(TYPED)).toContain("begun");
    expect(await person.question.count()).toBe(0);
  });

  it("leaves the focus and the keys to a list", async () => {
    const { person, box, finish } = await busyIn(async ({ tab, main }) => {
      await tab.evaluate(LIST);
      return main.getByRole("combobox", { name: "Colour" });
    });
    finish();
    await waits(person).waitFor();
    await person.tab.keyboard.type("g");

    expect(await box.inputValue()).toBe("green");
    expect(await isFocused(person, box)).toBe(1);
  });

  it("is announced, and is reached and answered by keyboard", async () => {
    const { person, finish } = await busyIn(async ({ main }) => main.getByLabel(/^note/));
    finish();
    await waits(person).waitFor();
    expect(await person.tab.locator(".page > [role=alert]").textContent()).toMatch(
      /^slowly asks: Name\?.*1 question waits/,
    );

    for (let count = 0; count < 30 && (await isFocused(person, waits(person))) === 0; count++)
      await press(person.tab, "Shift+Tab");
    await press(person.tab, "Enter");
    await person.asked("Name?");
    await person.tab.keyboard.type("Ada");
    await press(person.tab, "Enter");

    expect((await person.ending()).says).toMatch(/named .*Ada/);
  });

  it("is shown at once where the field's own Enter started the run, and no key came since", async () => {
    const { slowly, finish } = slow();
    const { url } = await stage({ tools: [slowly] });
    const person = new Person(await playground.visit(url, { place: "#tool/slowly" }));
    await person.main.getByLabel(/^note/).fill("first");
    await press(person.tab, "Enter");
    await person.run.waitFor();
    finish();

    const question = await person.asked("Name?");
    expect(await isFocused(person, question.getByRole("textbox"))).toBe(1);
  });

  it("waits where the field is typed into again after its Enter started the run", async () => {
    const { slowly, finish } = slow();
    const { url } = await stage({ tools: [slowly] });
    const person = new Person(await playground.visit(url, { place: "#tool/slowly" }));
    const note = person.main.getByLabel(/^note/);
    await note.fill("first");
    await press(person.tab, "Enter");
    await person.run.waitFor();
    await person.tab.keyboard.type(", sec");
    finish();
    await waits(person).waitFor();
    await person.tab.keyboard.type("ond");

    expect(await note.inputValue()).toBe("first, second");
    expect(await person.question.count()).toBe(0);
  });

  it("does not get the keys for a question that is taken back while it is typed into", async () => {
    const { slowly, finish } = slow();
    const brief = tool({
      name: "brief",
      async *run(): Body<string> {
        return yield* ask.text("Brief?", { timeout: "4s" });
      },
    });
    const { url } = await stage({ tools: [slowly, brief] });
    const person = new Person(await playground.visit(url, { place: "#tool/slowly" }));
    await person.runIt();
    await person.choose("brief");
    await person.runIt();
    const first = await person.asked("Brief?");
    finish();
    await first.getByRole("button", { name: "slowly" }).waitFor();
    const second = person.tab.getByRole("dialog", { name: "Name?" });
    while (!(await second.isVisible())) await person.tab.keyboard.type("x");
    await person.tab.keyboard.type("more");
    await press(person.tab, "Enter");

    expect(await second.getByRole("textbox").inputValue()).toBe("nobody");
  });
});

describe("Enter in a question", () => {
  const suggesting = tool({
    name: "suggesting",
    async *run(): Body<string> {
      return `named ${yield* ask.text("Name?", { default: "nobody" })}`;
    },
  });

  it("does not accept a suggestion that was not touched, and says how it is accepted", async () => {
    const { url } = await stage({ tools: [suggesting] });
    const person = new Person(await playground.visit(url, { place: "#tool/suggesting" }));
    await person.runIt();
    const question = await person.asked("Name?");
    await press(person.tab, "Enter", "Enter");
    await question.getByRole("status").filter({ hasText: "Accept" }).waitFor();
    expect(await person.question.count()).toBe(1);

    await person.press("Accept");
    expect((await person.ending()).says).toContain("named nobody");
  });

  it("accepts what was typed", async () => {
    const { url } = await stage({ tools: [suggesting] });
    const person = new Person(await playground.visit(url, { place: "#tool/suggesting" }));
    await person.runIt();
    await person.asked("Name?");
    await person.tab.keyboard.type("Ada");
    await press(person.tab, "Enter");

    expect((await person.ending()).says).toMatch(/named .*Ada/);
  });

  it.each([
    ["side by side", 2],
    ["in a list", 9],
  ])("does not choose from options %s that were not touched", async (_, count) => {
    const options = Array.from({ length: count }, (_none, index) => `option ${index + 1}`);
    const picking = tool({
      name: "picking",
      async *run(): Body<string> {
        return yield* ask.select("Which?", options, { default: "option 1" });
      },
    });
    const { url } = await stage({ tools: [picking] });
    const person = new Person(await playground.visit(url, { place: "#tool/picking" }));
    await person.runIt();
    await person.asked("Which?");
    await press(person.tab, "Enter");
    expect(await person.question.count()).toBe(1);
    await press(person.tab, "ArrowDown");
    await person.press("Accept");

    expect((await person.ending()).says).toContain("option 2");
  });

  it("does not open the page of a question that has only arrived", async () => {
    const visiting = tool({
      name: "visiting",
      async *run(): Body<void> {
        yield* ask.url("Sign in?", "https://example.test/sign-in");
      },
    });
    const { url } = await stage({ tools: [visiting] });
    const person = new Person(await playground.visit(url, { place: "#tool/visiting" }));
    await person.runIt();
    await person.asked("Sign in?");
    await press(person.tab, "Enter");

    expect(person.tab.context().pages()).toHaveLength(1);
  });
});

describe("a dangerous question", () => {
  it("is shown as dangerous, and not answered with yes by the keys that fill in a form", async () => {
    const deleting = tool({
      name: "deleting",
      async *run(): Body<string> {
        return (yield* ask.confirm("Delete it?", { dangerous: true })) ? "deleted" : "kept";
      },
    });
    const { url } = await stage({ tools: [deleting] });
    const person = new Person(await playground.visit(url, { place: "#tool/deleting" }));
    await person.runIt();
    const question = await person.asked("Delete it?");
    // The author said dangerous, and not that it cannot be undone.
    await question.getByText("This is dangerous.").waitFor();
    await press(person.tab, "Enter", "Space", "y");
    expect(await person.question.count()).toBe(1);
    await press(person.tab, "Tab", "Enter");

    expect((await person.ending()).says).toContain("kept");
  });
});
