import { ask, type Yieldable, type Ask, type Reply } from "@photon/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { verifies } from "../../../../test/requirements.ts";
import { stage } from "./stage.ts";
import { Visitor, type Fields } from "./visitor.ts";

/** Answers a question on its page; gives back the page, the status, and the reply if it was taken. */
async function answer(
  question: Yieldable<Ask, unknown>,
  fields: Fields,
): Promise<{ readonly shown: string; readonly status: number; readonly reply: Reply | undefined }> {
  const { open } = await stage();
  const page = await open(question);
  const visitor = new Visitor();
  const { text: shown } = await visitor.open(page.url);
  const { status } = await visitor.answer(page.url, fields);
  return { shown, status, reply: status === 200 ? await page.reply : undefined };
}

const many = Array.from({ length: 20 }, (_, index) => `Option ${index}`);

describe("a page asks for", () => {
  it.each<[string, Yieldable<Ask, unknown>, Fields, unknown]>([
    ["a line of text", ask.text("Name?"), { f0: "Ada" }, "Ada"],
    ["text of several lines", ask.text("Say?", { maxLength: 900 }), { f0: "one\r\ntwo" }, "one\ntwo"],
    [
      "an email address",
      ask.text("Mail?", { format: "email" }),
      { f0: "ada@example.com" },
      "ada@example.com",
    ],
    [
      "a web address",
      ask.text("Site?", { format: "uri" }),
      { f0: "https://example.com/" },
      "https://example.com/",
    ],
    ["a day, in a text", ask.text("Day?", { format: "date" }), { f0: "2026-07-28" }, "2026-07-28"],
    ["a number", ask.number("Price?"), { f0: " 12.50 " }, 12.5],
    ["a whole number", ask.number("Nights?", { integer: true }), { f0: "3" }, 3],
    ["stars", ask.rating("How good?"), { f0: "4" }, 4],
    ["yes", ask.confirm("Sure?"), { do: "yes" }, true],
    ["no", ask.confirm("Sure?"), { do: "no" }, false],
    ["one of a few", ask.select("Room?", { s: "Single", d: "Double" }), { f0: "1" }, "d"],
    ["one of many", ask.select("Which?", many), { f0: "17" }, "Option 17"],
    [
      "some",
      ask.multiselect("Extras?", { b: "Breakfast", p: "Parking", s: "Spa" }),
      { f0: ["0", "2"] },
      ["b", "s"],
    ],
    ["none", ask.multiselect("Extras?", { b: "Breakfast" }), {}, []],
    ["a day", ask.date("When?"), { f0: "2026-07-28" }, "2026-07-28"],
    [
      "a moment",
      ask.date("When?", { time: true }),
      { f0: "2026-07-28T12:30", "f0-zone": "+02:00" },
      "2026-07-28T12:30:00+02:00",
    ],
    [
      "a moment in UTC",
      ask.date("When?", { time: true }),
      { f0: "2026-07-28T12:30:15", "f0-zone": "Z" },
      "2026-07-28T12:30:15Z",
    ],
    ["a secret", ask.secret("Password?"), { f0: "hunter2" }, "hunter2"],
  ])(verifies("A3", "%s"), async (_, question, fields, value) => {
    const { status, reply } = await answer(question, fields);

    expect(status).toBe(200);
    expect(reply).toEqual({ action: "accept", value });
  });

  it(verifies("A3", "something to be done elsewhere"), async () => {
    const { shown, reply } = await answer(ask.url("Sign in", "https://example.com/a?b=1&c=2"), {});

    expect(shown).toMatch(
      /<a href="https:\/\/example\.com\/a\?b=1&amp;c=2" target="_blank" rel="noopener noreferrer"/,
    );
    expect(reply).toEqual({ action: "accept" });
  });

  it("a moment by the clock of this machine, which is suggested", async () => {
    const { shown, reply } = await answer(ask.date("When?", { time: true }), {
      f0: "2026-07-28T12:30",
      "f0-zone": "here",
    });

    expect(shown).toMatch(/<option value="here" selected>Local time/);
    // A moment has one time in UTC, whatever zone these tests run in.
    const value = reply?.action === "accept" ? String(reply.value) : "";
    expect(new Date(value)).toEqual(new Date(2026, 6, 28, 12, 30));
  });

  it(verifies("A3", "all fields of a form at once, some of which may be left empty"), async () => {
    const form = ask.form("Booking", {
      name: ask.text("Name"),
      nights: ask.number("Nights", { integer: true }),
      pets: ask.confirm("Pets?"),
      room: ask.select("Room", { s: "Single", d: "Double" }),
      extras: ask.multiselect("Extras", { b: "Breakfast", p: "Parking" }),
      arrival: ask.date("Arrival"),
      note: ask.optional(ask.text("Note")),
      spa: ask.optional(ask.confirm("Spa?")),
      meals: ask.optional(ask.multiselect("Meals", { l: "Lunch", d: "Dinner" }, { min: 1 })),
    });

    const { shown, reply } = await answer(form, {
      f0: "Ada",
      f1: "3",
      f2: "no",
      f3: "1",
      f4: ["0", "1"],
      f5: "2026-07-28",
      f6: "",
      f7: "",
    });

    expect(reply).toEqual({
      action: "accept",
      value: { name: "Ada", nights: 3, pets: false, room: "d", extras: ["b", "p"], arrival: "2026-07-28" },
    });
    expect(shown.match(/\(optional\)/g)).toHaveLength(3);
  });

  it("the fields of a schema of somebody else's making", async () => {
    const schema = z.object({ kind: z.enum(["a", "b"]), level: z.literal("high"), count: z.number().min(2) });

    const { reply } = await answer(ask.form("Which?", schema), { f0: "1", f1: "0", f2: "2" });

    expect(reply).toEqual({ action: "accept", value: { kind: "b", level: "high", count: 2 } });
  });
});

