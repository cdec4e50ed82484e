import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { PseudoTerminal } from "./pseudo-terminal.ts";
import { toolOf, workplace } from "./workplace.ts";

/** Works until a file is there. Nothing is drawn meanwhile, so that the terminal's own echo stays on the screen. */
const working = `yield emit.log("info", "Working");
  const { existsSync } = await import("node:fs");
  for (let looks = 0; looks < 2000 && !existsSync("go"); looks += 1) await new Promise((resolve) => setTimeout(resolve, 5));`;

/** What a tool returned, read off the screen. */
async function returned(terminal: PseudoTerminal): Promise<unknown> {
  await terminal.exit;
  const { text } = terminal;
  return JSON.parse(text.slice(text.lastIndexOf("\n{")));
}

const kinds: readonly (readonly [kind: string, question: string])[] = [
  ["text", 'ask.text("Q?")'],
  ["number", 'ask.number("Q?")'],
  ["confirm", 'ask.confirm("Q?")'],
  ["dangerous confirm", 'ask.confirm("Q?", { dangerous: true })'],
  ["select", 'ask.select("Q?", ["a", "b"])'],
  ["long select", 'ask.select("Q?", Array.from({ length: 20 }, (_, i) => `v${i}`))'],
  ["multiselect", 'ask.multiselect("Q?", ["a", "b"])'],
  ["date", 'ask.date("Q?", { default: "2026-07-28" })'],
  ["secret", 'ask.secret("Q?")'],
  ["file", 'ask.file("Q?")'],
  ["form", 'ask.form("F", { a: ask.text("Q?") })'],
  ["url", 'ask.url("Q?", "https://example.org")'],
];

describe("keys that were pressed before a prompt was drawn", () => {
  it.each(kinds)(verifies(["B1", "D2"], "answer no %s"), async (_, question) => {
    const { folder, open } = workplace({
      "one.js": toolOf(`${working} const { action } = yield* ask.outcome(${question}); return { action };`),
    });
    const terminal = open(["one.js"]);
    await terminal.shows("Working");
    // As one would say yes, choose the first, or write a line.
    terminal.type("yes\ry\r1\r\r");
    await terminal.shows(/Working\nyes\ny\n1$/);
    writeFileSync(join(folder, "go"), "");
    await terminal.shows(/ctrl\+d declines, esc cancels[^]*└/);
    terminal.press("escape");

    expect(await returned(terminal)).toEqual({ action: "cancel" });
  });
});

