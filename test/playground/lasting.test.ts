/** A question outlives the page, the connection and the server, where the revision lets it. */
import { ask, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { startExample } from "../kitchen-sink/processes.ts";
import { Studio } from "../kitchen-sink/studio.ts";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

// Nobody answers at the port for a while.
const mayComplain = /WebSocket connection to .* failed|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET/;

const greeter = tool({
  name: "greet",
  async *run() {
    return `Hello, ${yield* ask.text("Your name?", { id: "name" })}.`;
  },
});

async function greeted(person: Person): Promise<void> {
  await (await person.asked("Your name?")).getByRole("textbox").fill("Ada");
  await person.press("Accept");
}

describe("a page that is reloaded", () => {
  it(verifies("D3", "has its open question again, which can be answered"), async () => {
    const { url } = await stage({ tools: [greeter] });
    const person = new Person(await playground.visit(url));
    await person.choose("greet");
    await person.runIt();
    await person.asked("Your name?");

    await person.tab.reload();
    await greeted(person);

    expect(await person.ending()).toEqual({ state: "done", says: expect.stringContaining("Hello, Ada.") });
  });

  it(verifies("D3", "has cancelled its runs in 2025-11-25, and says so before and after"), async () => {
    const { url } = await stage({ tools: [greeter] });
    const person = new Person(await playground.visit(url));
    await person.speak("2025-11-25");
    const warning = person.tab.getByText("reloading this page cancels its runs");
    expect(await warning.isVisible()).toBe(true);
    await person.choose("greet");
    await person.runIt();
    await person.asked("Your name?");

    await person.tab.reload();

    expect(await person.ending()).toEqual({
      state: "cancelled",
      says: expect.stringContaining("The page was reloaded, and a call over 2025-11-25 ends"),
    });
    expect(await person.question.isVisible()).toBe(false);
  });
});

describe("a connection that is lost", () => {
  it(verifies("D3", "leaves the question open; its answer waits until there is one again"), async () => {
    const { url, port, server, stopListening } = await stage({ tools: [greeter] });
    const person = new Person(await playground.visit(url, { mayComplain }));
    await person.choose("greet");
    await person.runIt();
    await person.asked("Your name?");

    await stopListening();
    await person.says("connection lost");
    expect(await person.tab.getByText("The connection was lost:").isVisible()).toBe(true);
    await greeted(person);
    await person.run.getByRole("heading", { name: /^waits for the connection/ }).waitFor();
    await server.listen({ port, playground: true });

    expect(await person.ending()).toEqual({ state: "done", says: expect.stringContaining("Hello, Ada.") });
    await person.says("connected");
  });
});

describe("a server that is started again", () => {
  it(verifies(["D3", "E2"], "takes the answer to what a durable tool had asked"), async () => {
    const studio = await Studio.open();
    onTestFinished(() => studio.close());
    await studio.tidy();
    const environment = {
      PHOTON_KEYS: "a key of thirty-two bytes or more",
      KITCHEN_SINK_DATA: studio.folder,
    };
    const before = await startExample("kitchen-sink", environment);
    onTestFinished(() => before.close());
    const person = new Person(await playground.visit(before.url, { mayComplain }));
    await person.follow("release_song", {});
    await person.runIt();
    await (await person.asked("What is it called?")).getByRole("textbox").fill("Opener");
    await person.press("Accept");
    await person.asked("When does it come out?");

    await before.close();
    await person.says("connection lost");
    const after = await startExample("kitchen-sink", { ...environment, PORT: new URL(before.url).port });
    onTestFinished(() => after.close());
    await person.says("connected");
    await person.question.getByLabel("When does it come out?").fill("2026-09-01");
    await person.press("Accept");
    await (
      await person.asked("Which shops should sell it?")
    )
      .getByRole("checkbox", { name: "Bandstand" })
      .check();
    await person.press("Accept");
    await person.asked("In one word, how does it sound?");
    await person.press("Decline");
    await person.asked('Release "Opener" on 2026-09-01, at Bandstand?');
    await person.press("No");

    expect((await person.ending()).says).toContain("Nothing was released.");
  });
});
