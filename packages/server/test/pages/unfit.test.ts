import { ask, type Yieldable, type Ask } from "@photon/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { verifies } from "../../../../test/requirements.ts";
import type { Page } from "../../src/pages/page.ts";
import { stage } from "./stage.ts";
import { Visitor, type Fields, type Seen } from "./visitor.ts";

/** Sends an answer that does not fit. */
async function misfit(
  question: Yieldable<Ask, unknown>,
  fields: Fields,
): Promise<Seen & { readonly visitor: Visitor; readonly page: Page }> {
  const { open } = await stage();
  const page = await open(question);
  const visitor = new Visitor();
  await visitor.open(page.url);
  return { ...(await visitor.answer(page.url, fields)), visitor, page };
}

describe("an answer that does not fit", () => {
  it(verifies("B3", "is shown beside its field, and does not count: a better one is taken"), async () => {
    const { status, text, visitor, page } = await misfit(ask.number("Nights?", { max: 30 }), { f0: "31" });

    expect(status).toBe(422);
    expect(text).toContain('<p class="problem" id="f0-problem">Must be at most 30.</p>');
    expect(text).toMatch(/<input id="f0"[^>]* aria-describedby="f0-hint f0-problem" aria-invalid="true"/);
    await visitor.answer(page.url, { f0: "30" });
    expect(await page.reply).toEqual({ action: "accept", value: 30 });
  });

  it("is summed up at the top, where the page is read from", async () => {
    const { text } = await misfit(ask.number("Nights?", { max: 30 }), { f0: "31" });

    expect(text).toMatch(/<div class="summary" role="alert" tabindex="-1" autofocus>/);
    expect(text).toContain('<a href="#f0">Must be at most 30.</a>');
    expect(text).toContain("<title>Problem: acme has a question</title>");
  });

  it.each<[string, Yieldable<Ask, unknown>, Fields, RegExp]>([
    ["text", ask.text("Name?", { maxLength: 3 }), { f0: 'A"da<' }, /value="A&quot;da&lt;"/],
    ["text against a pattern", ask.text("Code?", { pattern: "^[A-Z]+$" }), { f0: "ab" }, /value="ab"/],
    ["what is no number", ask.number("Nights?"), { f0: "many" }, /value="many"/],
    [
      "what was ticked",
      ask.multiselect("Which?", { a: "A", b: "B" }, { max: 1 }),
      { f0: ["0", "1"] },
      /value="1" checked/,
    ],
    ["a day", ask.date("When?", { max: "2026-01-01" }), { f0: "2026-07-28" }, /value="2026-07-28"/],
    [
      "a moment and its zone",
      ask.date("When?", { time: true, max: "2026-01-01T00:00:00Z" }),
      { f0: "2026-07-28T12:00", "f0-zone": "+05:45" },
      /value="2026-07-28T12:00".*<option value="\+05:45" selected>/s,
    ],
  ])("keeps %s", async (_, question, fields, kept) => {
    const { status, text } = await misfit(question, fields);

    expect(status).toBe(422);
    expect(text).toMatch(kept);
  });

  it("keeps what was taken away from a suggestion", async () => {
    const question = ask.text("Name?", { default: "Ada" });

    const { status, text } = await misfit(question, { f0: "" });

    expect(status).toBe(422);
    expect(text).toContain("Needs a value.");
    expect(text).not.toContain('value="Ada"');
  });

  it(verifies("B6", "does not show a secret again, anywhere"), async () => {
    const { status, text } = await misfit(ask.secret("Password?", { maxLength: 5 }), { f0: "hunter2!" });

    expect(status).toBe(422);
    expect(text).toContain("Must have at most 5 characters.");
    expect(text).not.toContain("hunter2!");
    expect(text).toMatch(/type="password"/);
    expect(text).toMatch(/autocomplete="new-password"/);
  });

  it("says of each field of a form what is wrong with it, and keeps the others", async () => {
    const form = ask.form("Booking", {
      name: ask.text("Name"),
      nights: ask.number("Nights", { max: 30 }),
      pets: ask.confirm("Any pets?"),
      mail: ask.text("Mail", { format: "email" }),
    });

    const { text } = await misfit(form, { f0: "Ada", f1: "31", f3: "nobody" });

    expect(text).toContain('<p class="problem" id="f1-problem">Must be at most 30.</p>');
    expect(text).toContain('<p class="problem" id="f2-problem">Needs a value.</p>');
    expect(text).toContain('<p class="problem" id="f3-problem">Must be an email address.</p>');
    expect(text).not.toContain("f0-problem");
    expect(text).toContain('value="Ada"');
    expect(text).toContain('<a href="#f1">Nights: Must be at most 30.</a>');
    expect(text).toContain('<a href="#f2">Any pets? Needs a value.</a>');
  });

  it("says what the author's own schema finds, of a field and of the whole", async () => {
    const schema = z
      .object({ from: z.string(), to: z.string().refine((to) => to !== "x", "Not x, please") })
      .refine(({ from, to }) => from !== to, "Go somewhere else");

    const field = await misfit(ask.form("Trip", schema), { f0: "a", f1: "x" });
    const whole = await misfit(ask.form("Trip", schema), { f0: "a", f1: "a" });

    expect(field.text).toContain('<p class="problem" id="f1-problem">Not x, please.</p>');
    expect(whole.status).toBe(422);
    expect(whole.text).toMatch(/<li>It is invalid: Go somewhere else\.<\/li>/);
  });

  it.each<[string, Yieldable<Ask, unknown>, Fields]>([
    ["a choice that there is not", ask.select("Room?", { s: "Single" }), { f0: "7" }],
    ["a choice by another name", ask.select("Room?", { s: "Single" }), { f0: "constructor" }],
    ["choices that there are not", ask.multiselect("Which?", { a: "A" }), { f0: ["-1", "__proto__"] }],
    ["neither yes nor no", ask.confirm("Sure?"), { do: "accept" }],
    ["neither yes nor no, in a form", ask.form("?", { a: ask.confirm("A?") }), { f0: "constructor" }],
    [
      "a zone that there is not",
      ask.date("When?", { time: true }),
      { f0: "2026-07-28T12:00", "f0-zone": "Mars" },
    ],
    ["nothing", ask.text("Name?"), {}],
    ["nothing for a secret", ask.secret("Password?"), { f0: "" }],
  ])("may be %s", async (_, question, fields) => {
    const { status } = await misfit(question, fields);

    expect(status).toBe(422);
  });
});
