/** What a server keeps for somebody, asked by another client: seen and answered on the page. */
import { randomBytes } from "node:crypto";
import { ask, tool } from "@photon/core";
import { memoryStore } from "@photon/server";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overStatelessHttp } from "../clients/carriers.ts";
import { StatelessClient } from "../clients/raw-client.ts";
import { verifies } from "../requirements.ts";
import { assertAccessible } from "./accessible.ts";
import { usePlayground, type Visit } from "./browser.ts";
import { Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const greet = tool({
  name: "greet",
  durable: true,
  async *run() {
    // A pattern that the page leaves to the server: it repeats a group.
    const name = yield* ask.text("Your name?", { id: "name", pattern: "^([A-Z][a-z]*)+$" });
    return (yield* ask.confirm("Really?", { id: "really" })) ? `Hello, ${name}.` : "Nothing.";
  },
});

const login = tool({
  name: "login",
  durable: true,
  async *run() {
    const { action } = yield* ask.outcome(ask.secret("Password?", { id: "password" }));
    return `It was a ${action}.`;
  },
});

const remove = tool({
  name: "remove",
  title: "Delete a customer",
  description: "Deletes a customer and all of their orders.",
  durable: true,
  input: { type: "object" },
  async *run() {
    return (yield* ask.confirm("Delete it?", { id: "sure", dangerous: true })) ? "Deleted." : "Kept.";
  },
});

/** A server with a store, on which another client has called something; and somebody in front of its page. */
async function calledElsewhere(name: string, visit: Visit = {}, input = {}) {
  const keys = [randomBytes(32).toString("base64")];
  const { url, server } = await stage({ tools: [greet, login, remove], store: memoryStore(), keys });
  const client = new StatelessClient(overStatelessHttp(url));
  const called = await client.call(name, input);
  const person = new Person(await playground.visit(url, visit));
  return { url, server, client, called, person };
}

const waitingFor = ({ tab }: Person): Locator => tab.getByRole("region", { name: "Waiting" });

/** Has somebody come back to the page: it looks into the inbox at once. */
const comeBack = ({ tab }: Person): Promise<unknown> =>
  tab.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);

/** Waits until the page has looked once more, and shows what it saw: it has looked again since. */
async function looked(person: Person): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const seen = person.tab.waitForResponse((response) => new URL(response.url()).pathname === "/inbox");
    await comeBack(person);
    await seen;
  }
}

const takeUp = (person: Person): Promise<void> =>
  waitingFor(person).getByRole("listitem").getByRole("button").click();

/** What is said to those who do not see. */
const told = ({ tab }: Person, words: string): Promise<void> =>
  tab.getByRole("status").getByText(words, { exact: true }).waitFor({ state: "attached" });

describe("a question that was asked elsewhere", () => {
  it(
    verifies(["D3", "E6"], "is listed, answered in front of the page, and comes to its result"),
    async () => {
      const { person, client, called } = await calledElsewhere("greet");
      const item = waitingFor(person).getByRole("listitem");
      await item.waitFor();
      await assertAccessible(person.tab, "waiting");
      expect(await person.tab.getByRole("status").getByText("1 run waits for an answer").count()).toBe(1);

      expect(await item.innerText()).toMatch(/^greet\s+asks:\s+Your name\?\s+since .+, until .+/);
      await item.getByRole("button", { name: "Answer" }).press("Enter");
      await (await person.asked("Your name?")).getByRole("textbox").fill("Ada");
      await person.press("Accept");
      await person.asked("Really?");
      await person.press("Yes");

      expect(await person.ending()).toEqual({ state: "done", says: expect.stringContaining("Hello, Ada.") });
      await waitingFor(person).waitFor({ state: "hidden" });
      const back = await client.retry(called);
      expect(JSON.stringify(back.answer)).toContain("Hello, Ada.");
    },
  );

  it("says what was called, and with what, in the list and where it is answered", async () => {
    const { person } = await calledElsewhere("remove", {}, { id: 42 });
    const item = waitingFor(person).getByRole("listitem");
    await item.waitFor();
    const about = /Deletes a customer and all of their orders\.\s+Input: \{"id":42\}/;

    expect(await item.innerText()).toMatch(/^Delete a customer \(remove\)\s+asks:\s+Delete it\?/);
    expect(await item.innerText()).toMatch(about);
    await assertAccessible(person.tab, "waiting");
    await takeUp(person);
    expect(await (await person.asked("Delete it?")).innerText()).toMatch(about);
  });

  it("is declined, and its run is told so", async () => {
    const { person } = await calledElsewhere("greet");
    await takeUp(person);
    await person.asked("Your name?");

    await person.press("Decline");

    expect((await person.ending()).state).toBe("failed");
  });

  it("is given back with what is wrong, where only the server can tell", async () => {
    const { person } = await calledElsewhere("greet", { mayComplain: /status of 422/ });
    await takeUp(person);
    await (await person.asked("Your name?")).getByRole("textbox").fill("ada");

    await person.press("Accept");

    const question = await person.asked("Your name?");
    expect(await question.getByRole("alert").innerText()).toContain("The last answer was not taken:");
    expect(await question.getByRole("textbox").inputValue()).toBe("ada");
    await question.getByRole("textbox").fill("Ada");
    await person.press("Accept");
    await person.asked("Really?");
  });

  it("is taken back where it was answered meanwhile, and the run is looked at to its end", async () => {
    const { person, client, called } = await calledElsewhere("greet");
    await takeUp(person);
    await person.asked("Your name?");

    const second = await client.accept(called, { name: "Bob" });
    await comeBack(person);
    await person.asked("Really?");
    await client.accept(second, { really: true });
    await comeBack(person);

    expect(await person.ending()).toEqual({ state: "done", says: expect.stringContaining("Hello, Bob.") });
    expect(await person.question.isVisible()).toBe(false);
  });

  it("waits where it did once it is left", async () => {
    const { person } = await calledElsewhere("greet");
    await takeUp(person);
    await person.asked("Your name?");
    await person.press("Later");
    expect(await waitingFor(person).count()).toBe(0);

    await person.run.getByRole("button", { name: "Leave it" }).click();

    await waitingFor(person).getByRole("button", { name: "Answer" }).waitFor();
    expect((await person.ending()).state).toBe("cancelled");
  });

  it("is not answered here where it is a secret: it is told where, and can be refused", async () => {
    const { person } = await calledElsewhere("login");
    const item = waitingFor(person).getByRole("listitem");
    expect(await item.innerText()).toContain(
      "A secret is given on a page of the server, and the client that called leads there.",
    );
    await assertAccessible(person.tab, "waiting for a secret");
    await item.getByRole("button", { name: "Refuse" }).click();
    const question = await person.asked("Password?");

    expect(await question.getByRole("textbox").count()).toBe(0);
    expect(await question.getByRole("button", { name: "Accept" }).count()).toBe(0);
    expect(await question.innerText()).toContain(
      "A secret is given on a page of the server, and the client that called leads there. Go back to that client",
    );
    await person.press("Decline");

    expect((await person.ending()).says).toContain("It was a decline.");
  });
});

