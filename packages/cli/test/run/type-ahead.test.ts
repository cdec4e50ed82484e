import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { PseudoTerminal } from "../pseudo-terminal.ts";
import { toolOf, toolFolder } from "./tool-folder.ts";

/** Works until a file is there. Nothing is drawn meanwhile, so that the terminal's own echo stays on the screen. */
const working = `yield emit.log("info", "Working");
  const { existsSync } = await import("node:fs");
  for (let looks = 0; looks < 2000 && !existsSync(new URL("go", import.meta.url)); looks += 1) await new Promise((resolve) => setTimeout(resolve, 5));`;

/** What a tool returned, read off the screen. */
async function returned(terminal: PseudoTerminal): Promise<unknown> {
  await terminal.exit;
  const { text } = terminal;
  return JSON.parse(text.slice(text.lastIndexOf("\n{")));
}

/** What a person sees before they type, and what they type then. */
type Steps = readonly (readonly [screen: string | RegExp, keys: string])[];

const DRAWN = /ctrl\+d declines, esc cancels[^]*└/;

/** How a person answers once the prompt is drawn, and what the tool is given: that, and nothing of the keys before. */
const kinds: readonly (readonly [kind: string, question: string, steps: Steps, given: unknown])[] = [
  ["text", 'ask.text("Q?")', [[DRAWN, "Ada\r"]], "Ada"],
  ["number", 'ask.number("Q?")', [[DRAWN, "7\r"]], 7],
  ["rating", 'ask.rating("Q?")', [[DRAWN, "4"]], 4],
  ["confirm", 'ask.confirm("Q?")', [[DRAWN, "\r"]], false],
  ["dangerous confirm", 'ask.confirm("Q?", { dangerous: true })', [[DRAWN, "\r"]], false],
  ["select", 'ask.select("Q?", ["a", "b"])', [[DRAWN, "\r"]], "a"],
  [
    "long select",
    'ask.select("Q?", Array.from({ length: 20 }, (_, i) => `v${i}`))',
    [
      [DRAWN, "v7"],
      ["● v7", "\r"],
    ],
    "v7",
  ],
  ["multiselect", 'ask.multiselect("Q?", ["a", "b"])', [[DRAWN, " \r"]], ["a"]],
  ["date", 'ask.date("Q?", { default: "2026-07-28" })', [[DRAWN, "\r"]], "2026-07-28"],
  ["secret", 'ask.secret("Q?")', [[DRAWN, "hush\r"]], { isExact: true }],
  [
    "file",
    'ask.file("Q?")',
    [
      [DRAWN, "note.txt"],
      [/● \S+note\.txt/, "\r"],
    ],
    "note.txt",
  ],
  [
    "form",
    'ask.form("F", { a: ask.text("Q?") })',
    [
      [DRAWN, "Ada\r"],
      ["● Send it", "\r"],
    ],
    { a: "Ada" },
  ],
];

describe("keys that were pressed before a prompt was drawn", () => {
  /** A tool that works until it is told to ask, in a terminal where a person cannot wait. */
  async function hurried(question: string): Promise<PseudoTerminal> {
    const { folder, openInProcess } = toolFolder({
      "note.txt": "Note",
      "one.js": toolOf(
        `${working} const { action, value } = yield* ask.outcome(${question});
        const isSecret = typeof value?.reveal === "function";
        return { action, value: isSecret ? { isExact: value.reveal() === "hush" } : (value?.name ?? value) };`,
      ),
    });
    const terminal = openInProcess(["one.js"], { columns: 160 });
    await terminal.shows("Working");
    // As one would say yes, choose the second, or start a line.
    terminal.type("yes \u001B[B\ry\r\r1");
    await terminal.shows(/Working\nyes \^\[\[B\ny\n\n1$/);
    writeFileSync(join(folder, "go"), "");
    return terminal;
  }

  it.each(kinds)(verifies(["B1", "D2"], "are no answer to a %s, nor part of it"), async (...kind) => {
    const [name, question, steps, value] = kind;
    const terminal = await hurried(question);
    for (const [screen, keys] of steps) {
      await terminal.shows(screen);
      if (name === "dangerous confirm") await terminal.read();
      terminal.type(keys);
    }

    expect(await returned(terminal)).toEqual({ action: "accept", value });
  });

  it(verifies(["B1", "D2"], "do not open a web address"), async () => {
    const terminal = await hurried('ask.url("Q?", "https://example.org")');
    await terminal.shows(DRAWN);
    terminal.type("\r");
    await terminal.shows("● It is done");
    terminal.press("enter");
    await terminal.exit;

    expect(terminal.text).toMatch(/Open it\? \(example\.org\)\n│ {2}No/);
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
      const terminal = toolFolder({ "one.js": source }).openInProcess(["one.js"]);
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
    const terminal = toolFolder({
      "one.js": toolOf(`const { action } = yield* ask.outcome(${question}); return { action };`),
    }).openInProcess(["one.js"]);
    await terminal.shows(/Q\?[^]*└/);
    terminal.paste("yes\n1\ny\n");
    await terminal.shows("nothing was taken");
    terminal.press("escape");

    expect(await returned(terminal)).toEqual({ action: "cancel" });
  });

  it("that is refused leaves what was typed before it", async () => {
    const terminal = toolFolder({ "one.js": toolOf('return { n: yield* ask.number("Q?") };') }).openInProcess(
      ["one.js"],
    );
    await terminal.shows(/Q\?[^]*└/);
    terminal.type("4");
    await terminal.shows("4█");
    terminal.paste("1\n2");
    await terminal.shows(/nothing was taken[^]*4█/);
    terminal.type("2");
    expect(await terminal.shows("42█")).not.toContain("nothing was taken");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ n: 42 });
  });

  it("goes into a box of several lines as it is", async () => {
    const terminal = toolFolder({
      "one.js": toolOf(String.raw`return { poem: yield* ask.text("Poem?", { default: "one\ntwo" }) };`),
    }).openInProcess(["one.js"]);
    await terminal.shows(/one\n│ {2}two█/);
    // A tab that is typed leads to the end of the box.
    terminal.paste("\nThree\n\tfour\nfive");
    await terminal.shows("five█");
    terminal.press("tab", "enter");

    expect(await returned(terminal)).toEqual({ poem: "one\ntwo\nThree\n\tfour\nfive" });
  });
});

