/** Whether everybody can use the page: what axe has to say of each of its states. */
import { ask, emit, sample, tool } from "@photon/core";
import { describe, it } from "vitest";
import { verifies } from "../requirements.ts";
import { assertAccessible } from "./accessible.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const many = Array.from({ length: 30 }, (_, index) => `Option ${index + 1}`);

/** A question of each kind, as the page shows it; each is named by its message. */
const questions = {
  text: ask.text("text", { description: "As in your passport.", timeout: "5m" }),
  number: ask.number("number", { min: 1, max: 10 }),
  rating: ask.rating("rating"),
  confirm: ask.confirm("confirm"),
  dangerous: ask.confirm("dangerous", { dangerous: true }),
  few: ask.select("few", { a: { title: "A", description: "The first" }, b: "B" }),
  some: ask.select("some", many.slice(0, 10)),
  many: ask.select("many", many),
  several: ask.multiselect("several", ["a", "b", "c"], { min: 1, max: 2 }),
  severalOfMany: ask.multiselect("severalOfMany", many),
  day: ask.date("day"),
  moment: ask.date("moment", { time: true }),
  form: ask.form("form", {
    name: ask.text("Name"),
    email: ask.text("Email", { format: "email" }),
    level: ask.select("Level", ["new", "good"]),
    news: ask.confirm("News"),
  }),
  secret: ask.secret("secret"),
  file: ask.file("file"),
  url: ask.url("url", "https://example.com/"),
};

const asking = tool({
  name: "asking",
  async *run() {
    yield* ask.all(questions);
  },
});

const speaking = tool({
  name: "speaking",
  async *run() {
    yield* sample([{ role: "user", content: { type: "text", text: "Say something." } }], { maxTokens: 100 });
  },
});

const working = tool({
  name: "working",
  input: {
    type: "object",
    properties: {
      customer: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      lines: { type: "array", items: { type: "string" }, default: ["one"] },
      kind: { enum: ["new", "old"] },
      gift: { type: "boolean" },
    },
    required: ["kind"],
  },
  async *run(_, { signal }) {
    yield emit.progress(0.5, "Half of it is done");
    yield emit.log("warning", { careful: true });
    yield emit.log("error", "This went wrong");
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true });
    });
  },
});

const failing = tool({
  name: "failing",
  async *run() {
    throw new Error("This went wrong");
  },
});

const tools = [asking, speaking, working, failing];

/** What has failed in a tool is told to whoever called it. */
const report = (): void => {};

// In the dark colours are different, and nothing else.
describe.each([
  { colorScheme: "light", onlyColours: false },
  { colorScheme: "dark", onlyColours: true },
] as const)("in $colorScheme, axe finds nothing serious", ({ colorScheme, onlyColours }) => {
  it(
    verifies(
      "D3",
      "in the list, a form, what is wrong with it, a run, one that failed, the wire and the settings",
    ),
    async () => {
      const { url } = await stage({ tools, report });
      const person = new Person(await playground.visit(url, { colorScheme }));
      const { tab, main } = person;
      await person.choose("working");
      await main.getByLabel("kind").waitFor();
      await assertAccessible(tab, "list and form", { onlyColours });
      await main.getByRole("button", { name: "Run", exact: true }).click();
      await main.getByRole("alert").waitFor();
      await assertAccessible(tab, "form with problems", { onlyColours, within: "main" });

      await main.getByLabel("kind").selectOption("new");
      await person.runIt();
      await person.run.getByText("This went wrong").waitFor();
      await assertAccessible(tab, "run", { onlyColours, within: "main" });
      await person.run.getByRole("button", { name: "Cancel" }).click();

      await person.choose("failing");
      await person.runIt();
      await person.ending();
      await person.wire.getByText("tools/call").last().click();
      await person.wire.getByText('"isError"').waitFor();
      await assertAccessible(tab, "failed run, and the wire", { onlyColours });

      await tab.getByRole("button", { name: /settings$/ }).click();
      await tab.getByRole("dialog", { name: "Settings" }).waitFor();
      await assertAccessible(tab, "settings", { onlyColours, within: "dialog[open]" });
    },
  );

  it(
    verifies("D3", "in a question of any kind"),
    async () => {
      const { url } = await stage({ tools, report });
      const person = new Person(await playground.visit(url, { colorScheme }));
      const look = (state: string): Promise<void> =>
        assertAccessible(person.tab, state, { onlyColours, within: "dialog[open]" });
      await person.choose("asking");
      await person.runIt();
      for (const kind of Object.keys(questions)) {
        await person.asked(kind);
        await look(kind);
        if (kind === "form") {
          await person.press("Accept");
          await person.problemOf(person.question.getByLabel("Email"));
          await look("form with problems");
        }
        await person.press("Decline");
      }
      await person.ending();

      await person.choose("speaking");
      await person.runIt();
      await person.asked(/model/);
      await look("words for a model");
      // Axe looks at every kind: however long that takes on a busy machine.
    },
    60_000,
  );
});

it(
  verifies("D3", "on a narrow screen, axe finds nothing serious in any pane, nor in a question"),
  async () => {
    const { url } = await stage({ tools, report });
    const person = new Person(await playground.visit(url, { viewport: { width: 360, height: 700 } }));
    const { tab } = person;
    const show = (pane: string): Promise<void> =>
      tab.getByRole("button", { name: pane, exact: true }).click();
    await show("List");
    await person.list.getByRole("button", { name: "speaking" }).waitFor();
    await assertAccessible(tab, "list");
    await person.choose("speaking");
    await person.runIt();
    await person.asked(/model/);
    await assertAccessible(tab, "question", { within: "dialog[open]" });
    await person.press("Later");
    await assertAccessible(tab, "run");
    await show("Wire");
    await person.wire.waitFor();
    await assertAccessible(tab, "wire");
  },
);
