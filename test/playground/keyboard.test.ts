/** The playground without a mouse, from the address bar to an answered question; and for those who do not see it. */
import { ask, tool, type Body } from "@photon/core";
import type { Page as Tab } from "playwright-core";
import { describe, expect, it } from "vitest";
import { press } from "../../packages/server/test/pages/browser.ts";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { kitchenSink, stage } from "./stage.ts";

const playground = usePlayground();

/** What has the focus, as it is called: by its label, or by its words. */
function focused(tab: Tab): Promise<string> {
  return tab.evaluate<string>(`(({ activeElement: it }) =>
    (it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent).trim())(document)`);
}

/** What the focus is in. */
function place(tab: Tab): Promise<string> {
  return tab.evaluate<string>(
    `(({ activeElement: it }) => it.closest("dialog") ? "question" : it.tagName)(document)`,
  );
}

/** Goes from one thing to the next until one is called this. */
async function tabTo(tab: Tab, name: RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 60) {
    await press(tab, key);
    passed.push(await focused(tab));
    if (name.test(passed.at(-1) ?? "")) return;
  }
  throw new Error(`Nothing is called ${name}. Passed: ${passed.join(" | ")}`);
}

const NARROW = { viewport: { width: 390, height: 800 } };

describe.each([
  { screen: "a wide screen", size: {} },
  { screen: "a narrow screen", size: NARROW },
])("on $screen, by keyboard alone,", ({ size }) => {
  it(verifies("D3", "a tool is found, filled in, run and answered"), async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url, size));
    const { tab, run } = person;
    await tabTo(tab, /^Search tools/);
    await tab.keyboard.type("rate clip");
    // Enter chooses from the list, which may not have arrived yet.
    await expect.poll(() => tab.evaluate<string>("document.body.innerText")).toContain("1 found");
    await press(tab, "Enter");

    await tabTo(tab, /^clip/);
    await tab.keyboard.type("take-1.wav");
    await tabTo(tab, /^Run$/);
    await press(tab, "Enter");

    await person.asked("How many stars for take-1.wav?");
    await press(tab, "Space", "ArrowRight", "ArrowRight", "ArrowRight", "Enter");

    await run.getByRole("heading", { name: /^done/ }).waitFor();
    expect(await run.getByRole("listitem").last().innerText()).toContain('"stars": 4');
    expect(await focused(tab)).toBe("Run");
  });
});

describe("by keyboard alone,", () => {
  const pair = tool({
    name: "pair",
    async *run(): Body<string> {
      const name = yield* ask.text("Name?");
      return (yield* ask.confirm("Sure?")) ? `${name}, sure` : `${name}, not sure`;
    },
  });

  it("the focus stays in a question, and goes back to where it was", async () => {
    const { url } = await stage({ tools: [pair] });
    const person = new Person(await playground.visit(url, { place: "#tool/pair" }));
    const { tab } = person;
    await tabTo(tab, /^Run$/);
    await press(tab, "Enter");
    await person.asked("Name?");

    const places = new Set<string>();
    for (let count = 0; count < 12; count++) {
      await press(tab, count < 6 ? "Tab" : "Shift+Tab");
      places.add(await place(tab));
    }
    // Past the last button a browser may go to its own, which a page sees as its body.
    places.delete("BODY");
    expect([...places]).toEqual(["question"]);

    await press(tab, "Escape");
    await person.question.waitFor({ state: "hidden" });
    expect(await focused(tab)).toBe("Run");
    await tab.getByRole("button", { name: "1 question waits" }).waitFor();
    expect(await person.run.getByText("Cancelled", { exact: true }).count()).toBe(0);
  });

  it("Escape sets a question aside with what was typed, and not the one behind it", async () => {
    const asking = (name: string, message: string) =>
      tool({
        name,
        async *run(): Body<string> {
          return yield* ask.text(message);
        },
      });
    const { url } = await stage({ tools: [asking("one", "One?"), asking("two", "Two?")] });
    const person = new Person(await playground.visit(url, { place: "#tool/one" }));
    const { tab } = person;
    await person.runIt();
    await person.asked("One?");
    await press(tab, "Escape");
    await person.choose("two");
    await person.runIt();
    await person.asked("Two?");
    await press(tab, "Escape");
    await tab.getByRole("button", { name: "2 questions wait" }).click();
    await person.asked("One?");
    await tab.keyboard.type("half");

    await press(tab, "Escape");
    await person.asked("Two?");
    // A browser lets a page keep its dialog once, and closes it by itself the second time.
    await press(tab, "Escape");
    await person.question.waitFor({ state: "hidden" });

    await tab.getByRole("button", { name: "2 questions wait" }).click();
    const again = await person.asked("One?");
    expect(await again.getByRole("textbox").inputValue()).toBe("half");
  });

  it("the next question is begun in its box", async () => {
    const three = tool({
      name: "three",
      async *run(): Body<void> {
        yield* ask.all({ one: ask.text("One?"), two: ask.text("Two?") });
      },
    });
    const { url } = await stage({ tools: [three] });
    const person = new Person(await playground.visit(url, { place: "#tool/three" }));
    await person.runIt();
    await person.asked("One?");
    await person.tab.keyboard.type("first");
    await press(person.tab, "Enter");

    const question = await person.asked("Two?");
    await person.tab.keyboard.type("typed");
    expect(await question.getByRole("textbox").inputValue()).toBe("typed");
  });

  it("no yes is said by somebody who was still typing", async () => {
    const { url } = await stage({ tools: [pair] });
    const person = new Person(await playground.visit(url, { place: "#tool/pair" }));
    await tabTo(person.tab, /^Run$/);
    await press(person.tab, "Enter");
    await person.asked("Name?");
    await person.tab.keyboard.type("Ada");
    await press(person.tab, "Enter");
    await person.asked("Sure?");

    await press(person.tab, "Enter", "Space");
    expect(await person.question.count()).toBe(1);
    await press(person.tab, "Tab");
    expect(await focused(person.tab)).toBe("Yes");
    await press(person.tab, "Enter");

    expect((await person.ending()).says).toContain("Ada, sure");
  });

  it("the list is gone through with arrows, from the search and back", async () => {
    const { url } = await kitchenSink();
    const { tab } = new Person(await playground.visit(url));
    await press(tab, "/");
    await tab.keyboard.type("song");
    await press(tab, "ArrowDown", "ArrowDown", "ArrowUp");
    const first = await focused(tab);
    await press(tab, "ArrowDown");
    const second = await focused(tab);
    expect(second).not.toBe(first);

    await press(tab, "Enter");

    const title = await tab.getByRole("main").getByRole("heading", { level: 1 }).innerText();
    expect(second).toContain(title.trim());
  });

  it("the wire is folded, unfolded, searched and read", async () => {
    const { url } = await stage({ tools: [pair] });
    const { tab } = new Person(await playground.visit(url, { viewport: { width: 1280, height: 800 } }));
    const wire = tab.getByRole("complementary", { name: "Wire" });
    await wire.waitFor();
    await tabTo(tab, /^Wire$/);
    await press(tab, "Enter");
    expect(await wire.count()).toBe(0);
    await press(tab, "Space");
    await wire.waitFor();

    await tabTo(tab, /^Search the messages$/);
    await tab.keyboard.type("tools/list");
    await tabTo(tab, /tools\/list/);
    await press(tab, "Enter");

    await wire.getByText('"method": "tools/list"').waitFor();
  });

  it("a search of the wire that finds nothing says so, and not that there is nothing", async () => {
    const { url } = await stage({ tools: [pair] });
    const { tab } = new Person(await playground.visit(url, { viewport: { width: 1280, height: 800 } }));
    await tabTo(tab, /^Search the messages$/);
    await tab.keyboard.type("no such words");

    await tab.getByText("No message is like that.").waitFor();
    expect(await tab.getByText("Nothing has gone over the wire.").count()).toBe(0);
    await tabTo(tab, /^Clear$/);
    await press(tab, "Enter");
    await tab.getByText("Nothing has gone over the wire.").waitFor();
  });

  it("runs are gone through with arrows", async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url, { place: "#tool/draw_waveform" }));
    const { tab } = person;
    await tabTo(tab, /^Run$/);
    await press(tab, "Enter");
    await tab.getByRole("tab").first().waitFor();
    await press(tab, "Enter");
    await tab.getByRole("tab").nth(1).waitFor();
    await tabTo(tab, /^Draw a waveform,/);

    await press(tab, "ArrowRight");
    expect(await tab.getByRole("tab").nth(1).getAttribute("aria-selected")).toBe("true");
    await press(tab, "ArrowLeft");
    expect(await tab.getByRole("tab").first().getAttribute("aria-selected")).toBe("true");
  });
});

