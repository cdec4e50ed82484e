/** On a narrow screen there is one pane at a time: which it is to begin with. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();
const viewport = { width: 360, height: 700 };

const greeter = tool({
  name: "greet",
  async *run() {
    return `Hello, ${yield* ask.text("Your name?", { id: "name" })}.`;
  },
});

describe("on a narrow screen", () => {
  it(verifies("D3", "the list comes first, and what is chosen in it next"), async () => {
    const { url } = await stage({ tools: [greeter] });
    const person = new Person(await playground.visit(url, { viewport }));

    await person.list.getByRole("button", { name: "greet" }).click();

    await person.tab.getByRole("heading", { level: 1, name: "greet" }).waitFor();
    expect(await person.list.isVisible()).toBe(false);
  });

  it("a link leads past the list", async () => {
    const { url } = await stage({ tools: [greeter] });
    const person = new Person(await playground.visit(url, { viewport, place: "#tool/greet" }));

    await person.tab.getByRole("heading", { level: 1, name: "greet" }).waitFor();
    expect(await person.list.isVisible()).toBe(false);
  });

  it("a run that a reload brought back is what is seen behind its question", async () => {
    const { url } = await stage({ tools: [greeter] });
    const person = new Person(await playground.visit(url, { viewport, place: "#tool/greet" }));
    await person.runIt();
    await person.asked("Your name?");

    await person.tab.goto(`${url}/?`);
    await (await person.asked("Your name?")).getByRole("textbox").fill("Ada");
    await person.press("Accept");

    expect((await person.ending()).says).toContain("Hello, Ada.");
  });
});
