import { readFileSync } from "node:fs";
import { ask, type Yieldable, type Ask } from "@photon/core";
import type { Page as Tab } from "playwright-core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openByKeyboard, press, tabTo, useBrowser } from "./browser.ts";
import { stage } from "./stage.ts";

const { tab: newTab } = useBrowser();

const type = (tab: Tab, text: string): Promise<void> => tab.keyboard.type(text);

const many = Array.from({ length: 20 }, (_, index) => `Option ${index}`);

describe("in Chromium without code on pages, by keyboard alone,", () => {
  it.each<[string, Yieldable<Ask, unknown>, (tab: Tab) => Promise<void>, unknown]>([
    [
      "text is typed",
      ask.text("Name?"),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "Ada");
        await press(tab, "Enter");
      },
      "Ada",
    ],
    [
      "several lines are typed",
      ask.text("Say?", { maxLength: 1000 }),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "one\ntwo");
        await press(tab, "Tab", "Enter");
      },
      "one\ntwo",
    ],
    [
      "a number is typed",
      ask.number("Nights?", { integer: true }),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "3");
        await press(tab, "Enter");
      },
      3,
    ],
    ["yes is said", ask.confirm("Sure?"), (tab) => press(tab, "Tab", "Enter"), true],
    ["no is said", ask.confirm("Sure?"), (tab) => press(tab, "Tab", "Tab", "Enter"), false],
    [
      "something dangerous is refused first",
      ask.confirm("Drop all?", { dangerous: true }),
      (tab) => press(tab, "Tab", "Enter"),
      false,
    ],
    [
      "one of a few is chosen",
      ask.select("Room?", { s: "Single", d: "Double", t: "Suite" }),
      (tab) => press(tab, "Tab", "Space", "ArrowDown", "Enter"),
      "d",
    ],
    [
      "stars are chosen",
      ask.rating("How good was it?"),
      (tab) => press(tab, "Tab", "Space", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"),
      4,
    ],
    [
      "one of many is found",
      ask.select("Which?", many),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "Option 17");
        await press(tab, "Tab", "Enter");
      },
      "Option 17",
    ],
    [
      "some are ticked",
      ask.multiselect("Extras?", { b: "Breakfast", p: "Parking", s: "Spa" }),
      (tab) => press(tab, "Tab", "Space", "Tab", "Tab", "Space", "Tab", "Enter"),
      ["b", "s"],
    ],
    [
      "a day is typed",
      ask.date("When?"),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "07282026");
        await press(tab, "Enter");
      },
      "2026-07-28",
    ],
    [
      "a moment and its zone are typed",
      ask.date("When?", { time: true }),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "07282026");
        await press(tab, "Tab");
        await type(tab, "0130PM");
        await press(tab, "Tab", "Tab");
        await type(tab, "UTC+05:45");
        await press(tab, "Tab", "Enter");
      },
      "2026-07-28T13:30:00+05:45",
    ],
    [
      "a secret is typed",
      ask.secret("Password?"),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "hunter2");
        await press(tab, "Enter");
      },
      "hunter2",
    ],
    [
      "the fields of a form are filled, and some are left empty",
      ask.form("Booking", {
        name: ask.text("Name"),
        pets: ask.confirm("Any pets?"),
        room: ask.select("Room", { s: "Single", d: "Double" }),
        extras: ask.optional(ask.multiselect("Extras", { b: "Breakfast", p: "Parking" })),
        nights: ask.number("Nights"),
        note: ask.optional(ask.text("Note")),
      }),
      async (tab) => {
        await press(tab, "Tab");
        await type(tab, "Ada");
        await press(tab, "Tab", "Space", "ArrowDown", "Tab", "Space", "Tab", "Tab", "Space", "Tab");
        await type(tab, "2");
        await press(tab, "Tab", "Tab", "Enter");
      },
      { name: "Ada", pets: false, room: "s", extras: ["p"], nights: 2 },
    ],
  ])(verifies("A3", "%s"), async (_, question, fill, value) => {
    const { open } = await stage();
    const page = await open(question);
    const tab = await newTab();

    await openByKeyboard(tab, page.url);
    await fill(tab);

    expect(await page.reply).toEqual({ action: "accept", value });
    await tab.getByText("Your answer was sent.").waitFor();
  });

  it(verifies("A3", "a file is chosen and uploaded"), async () => {
    const { open } = await stage();
    const page = await open(ask.file("Your notes?", { accept: ["text/plain"], maxBytes: 100 }));
    const tab = await newTab();
    // Before the page is there: a browser shows a chooser of its own until it has heard that somebody else chooses.
    const choosing = tab.waitForEvent("filechooser");
    await openByKeyboard(tab, page.url);

    await tabTo(tab, "input[type=file]");
    await press(tab, "Space");
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Dear diary") };
    await (await choosing).setFiles(file);
    await tabTo(tab, "button[value=accept]");
    await press(tab, "Enter");

    const reply = await page.reply;
    expect(reply).toMatchObject({ action: "accept", value: { name: "notes.txt", type: "text/plain" } });
    // The reply holds a file, as the line above has shown.
    const { path } = (reply as { value: { path: string } }).value;
    expect(readFileSync(path, "utf8")).toBe("Dear diary");
  });

  it(verifies("A3", "something is done at another address"), async () => {
    const { open } = await stage();
    const other = await open(ask.text("Elsewhere?"));
    const page = await open(ask.url("Sign in", other.url));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);

    await press(tab, "Tab");
    const popup = tab.context().waitForEvent("page");
    await press(tab, "Enter");
    const opened = await popup;
    expect(opened.url()).toBe(other.url);
    await opened.close();
    await press(tab, "Tab", "Enter");

    expect(await page.reply).toEqual({ action: "accept" });
  });

  it(verifies("B1", "a question is declined"), async () => {
    const { open } = await stage();
    const page = await open(ask.text("Name?"));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);

    await press(tab, "Tab");
    await type(tab, "Ada");
    await press(tab, "Tab", "Tab", "Enter");

    expect(await page.reply).toEqual({ action: "decline" });
    await tab.getByText("You declined").waitFor();
  });

  it("what was wrong is heard first, leads to its field, and is put right", async () => {
    const { open } = await stage();
    const page = await open(
      ask.form("Booking", { name: ask.text("Name"), nights: ask.number("Nights", { max: 30 }) }),
    );
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    await press(tab, "Tab");
    await type(tab, "Ada");
    await press(tab, "Tab");
    await type(tab, "31");
    await press(tab, "Enter");

    await tab.locator(".summary:focus").waitFor();
    await press(tab, "Tab", "Enter");
    expect(await tab.locator(":focus").getAttribute("id")).toBe("f1");
    expect(await tab.getByLabel("Name").inputValue()).toBe("Ada");
    await press(tab, "ControlOrMeta+a");
    await type(tab, "30");
    await press(tab, "Enter");

    expect(await page.reply).toEqual({ action: "accept", value: { name: "Ada", nights: 30 } });
  });
});