describe("a paste of many lines", () => {
  const lines = Array.from({ length: 500 }, (_, day) => `yyyy-mm-dd day ${day}`).join("\n");
  const source = toolOf(
    `const text = yield* ask.text("Days?");
    const { action } = yield* ask.outcome(ask.confirm("Delete them?", { dangerous: true }));
    return { isWhole: text === ${JSON.stringify(lines)}, action };`,
  );

  it.each(["marks", "does not mark"])(
    verifies(["B1", "D2"], "is one value of a text, where the terminal %s what is pasted"),
    async (how) => {
      const terminal = workplace({ "one.js": source }).open(["one.js"]);
      await terminal.shows(/Days\?[^]*└/);
      if (how === "marks") terminal.paste(lines);
      else terminal.type(lines.replaceAll("\n", "\r"));
      await terminal.shows("day 499█");
      terminal.press("enter");
      await terminal.shows(/◆ {2}▲ This is dangerous\.\n│ {2}Delete them\?/);
      terminal.press("escape");

      expect(await returned(terminal)).toEqual({ isWhole: true, action: "cancel" });
    },
  );

  it.each([
    ["a number", 'ask.number("Q?")'],
    ["an email address", 'ask.text("Q?", { format: "email" })'],
    ["a date", 'ask.date("Q?")'],
    ["a secret", 'ask.secret("Q?")'],
    ["a choice that is searched", 'ask.select("Q?", Array.from({ length: 20 }, (_, i) => `v${i}`))'],
    ["a file", 'ask.file("Q?")'],
    ["a yes or no", 'ask.confirm("Q?")'],
    ["a dangerous yes or no", 'ask.confirm("Q?", { dangerous: true })'],
    ["a choice", 'ask.select("Q?", ["a", "b"])'],
  ])(verifies(["B1", "D2"], "is refused in the place of %s, and answers nothing"), async (_, question) => {
    const terminal = workplace({
      "one.js": toolOf(`const { action } = yield* ask.outcome(${question}); return { action };`),
    }).open(["one.js"]);
    await terminal.shows(/Q\?[^]*└/);
    terminal.paste("yes\n1\ny\n");
    await terminal.shows("nothing was taken");
    terminal.press("escape");

    expect(await returned(terminal)).toEqual({ action: "cancel" });
  });

  it("that is refused leaves what was typed before it", async () => {
    const terminal = workplace({ "one.js": toolOf('return { n: yield* ask.number("Q?") };') }).open([
      "one.js",
    ]);
    await terminal.shows(/Q\?[^]*└/);
    terminal.type("4");
    await terminal.shows("4█");
    terminal.paste("1\n2");
    await terminal.shows(/nothing was taken[^]*4█/);
    terminal.type("2");
    await terminal.shows("42█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ n: 42 });
    expect(terminal.text).not.toContain("nothing was taken");
  });
});

describe("a paste of one line", () => {
  it("is written where the cursor is, and is not sent by its own line end", async () => {
    const terminal = workplace({ "one.js": toolOf('return { city: yield* ask.text("City?") };') }).open([
      "one.js",
    ]);
    await terminal.shows(/City\?[^]*└/);
    terminal.type("the ");
    await terminal.shows("the █");
    terminal.paste("escape\n");
    await terminal.shows("the escape█");
    terminal.type("!");
    await terminal.shows("the escape!█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ city: "the escape!" });
  });

  it("goes into a box of several lines as it is", async () => {
    const terminal = workplace({
      "one.js": toolOf(String.raw`return { poem: yield* ask.text("Poem?", { default: "one\ntwo" }) };`),
    }).open(["one.js"]);
    await terminal.shows(/one\n│ {2}two█/);
    terminal.paste("\nthree");
    await terminal.shows(/two\n│ {2}three█/);
    terminal.press("tab", "enter");

    expect(await returned(terminal)).toEqual({ poem: "one\ntwo\nthree" });
  });
});

describe("a yes to something dangerous", () => {
  // On a screen of eighty columns it takes two lines.
  const HOW = /but the word is to be typed, and then\n│ {2}enter: nothing was taken\./;
  const open = (): PseudoTerminal =>
    workplace({
      "one.js": toolOf('return { sure: yield* ask.confirm("Delete it?", { dangerous: true }) };'),
    }).open(["one.js"]);

  it(verifies(["B1", "D2"], "is not taken from text and enter that arrive at once"), async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    terminal.type("yes\r");
    await terminal.shows(HOW);
    terminal.type("yes");
    await terminal.shows("yes█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: true });
  });

  it("keeps what was typed before them", async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    terminal.type("ye");
    await terminal.shows("ye█");
    terminal.type("s\r");
    await terminal.shows(/nothing was taken\.[^]*ye█/);
    terminal.type("s");
    await terminal.shows("yes█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: true });
  });

  it("is not pasted, and the prompt says how it is given", async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    terminal.paste("yes");
    await terminal.shows(HOW);
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: false });
    expect(terminal.raw).not.toContain("single keys");
  });
});

describe("the terminal after a prompt", () => {
  it("no longer marks what is pasted", async () => {
    const terminal = workplace({ "one.js": toolOf('return { city: yield* ask.text("City?") };') }).open([
      "one.js",
    ]);
    await terminal.shows(/City\?[^]*└/);
    terminal.press("escape");
    await terminal.exit;

    expect(terminal.raw.lastIndexOf("\u001B[?2004l")).toBeGreaterThan(
      terminal.raw.lastIndexOf("\u001B[?2004h"),
    );
  });
});