describe("a paste of one line", () => {
  it("is written where the cursor is, and is not sent by its own line end", async () => {
    const terminal = toolFolder({
      "one.js": toolOf('return { city: yield* ask.text("City?") };'),
    }).openInProcess(["one.js"]);
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
});

describe("a yes to something dangerous", () => {
  // On a screen of eighty columns it takes two lines.
  const HOW = /type the word, then\n│ {2}press enter: nothing was taken\./;
  const open = (): PseudoTerminal =>
    toolFolder({
      "one.js": toolOf('return { sure: yield* ask.confirm("Delete it?", { dangerous: true }) };'),
    }).openInProcess(["one.js"]);

  it(verifies(["B1", "D2"], "is not taken from text and enter that arrive at once"), async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    await terminal.read();
    terminal.type("yes\r");
    await terminal.shows(HOW);
    terminal.type("yes");
    await terminal.shows("yes█");
    await terminal.read();
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: true });
  });

  it("keeps what was typed before them", async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    await terminal.read();
    terminal.type("ye");
    await terminal.shows("ye█");
    terminal.type("s\r");
    await terminal.shows(/nothing was taken\.[^]*ye█/);
    terminal.type("s");
    await terminal.shows("yes█");
    await terminal.read();
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: true });
  });

  it("is not pasted, and the prompt says how it is given", async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    await terminal.read();
    terminal.paste("yes");
    await terminal.shows(HOW);
    await terminal.read();
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: false });
    expect(terminal.raw).not.toContain("single keys");
  });

  it(verifies(["B1", "D2"], "is asked for once more after an enter that came too soon"), async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    terminal.type("yes");
    await terminal.shows("yes█");
    terminal.type("\r\r");
    await terminal.shows(/Enter came too soon: read the question, then press enter again\.[^]*yes█/);
    await terminal.read();
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: true });
  });

  it(verifies(["B1", "D2"], "is not in a paste that contains the mark of its end"), async () => {
    const terminal = open();
    await terminal.shows(/Delete it\?[^]*└/);
    await terminal.read();
    // A terminal gives no more than 4,095 bytes to one read.
    terminal.paste(`${"x".repeat(4079)}\u001B[201~yes\r${"y".repeat(6000)}`);
    await terminal.shows(HOW);
    terminal.press("ctrl+d");

    expect(await returned(terminal)).toEqual({ sure: false });
  });
});

describe("esc, ctrl+d and the enter behind it", () => {
  it.each(
    kinds.flatMap(([kind, question]) => [
      [kind, "esc", question, "\u001B\r", "cancel"] as const,
      [kind, "ctrl+d", question, "\u0004\r", "decline"] as const,
    ]),
  )(
    verifies(["B1", "D2"], "leave a %s with %s, where they arrive at once"),
    async (_, _key, question, typed, action) => {
      const terminal = toolFolder({
        "one.js": toolOf(`const { action } = yield* ask.outcome(${question}); return { action };`),
      }).openInProcess(["one.js"]);
      await terminal.shows(/ctrl\+d declines, esc cancels[^]*└/);
      terminal.type("yes");
      await terminal.read();
      terminal.type(typed);

      expect(await returned(terminal)).toEqual({ action });
    },
  );
});

describe("the terminal after a prompt", () => {
  it("no longer marks what is pasted", async () => {
    const terminal = toolFolder({
      "one.js": toolOf('return { city: yield* ask.text("City?") };'),
    }).openInProcess(["one.js"]);
    await terminal.shows(/City\?[^]*└/);
    terminal.press("escape");
    await terminal.exit;

    expect(terminal.raw.lastIndexOf("\u001B[?2004l")).toBeGreaterThan(
      terminal.raw.lastIndexOf("\u001B[?2004h"),
    );
  });
});
