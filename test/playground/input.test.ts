/** What a tool is called with, and the runs that come of it. */
import { ask, emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { linkTo, Person } from "./person.ts";
import { stage } from "./stage.ts";

const playground = usePlayground();

const order = tool({
  name: "order",
  input: {
    type: "object",
    properties: {
      customer: {
        type: "object",
        title: "Customer",
        properties: {
          name: { type: "string", title: "Name", minLength: 2 },
          kind: { type: "string", title: "Kind", enum: ["new", "old"] },
        },
        required: ["name"],
      },
      lines: {
        type: "array",
        title: "Lines",
        items: {
          type: "object",
          properties: {
            what: { type: "string", title: "What" },
            count: { type: "integer", title: "Count", minimum: 1, default: 1 },
          },
          required: ["what"],
        },
      },
      due: { type: "string", format: "date", title: "Due" },
      gift: { type: "boolean", title: "Gift" },
    },
    required: ["customer"],
  },
  async *run(input) {
    return JSON.stringify(input);
  },
});

/** What it was called with, of a run of `order`. */
const orderIn = (says: string): unknown => JSON.parse(/\{.*\}/s.exec(says)?.[0] ?? "null");

async function orderForm(place = "#tool/order"): Promise<Person> {
  const { url } = await stage({ tools: [order] });
  const person = new Person(await playground.visit(url, { place }));
  await person.main.getByRole("button", { name: "Run", exact: true }).waitFor();
  return person;
}

describe("the form of a tool", () => {
  it(verifies("D3", "has fields for objects in objects, lists, choices, days and defaults"), async () => {
    const person = await orderForm();
    const { main } = person;
    await main.getByLabel("Name").fill("Ada");
    await main.getByLabel("Kind").selectOption("old");
    await main.getByRole("button", { name: "Add" }).click();
    await main.getByLabel("What").fill("strings");
    await main.getByRole("button", { name: "Add" }).click();
    await main.getByLabel("What").nth(1).fill("picks");
    await main.getByLabel("Count").nth(1).fill("12");
    await main.getByLabel("Due").fill("2026-09-01");
    await main.getByRole("radio", { name: "Yes" }).check();
    await person.runIt();

    expect(orderIn((await person.ending()).says)).toEqual({
      customer: { name: "Ada", kind: "old" },
      lines: [
        { what: "strings", count: 1 },
        { what: "picks", count: 12 },
      ],
      due: "2026-09-01",
      gift: true,
    });
  });

  it(verifies("D3", "says beside a field what is wrong with it, and calls nothing"), async () => {
    const person = await orderForm();
    const { main } = person;
    await main.getByLabel("Name").fill("A");
    await main.getByRole("button", { name: "Add" }).click();
    await main.getByRole("button", { name: "Run", exact: true }).click();

    expect(await person.problemOf(main.getByLabel("Name"))).toContain("at least 2");
    expect(await person.problemOf(main.getByLabel("What"))).toContain("is required");
    expect(await main.getByLabel("Due").getAttribute("aria-invalid")).not.toBe("true");
    expect(await person.tab.getByRole("tab").count()).toBe(0);
  });

  it(verifies("D3", "names what is missing in an object that nobody touched, and goes there"), async () => {
    const person = await orderForm();
    const { main } = person;
    await main.getByRole("button", { name: "Run", exact: true }).click();

    expect(await person.problemOf(main.getByLabel("Name"))).toContain("is required");
    expect(await main.getByRole("alert").innerText()).toContain("customer › name is required");
    expect(await main.getByLabel("Name").and(person.tab.locator(":focus")).count()).toBe(1);
  });

  it("counts the items of a list, in their names and in what is wrong with them", async () => {
    const { main } = await orderForm();
    await main.getByRole("button", { name: "Add" }).click();
    await main.getByRole("group", { name: "Item 1", exact: true }).waitFor();

    await main.getByRole("button", { name: "Run", exact: true }).click();

    expect(await main.getByRole("alert").innerText()).toContain("lines › item 1 › what is required");
  });

  it(verifies("D3", "can be left for JSON, which is checked in the same way, and come back to"), async () => {
    const person = await orderForm();
    const { main } = person;
    await main.getByLabel("Name").fill("Ada");
    await main.getByRole("button", { name: "JSON" }).click();
    const box = main.getByLabel("Input as JSON");
    expect(JSON.parse(await box.inputValue())).toMatchObject({ customer: { name: "Ada" } });

    await box.fill('{ "customer": {');
    await main.getByRole("button", { name: "Run", exact: true }).click();
    expect(await person.problemOf(box)).toMatch(/^This is no JSON/);
    await box.fill('{ "customer": { "name": "A" } }');
    await main.getByText(/^customer › name .*at least 2/).waitFor();
    await box.fill('{ "customer": { "name": "Bea" }, "gift": false }');
    await main.getByRole("button", { name: "Form" }).click();
    expect(await main.getByLabel("Name").inputValue()).toBe("Bea");
    await person.runIt();

    expect(orderIn((await person.ending()).says)).toMatchObject({ customer: { name: "Bea" }, gift: false });
  });
});

describe("a link to a tool with its input", () => {
  it(verifies("D3", "fills in the form, and runs nothing"), async () => {
    const input = { customer: { name: "Ada" }, due: "2026-09-01" };
    const person = await orderForm(linkTo("order", input));

    expect(await person.main.getByLabel("Name").inputValue()).toBe("Ada");
    expect(await person.main.getByLabel("Due").inputValue()).toBe("2026-09-01");
    expect(await person.tab.getByRole("tab").count()).toBe(0);
    expect(await person.wire.getByText("tools/call").count()).toBe(0);
  });

  it(verifies("D3", "is copied from the form, and from a run"), async () => {
    const input = { customer: { name: "Ada" } };
    const person = await orderForm(linkTo("order", input));
    await person.tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = (): Promise<unknown> => person.tab.evaluate("navigator.clipboard.readText()");
    await person.main.getByRole("button", { name: "Copy link" }).click();
    await person.main.getByText("Copied").first().waitFor();
    const fromForm = await copied();
    await person.runIt();
    await person.run.getByRole("button", { name: "Copy link" }).click();
    await person.run.getByText("Copied").first().waitFor();

    expect([fromForm, await copied()]).toEqual([
      new URL(linkTo("order", input), person.tab.url()).href,
      new URL(linkTo("order", input), person.tab.url()).href,
    ]);
  });
});

describe("a run", () => {
  it(verifies("D3", "can be run again with the same input, edited, and forgotten"), async () => {
    const person = await orderForm(linkTo("order", { customer: { name: "Ada" } }));
    await person.runIt();
    await person.ending();
    await person.main.getByLabel("Name").fill("Bea");

    await person.run.getByRole("button", { name: "Run again" }).click();
    await person.tab.getByRole("tab").nth(1).waitFor();
    expect(orderIn((await person.ending()).says)).toEqual({ customer: { name: "Ada" } });
    await person.run.getByRole("button", { name: "Edit input" }).click();
    expect(await person.main.getByLabel("Name").inputValue()).toBe("Ada");
    await person.run.getByRole("button", { name: "Forget" }).click();

    await person.tab.getByRole("tab").nth(1).waitFor({ state: "detached" });
    expect(await person.tab.getByRole("tab").count()).toBe(1);
  });

  it(verifies(["D3", "B8"], "can be cancelled while it works, and its tool hears of it"), async () => {
    let isClosed = false;
    const endless = tool({
      name: "endless",
      async *run(_, { signal }) {
        try {
          yield emit.progress(0.25, "A quarter is done");
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve, { once: true });
          });
          yield emit.status("It was told to stop");
        } finally {
          isClosed = true;
        }
      },
    });
    const { url } = await stage({ tools: [endless] });
    const person = new Person(await playground.visit(url, { place: "#tool/endless" }));
    await person.runIt();
    await person.run.getByText("25 % · A quarter is done").waitFor();
    expect(await person.run.getByRole("progressbar", { name: "Progress" }).isVisible()).toBe(true);

    await person.run.getByRole("button", { name: "Cancel" }).click();

    expect((await person.ending()).state).toBe("cancelled");
    await expect.poll(() => isClosed).toBe(true);
  });

  it("can be cancelled while it asks, and its question goes", async () => {
    const asking = tool({
      name: "asking",
      async *run() {
        yield* ask.text("Your name?");
      },
    });
    const { url } = await stage({ tools: [asking] });
    const person = new Person(await playground.visit(url, { place: "#tool/asking" }));
    await person.runIt();
    await person.asked("Your name?");
    await person.press("Later");

    await person.run.getByRole("button", { name: "Cancel" }).click();

    expect((await person.ending()).state).toBe("cancelled");
    expect(await person.tab.title()).not.toContain("Wanted");
  });
});