describe("a page suggests", () => {
  it.each<[string, Yieldable<Ask, unknown>, RegExp]>([
    ["a text", ask.text("Name?", { default: "Ada" }), /value="Ada"/],
    ["several lines", ask.text("Say?", { default: "one\ntwo" }), />\none\ntwo<\/textarea>/],
    ["a number", ask.number("Nights?", { default: 0 }), /inputmode="decimal" autocomplete="off" value="0"/],
    ["stars", ask.rating("How good?", { default: 4 }), /value="4" checked aria-label="4 of 5"/],
    ["stars, in a form", ask.form("?", { a: ask.rating("A?", { default: 2 }) }), /value="2" checked/],
    ["a choice", ask.select("Room?", { s: "Single", d: "Double" }, { default: "d" }), /value="1" checked/],
    ["some", ask.multiselect("Which?", { a: "A", b: "B" }, { default: ["b"] }), /value="1" checked/],
    ["a day", ask.date("When?", { default: "2026-07-28" }), /type="date" value="2026-07-28"/],
    [
      "a moment",
      ask.date("When?", { time: true, default: "2026-07-28T12:00:00-03:30" }),
      /value="2026-07-28T12:00".*<option value="-03:30" selected>/s,
    ],
    ["yes", ask.confirm("Sure?", { default: true }), /Suggested: yes\./],
    ["yes, in a form", ask.form("?", { a: ask.confirm("A?", { default: true }) }), /value="yes" checked/],
  ])("%s", async (_, question, shown) => {
    const { open } = await stage();
    const { url } = await open(question);

    expect((await new Visitor().open(url)).text).toMatch(shown);
  });

  it("nothing where something is dangerous, and says that it is", async () => {
    const { open } = await stage();
    const { url } = await open(ask.confirm("Drop all?", { dangerous: true, default: true }));

    const { text } = await new Visitor().open(url);

    expect(text).not.toContain("Suggested");
    expect(text).toContain("The tool marks this as dangerous.");
    expect(text).toMatch(/<button class="danger" name="do" value="yes">/);
  });
});

describe("a page tells what fits:", () => {
  it.each<[string, Yieldable<Ask, unknown>]>([
    ["2 to 40 characters.", ask.text("?", { minLength: 2, maxLength: 40 })],
    ["At least 8 characters.", ask.secret("?", { minLength: 8 })],
    ["Must be in capitals.", ask.text("?", { pattern: "^[A-Z]+$", patternMessage: "must be in capitals" })],
    ["A whole number, 1 to 30.", ask.number("?", { integer: true, min: 1, max: 30 })],
    ["A number, at most 5.", ask.number("?", { max: 5 })],
    ["Choose at least 1.", ask.multiselect("?", { a: "A" }, { min: 1 })],
    ["Choose 1 to 2.", ask.multiselect("?", { a: "A", b: "B" }, { min: 1, max: 2 })],
    ["Not before 2026-01-01.", ask.date("?", { min: "2026-01-01" })],
    [
      "Of type image/*, .pdf. At most 5 MB.",
      ask.file("?", { accept: ["image/*", ".pdf"], maxBytes: 5_000_000 }),
    ],
    ["At most 512 bytes.", ask.file("?", { maxBytes: 512 })],
    ["One bed", ask.select("?", [{ value: "s", title: "Single", description: "One bed" }])],
  ])("%s", async (hint, question) => {
    const { open } = await stage();
    const { url } = await open(question);

    expect((await new Visitor().open(url)).text).toContain(hint);
  });
});