describe("more than fits on a page", () => {
  it(verifies(["D3", "E6"], "is reached by the keyboard, page by page, and told"), async () => {
    const { person, client } = await calledElsewhere("greet");
    for (let number = 1; number < 60; number++) await client.call(number < 50 ? "greet" : "login");
    await comeBack(person);
    await told(person, "Page 1: 50 runs wait for an answer, and there are more");
    const items = waitingFor(person).getByRole("listitem");
    const next = waitingFor(person).getByRole("button", { name: "Next" });
    await assertAccessible(person.tab, "pages of what waits");
    expect(await waitingFor(person).getByText("50 and more").count()).toBe(1);
    const first = await items.allInnerTexts();

    await next.press("Enter");

    await told(person, "Page 2: 10 runs wait for an answer");
    // Runs of the same millisecond are in the order of their ids: one or two of either tool may be on the other page.
    const tools = [...first, ...(await items.allInnerTexts())].map((text) => text.split(/\s/)[0]);
    expect(tools.filter((name) => name === "greet")).toHaveLength(50);
    expect(tools.filter((name) => name === "login")).toHaveLength(10);
    // It leads nowhere now, and whoever pressed it is still there.
    expect(await next.and(person.tab.locator(":focus")).count()).toBe(1);
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    await person.tab.keyboard.press("Shift+Tab");
    await person.tab.keyboard.press("Enter");
    await told(person, "Page 1: 50 runs wait for an answer, and there are more");
    expect(await items.first().innerText()).toMatch(/^greet/);
  });

  it("is shown up to the end of a list that was answered meanwhile", async () => {
    const { person, client, server } = await calledElsewhere("greet");
    for (let number = 1; number < 52; number++) await client.call("greet");
    const { runs } = await server.inbox.list({ limit: 60 });
    await comeBack(person);
    await waitingFor(person).getByRole("button", { name: "Next" }).click();
    await told(person, "Page 2: 2 runs wait for an answer");

    for (const { run } of runs.slice(50)) await server.inbox.answer(run, "name", { action: "decline" });
    await comeBack(person);

    await told(person, "50 runs wait for an answer");
    expect(await waitingFor(person).getByRole("button", { name: "Next" }).count()).toBe(0);
  });
});

describe("a page", () => {
  it("does not list what its own runs ask, before and after a reload", async () => {
    const keys = [randomBytes(32).toString("base64")];
    const { url, server } = await stage({ tools: [greet], store: memoryStore(), keys });
    const person = new Person(await playground.visit(url));
    await person.choose("greet");
    await person.runIt();
    await person.asked("Your name?");
    await person.press("Later");
    await looked(person);

    expect((await server.inbox.list()).runs).toHaveLength(1);
    expect(await waitingFor(person).count()).toBe(0);
    await person.tab.reload();
    await person.asked("Your name?");
    await person.press("Later");
    await looked(person);
    expect(await waitingFor(person).count()).toBe(0);
  });

  it("never asks for an inbox where there is none", async () => {
    const { url } = await stage({ tools: [greet] });
    const person = new Person(await playground.visit(url));
    const asked = `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)`;
    await person.tab.waitForFunction(`${asked}.includes("/healthz")`);
    await person.choose("greet");
    await person.runIt();
    await person.asked("Your name?");

    expect(await person.tab.evaluate(asked)).not.toContain("/inbox");
  });
});