describe("by keyboard alone, a run", () => {
  it("is cancelled and forgotten, and the focus is not lost with the buttons for it", async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url, { place: "#tool/set_tempo" }));
    const { tab, run } = person;
    await person.runIt();
    await person.asked(/^How fast/);
    await person.press("Later");

    await run.getByRole("button", { name: "Cancel" }).press("Enter");
    await run.and(tab.locator(":focus")).waitFor();
    await run.getByRole("button", { name: "Forget" }).press("Enter");

    await expect.poll(() => focused(tab)).toBe("Set the tempo");
  });
});

describe("by keyboard alone, a question", () => {
  it("is brought back and answered, and the focus is not lost with the button for it", async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url, { place: "#tool/set_tempo" }));
    await person.runIt();
    await person.asked(/^How fast/);
    await person.press("Later");

    await person.tab.getByRole("button", { name: "1 question waits" }).press("Enter");
    await person.asked(/^How fast/);
    await person.question.getByRole("button", { name: "Accept" }).press("Enter");

    await expect.poll(() => person.run.and(person.tab.locator(":focus")).count()).toBe(1);
  });
});

describe("for those who do not see the page,", () => {
  it("word is given that somebody is wanted, how a run goes, and how it has ended", async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url, { place: "#tool/set_tempo" }));
    await person.runIt();
    await person.asked(/^How fast/);
    const alert = person.tab.locator(".page > [role=alert]");
    expect(await alert.textContent()).toBe("Set the tempo asks: How fast is it, in beats a minute?");
    expect(await person.tab.title()).toBe("(1) Wanted · Photon");

    await person.press("Accept");

    const status = person.tab.locator(".page > [role=status]");
    await expect.poll(() => status.textContent()).toBe("Set the tempo: done");
    await expect.poll(() => alert.textContent()).toBe("");
  });
});

const ANIMATION = `getComputedStyle(document.querySelector(".run-state .icon")).animationName`;

describe("where motion is not wanted,", () => {
  const waiting = tool({
    name: "waiting",
    async *run(_, { signal }): Body<void> {
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve, { once: true });
      });
    },
  });

  it.each([
    ["nothing moves", "reduce", "none"],
    ["what goes on turns everywhere else", "no-preference", "turn"],
  ] as const)("%s", async (_, reducedMotion, animation) => {
    const { url } = await stage({ tools: [waiting] });
    const person = new Person(await playground.visit(url, { reducedMotion, place: "#tool/waiting" }));
    await person.runIt();

    const { tab } = person;
    const icon = person.run.locator(".run-state .icon");
    await icon.waitFor();
    expect(await tab.evaluate(ANIMATION)).toBe(animation);
  });
});
