import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { PseudoTerminal } from "../pseudo-terminal.ts";
import { toolOf, toolFolder, type ToolFolder } from "./tool-folder.ts";

/** A tool that asks one thing and returns how that ended. */
const asking = (question: string): string =>
  toolOf(`const { action, value } = yield* ask.outcome(${question}); return { action, value };`);

const open = (question: string): PseudoTerminal =>
  toolFolder({ "one.js": asking(question) }).openInProcess(["one.js"]);

/** What a tool returned, read off the screen. */
async function returned(terminal: PseudoTerminal): Promise<unknown> {
  await terminal.exit;
  const { text } = terminal;
  return JSON.parse(text.slice(text.lastIndexOf("\n{")));
}

describe("a prompt for text", () => {
  it(verifies("D2", "checks what was typed before it is sent, and keeps it"), async () => {
    const terminal = open(
      'ask.text("Where can we write to?", { format: "email", description: "We keep it." })',
    );
    await terminal.shows(
      /Where can we write to\?\n│ {2}We keep it\.\n│ {2}an email address · ctrl\+d declines, esc cancels/,
    );
    terminal.type("ada");
    await terminal.shows("ada█");
    terminal.press("enter");
    await terminal.shows(/ada█\n└ {2}Must be an email address\./);
    terminal.type("@example.org");
    await terminal.shows("ada@example.org█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "ada@example.org" });
    expect(terminal.text).toContain("◇  Where can we write to?\n│  ada@example.org\n└\n{");
  });

  it("has the suggestion written in it, to be changed", async () => {
    const terminal = open('ask.text("City?", { default: "Lisbon", maxLength: 8 })');
    await terminal.shows("Lisbon█");
    terminal.press("backspace");
    terminal.type("a");
    await terminal.shows("Lisboa█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "Lisboa" });
  });

  it("edits a suggestion of several lines as several lines", async () => {
    const terminal = open(String.raw`ask.text("Poem?", { default: "one\ntwo" })`);
    await terminal.shows(/one\n│ {2}two█/);
    terminal.press("tab", "enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "one\ntwo" });
  });
});

describe("a prompt for a number", () => {
  it(verifies("D2", "takes a number within its bounds, and nothing else"), async () => {
    const terminal = open('ask.number("How many?", { min: 1, max: 30, integer: true })');
    await terminal.shows("a whole number, 1 to 30");
    for (const [typed, problem] of [
      ["few", "Must be a whole number."],
      ["31", "Must be at most 30."],
      ["1.5", "Must be a whole number."],
    ] as const) {
      terminal.type(typed);
      await terminal.shows(`${typed}█`);
      terminal.press("enter");
      await terminal.shows(problem);
      terminal.press("ctrl+u");
      await terminal.shows(/│ {2}_\n└\n*$/);
    }
    terminal.type("7");
    await terminal.shows("7█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: 7 });
  });
});

describe("a prompt for yes or no", () => {
  it(verifies("D2", "is no by itself, and yes by a key"), async () => {
    const terminal = open('ask.confirm("Book it?")');
    await terminal.shows("○ Yes / ● No");
    terminal.press("left");
    await terminal.shows("● Yes / ○ No");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: true });
  });

  it(verifies("D2", "takes the whole word, and leaves nothing of it to the next question"), async () => {
    const terminal = toolFolder({
      "one.js": toolOf('return { sure: yield* ask.confirm("Sure?"), name: yield* ask.text("Name?") };'),
    }).openInProcess(["one.js"]);
    await terminal.shows("type yes or no, then enter");
    for (const letter of "yes") {
      terminal.type(letter);
      await terminal.shows("● Yes / ○ No");
    }
    terminal.press("enter");
    await terminal.shows(/Name\?[^]*└/);
    terminal.type("Ada");
    await terminal.shows("│  Ada█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ sure: true, name: "Ada" });
  });

  it.each(["y", "Yes", " yes "])("takes %j with enter for a yes", async (typed) => {
    const terminal = open('ask.confirm("Book it?")');
    await terminal.shows("○ Yes / ● No");
    terminal.type(`${typed}\r`);

    expect(await returned(terminal)).toEqual({ action: "accept", value: true });
  });

  it.each(["n", "no"])("takes %j with enter for a no, where a yes was suggested", async (typed) => {
    const terminal = open('ask.confirm("Book it?", { default: true })');
    await terminal.shows("● Yes / ○ No");
    terminal.type(`${typed}\r`);

    expect(await returned(terminal)).toEqual({ action: "accept", value: false });
  });

  it("goes back to the suggestion once what was typed is erased", async () => {
    const terminal = open('ask.confirm("Book it?", { default: true })');
    await terminal.shows("● Yes / ○ No");
    terminal.type("no");
    await terminal.shows("○ Yes / ● No");
    terminal.press("backspace", "backspace");
    await terminal.shows("● Yes / ○ No");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: true });
  });

  it("sends nothing for a word that is neither", async () => {
    const terminal = open('ask.confirm("Book it?", { default: true })');
    await terminal.shows("● Yes / ○ No");
    terminal.type("maybe");
    await terminal.shows('"maybe" is neither yes nor no.');
    terminal.press("enter");
    await terminal.shows("Nothing was sent: type yes or no.");
    terminal.type("no");
    await terminal.shows("○ Yes / ● No");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: false });
  });

  it("takes the arrows after a word was typed", async () => {
    const terminal = open('ask.confirm("Book it?")');
    await terminal.shows("○ Yes / ● No");
    terminal.type("y");
    await terminal.shows("● Yes / ○ No");
    terminal.press("right");
    await terminal.shows("○ Yes / ● No");
    terminal.press("left");
    await terminal.shows("● Yes / ○ No");
    terminal.press("space", "backspace");
    terminal.type("n");
    await terminal.shows("○ Yes / ● No");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: false });
  });

  it("takes a pasted word, and sends it with enter", async () => {
    const terminal = open('ask.confirm("Book it?")');
    await terminal.shows("○ Yes / ● No");
    terminal.paste("yes\n");
    await terminal.shows("● Yes / ○ No");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: true });
  });

  it("takes the word also where it may be left empty", async () => {
    const terminal = open('ask.form("You", { news: ask.optional(ask.confirm("Newsletter?")) })');
    await terminal.shows("● (leave it empty)");
    terminal.type("no");
    await terminal.shows("● No");
    terminal.press("backspace", "backspace");
    await terminal.shows("● (leave it empty)");
    terminal.type("yes\r");
    await terminal.shows("● Send it");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: { news: true } });
  });

  it("begins with what the author suggested", async () => {
    const terminal = open('ask.confirm("Book it?", { default: true })');
    await terminal.shows("● Yes / ○ No");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: true });
  });

  it("looks dangerous where it is, and is no whatever was suggested", async () => {
    const terminal = open('ask.confirm("Delete all of it?", { dangerous: true, default: true })');
    await terminal.shows(/▲ This is dangerous\.\n│ {2}Delete all of it\?/);
    expect(terminal.raw).toContain("\u001B[31m");
    await terminal.read();
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: false });
  });

  it("says yes to something dangerous at the whole word, and not at a key", async () => {
    const terminal = open('ask.confirm("Delete all of it?", { dangerous: true })');
    await terminal.shows(/Delete all of it\?[^]*└/);
    await terminal.read();
    terminal.type("y");
    await terminal.shows("y█");
    await terminal.read();
    terminal.press("enter");
    await terminal.shows('the whole word "yes"');
    terminal.type("es");
    await terminal.shows("yes█");
    await terminal.read();
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: true });
  });
});

describe("a prompt for a choice", () => {
  it(verifies("D2", "begins with the suggestion and gives back the value"), async () => {
    const terminal = open(
      'ask.select("Room?", [{ value: "s", title: "Single", description: "one bed" }, { value: "d", title: "Double" }], { default: "d" })',
    );
    await terminal.shows("● Double");
    terminal.press("up");
    await terminal.shows("● Single (one bed)");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "s" });
    expect(terminal.text).toContain("◇  Room?\n│  Single");
  });

  it(verifies("D2", "is searched where it is long"), async () => {
    const terminal = open(
      'ask.select("Land?", Array.from({ length: 40 }, (_, i) => ({ value: `v${i}`, title: `Land ${i}` })))',
    );
    await terminal.shows("Type: to search");
    terminal.type("nowhere");
    await terminal.shows("No matches found");
    terminal.press("enter");
    await terminal.shows("Choose one of the list.");
    terminal.press("ctrl+u");
    await terminal.shows("● Land 0");
    terminal.type("33");
    await terminal.shows("● Land 33");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "v33" });
  });
});

describe("a prompt for a rating", () => {
  it(verifies("D2", "is answered by one key, the number of stars"), async () => {
    const terminal = open('ask.rating("How good was it?")');
    await terminal.shows(/press 1 to 5 ·[^]*● 1 ★☆☆☆☆\n[^]*○ 5 ★★★★★/);
    terminal.type("4");

    expect(await returned(terminal)).toEqual({ action: "accept", value: 4 });
    expect(terminal.text).toContain("◇  How good was it?\n│  4 ★★★★☆");
  });

  it("sends nothing on enter until stars were chosen", async () => {
    const terminal = open('ask.rating("How good was it?")');
    await terminal.shows("press 1 to 5");
    terminal.press("enter");
    await terminal.shows("Choose a number of stars first");
    terminal.press("down");
    await terminal.shows("● 2 ★★");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: 2 });
  });

  it("takes 0 for ten stars, and no other characters", async () => {
    const terminal = open('ask.rating("How good was it?", { max: 10 })');
    await terminal.shows("press 1 to 9, or 0 for 10");
    terminal.type("j");
    terminal.press("down");
    await terminal.shows("●  2 ★★");
    terminal.type("0");

    expect(await returned(terminal)).toEqual({ action: "accept", value: 10 });
  });

  it("has its suggestion selected, which enter sends", async () => {
    const terminal = open('ask.rating("How good was it?", { max: 3, default: 2 })');
    await terminal.shows("● 2 ★★☆");
    terminal.press("down");
    await terminal.shows("● 3 ★★★");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: 3 });
  });

  it("may be left empty in a form", async () => {
    const terminal = open(
      'ask.form("Visit", { food: ask.optional(ask.rating("Food")), room: ask.rating("Room") })',
    );
    await terminal.shows("● (leave it empty)");
    terminal.press("enter");
    await terminal.shows("Room");
    await terminal.shows(/● 1 ★☆☆☆☆/);
    terminal.type("3");
    await terminal.shows("● Send it");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: { room: 3 } });
  });
});

describe("a prompt for several choices", () => {
  it(verifies("D2", "counts them when they are sent, and asks again with what was chosen"), async () => {
    const terminal = open(
      'ask.multiselect("Toppings?", { ham: "Ham", egg: "Egg", oil: "Oil" }, { min: 2, max: 2 })',
    );
    await terminal.shows("2 of them ·");
    terminal.press("up", "space");
    await terminal.shows("◼ Oil");
    terminal.press("enter");
    await terminal.shows(/▲ {2}Must have at least 2 choices\.[^]*◼ Oil/);
    terminal.press("space");
    await terminal.shows(/◼ Ham[^]*◼ Oil/);
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: ["ham", "oil"] });
  });

  it("is searched where it is long", async () => {
    const terminal = open(
      'ask.multiselect("Lands?", Array.from({ length: 12 }, (_, i) => ({ value: `v${i}`, title: `Land ${i}` })))',
    );
    await terminal.shows("Type: to search");
    terminal.type("11");
    await terminal.shows("(1 match)");
    terminal.press("tab");
    await terminal.shows("◼ Land 11");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: ["v11"] });
  });
});

describe("a prompt for a date", () => {
  it(verifies("D2", "takes a day within its bounds"), async () => {
    const terminal = open('ask.date("When?", { min: "2026-01-01", default: "2026-07-28" })');
    await terminal.shows("│  2026-07-28");
    terminal.press("ctrl+u");
    terminal.type("2025-07-28");
    await terminal.shows("│  2025-07-28");
    terminal.press("enter");
    await terminal.shows("└  Must be 2026-01-01 or later.");
    terminal.press("ctrl+u");
    terminal.type("2026-07-28");
    await terminal.shows("│  2026-07-28");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "2026-07-28" });
  });

  it("is not left without one", async () => {
    const terminal = open('ask.date("When?")');
    await terminal.shows("yyyy-mm-dd");
    terminal.press("enter");
    await terminal.shows("Needs a value.");
    terminal.type("20260728");
    await terminal.shows("20260728█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "2026-07-28" });
  });

  it.each(["2027-02-30", "2027-13-30", "2027-02-00"])(
    verifies(["B3", "D2"], "keeps %s as it was typed, and does not send it"),
    async (typed) => {
      const terminal = open('ask.date("When?")');
      await terminal.shows("yyyy-mm-dd");
      terminal.type(typed);
      await terminal.shows(`${typed}█`);
      terminal.press("enter");
      await terminal.shows(new RegExp(`${typed}█\\n└ {2}Must be a day that exists: there is no ${typed}\\.`));
      terminal.press("ctrl+u");
      terminal.type("2027-03-31");
      await terminal.shows("2027-03-31█");
      terminal.press("enter");

      expect(await returned(terminal)).toEqual({ action: "accept", value: "2027-03-31" });
    },
  );

  it("asks again, where it was typed, for a day that does not fit the pattern of its field", async () => {
    const terminal = open(
      'ask.form("Stay", { type: "object", properties: { first: { type: "string", format: "date", pattern: "-01$" } }, required: ["first"] })',
    );
    await terminal.shows("yyyy-mm-dd");
    terminal.type("2027-03-31");
    await terminal.shows("2027-03-31█");
    terminal.press("enter");
    await terminal.shows(/2027-03-31█\n└ {2}First [^\n]+/);
    terminal.press("ctrl+u");
    terminal.type("2027-03-01");
    await terminal.shows("2027-03-01█");
    terminal.press("enter");
    await terminal.shows("● Send it");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: { first: "2027-03-01" } });
  });

  it("takes a moment, and means it here where no zone is written", async () => {
    const place = toolFolder({ "one.js": asking('ask.date("When?", { time: true })') });
    const terminal = place.open(["one.js"], { env: { TZ: "Asia/Kolkata" } });
    await terminal.shows("a date and time like 2026-07-28T12:00:00Z");
    terminal.type("tomorrow");
    await terminal.shows("tomorrow█");
    terminal.press("enter");
    await terminal.shows("Must be a date and time");
    terminal.press("ctrl+u");
    terminal.type("2026-07-28 12:00");
    await terminal.shows("12:00█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: "2026-07-28T12:00:00+05:30" });
  });
});

describe("a prompt for a secret", () => {
  it(verifies(["D2", "B6"], "never shows it, and checks it all the same"), async () => {
    const terminal = toolFolder({
      "one.js": toolOf(
        'const token = yield* ask.secret("Token?", { minLength: 4 }); return { length: token.reveal().length };',
      ),
    }).openInProcess(["one.js"]);
    await terminal.shows("at least 4 characters, it is not shown");
    terminal.type("abc");
    await terminal.shows("▪▪▪");
    terminal.press("enter");
    await terminal.shows("└  Must have at least 4 characters.");
    terminal.type("defg");
    await terminal.shows("▪▪▪▪▪▪▪");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ length: 7 });
    expect(terminal.raw).not.toContain("abc");
    expect(terminal.raw).not.toContain("defg");
  });
});

describe("a prompt for a file", () => {
  it(verifies("D2", "completes a path, and looks at what is there"), async () => {
    const { folder, open: openIn } = toolFolder({
      "one.js": asking('ask.file("Which file?", { accept: [".txt"], maxBytes: 4 })'),
      "docs/big.txt": "abcdef",
      "docs/note.md": "abc",
      "docs/ok.txt": "abc",
    });
    const terminal = openIn(["one.js"], { columns: 120 });
    await terminal.shows(".txt, at most 4 bytes");
    terminal.type("doc");
    await terminal.shows(`● ${folder}/docs`);
    terminal.press("enter");
    await terminal.shows("docs is not a file.");
    terminal.type("s/b");
    await terminal.shows(`● ${folder}/docs/big.txt`);
    terminal.press("enter");
    await terminal.shows("big.txt has 6 bytes; the limit is 4 bytes.");
    terminal.press("backspace");
    terminal.type("n");
    await terminal.shows(`● ${folder}/docs/note.md`);
    terminal.press("enter");
    await terminal.shows("Must be of type .txt.");
    terminal.press("backspace");
    terminal.type("o");
    await terminal.shows(`● ${folder}/docs/ok.txt`);
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({
      action: "accept",
      value: { name: "ok.txt", type: "text/plain", path: `${folder}/docs/ok.txt` },
    });
  });
});

describe("a prompt for a form", () => {
  const form = `ask.form("About you", {
    name: ask.text("Your name", { minLength: 2 }),
    age: ask.optional(ask.number("Your age", { min: 0, integer: true })),
    news: ask.optional(ask.confirm("Newsletter?")),
    plan: ask.select("Plan", { free: "Free of charge", pro: "Professional" }),
  })`;

  it(
    verifies("D2", "goes field by field, then shows all of it, and lets change a field before it is sent"),
    async () => {
      const terminal = open(form);
      await terminal.shows(/About you[^]*Your name/);
      terminal.type("A");
      await terminal.shows("A█");
      terminal.press("enter");
      await terminal.shows("Name must have at least 2 characters.");
      terminal.type("da");
      await terminal.shows("Ada█");
      terminal.press("enter");
      await terminal.shows("a whole number, at least 0, may be left empty");
      terminal.press("enter");
      await terminal.shows("● (leave it empty)");
      terminal.press("enter");
      await terminal.shows("● Free of charge");
      terminal.press("down", "enter");
      await terminal.shows(
        /Your name: Ada[^]*Your age: \(empty\)[^]*Newsletter\?: \(empty\)[^]*Plan: Professional[^]*● Send it/,
      );
      terminal.press("down", "down");
      await terminal.shows("● Change Your age");
      terminal.press("enter");
      await terminal.shows(/◆ {2}Your age/);
      terminal.type("36");
      await terminal.shows("36█");
      terminal.press("enter");
      await terminal.shows(/Your age: 36[^]*● Send it/);
      terminal.press("enter");

      expect(await returned(terminal)).toEqual({
        action: "accept",
        value: { name: "Ada", age: 36, plan: "pro" },
      });
    },
  );

  it("begins with what it suggests as a whole, over what its fields do", async () => {
    const terminal = open(
      'ask.form("You", { name: ask.text("Name", { default: "A" }), age: ask.number("Age") }, { default: { name: "B", age: 7 } })',
    );
    await terminal.shows("B█");
    terminal.press("enter");
    await terminal.shows("7█");
    terminal.press("enter");
    await terminal.shows("● Send it");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", value: { name: "B", age: 7 } });
  });

  it("can be declined when all of it is there", async () => {
    const terminal = open('ask.form("About you", { name: ask.text("Your name", { default: "Ada" }) })');
    await terminal.shows("Ada█");
    terminal.press("enter");
    await terminal.shows("● Send it");
    terminal.press("up");
    await terminal.shows("● Decline");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "decline" });
  });

  it("is not sent before all of it fits together", async () => {
    const place = toolFolder({
      "one.js": `import { z } from "zod";
        const stay = z.object({ from: z.string(), to: z.string() }).refine(({ from, to }) => from < to, "comes before it begins");
        ${asking('ask.form("Your stay", stay)')}`,
    });
    const terminal = place.openInProcess(["one.js"]);
    for (const typed of ["b", "a"]) {
      await terminal.shows(/◆[^]*_\n└\n*$/);
      terminal.type(typed);
      await terminal.shows(`${typed}█`);
      terminal.press("enter");
    }
    await terminal.shows("● Send it");
    terminal.press("enter");
    await terminal.shows(/It is invalid: comes before it begins\.[^]*● Send it/);
    terminal.press("ctrl+d");

    expect(await returned(terminal)).toEqual({ action: "decline" });
  });
});

describe("a prompt for a web address", () => {
  /** A browser that writes down where it was sent. */
  function browse(place: ToolFolder): Readonly<Record<string, string>> {
    const opener = join(place.folder, "bin", "xdg-open");
    writeFileSync(opener, '#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n', { mode: 0o755 });
    return { PATH: `${join(place.folder, "bin")}:${process.env["PATH"] ?? ""}` };
  }

  const url = "https://example.org/sign-in?next=%2Fa&x=$(id)#top";
  const tool = toolOf(
    `const { existsSync, readFileSync } = await import("node:fs");
    const { action } = yield* ask.outcome(ask.url("Sign in first", ${JSON.stringify(url)}));
    return { action, opened: existsSync("opened") ? readFileSync("opened", "utf8") : "nothing" };`,
  );

  it(verifies("D2", "shows the whole of it, opens it only for yes, and waits until it is done"), async () => {
    const place = toolFolder({ "one.js": tool, "bin/none": "" });
    const terminal = place.open(["one.js"], { env: browse(place) });
    await terminal.shows(/Sign in first\n│ {2}https:\/\/example\.org\/sign-in\?next=%2Fa&x=\$\(id\)#top/);
    await terminal.shows("Open it? (example.org)");
    terminal.type("yes");
    await terminal.shows("● Yes / ○ No");
    terminal.press("enter");
    await terminal.shows("● It is done");
    terminal.press("enter");

    // The browser is a process of its own: it may not have written yet what it was given.
    expect(await returned(terminal)).toMatchObject({ action: "accept" });
    await expect.poll(() => readFileSync(join(place.folder, "opened"), "utf8")).toBe(url);
  });

  it("opens nothing for no", async () => {
    const place = toolFolder({ "one.js": tool, "bin/none": "" });
    const terminal = place.open(["one.js"], { env: browse(place) });
    await terminal.shows("● No");
    terminal.press("enter");
    await terminal.shows("● It is done");
    terminal.press("down");
    await terminal.shows("● Decline");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "decline", opened: "nothing" });
  });

  it("says so where nothing opens it", async () => {
    const place = toolFolder({ "one.js": tool, "bin/none": "" });
    const terminal = place.open(["one.js"], { env: { PATH: join(place.folder, "bin") } });
    await terminal.shows("Open it?");
    terminal.type("y\r");
    await terminal.shows(/No browser was found[^]*● It is done/);
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ action: "accept", opened: "nothing" });
  });
});

describe("several prompts", () => {
  it(verifies(["D2", "A6"], "come one after another for ask.all"), async () => {
    const terminal = toolFolder({
      "one.js": toolOf('return yield* ask.all({ name: ask.text("Name?"), sure: ask.confirm("Sure?") });'),
    }).openInProcess(["one.js"]);
    await terminal.shows("Name?");
    terminal.type("Ada");
    await terminal.shows("Ada█");
    terminal.press("enter");
    await terminal.shows("Sure?");
    terminal.type("y\r");

    expect(await returned(terminal)).toEqual({ name: "Ada", sure: true });
  });

  it("show the time that is left until their deadline, which goes by, and let the answer be typed meanwhile", async () => {
    const tool = toolOf('return yield* ask.text("Q?", { timeout: "50s" });');
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    const [first] = /\d+ seconds left/.exec(await terminal.shows(/Q\?[^]*\d+ seconds left/)) ?? [];
    terminal.type("an ans");
    await terminal.shows(new RegExp(`(?!${first})\\b\\d+ seconds left[^]*an ans`));
    terminal.type("wer\r");
    const text = await terminal.shows("\nan answer");

    expect(await terminal.exit).toBe(0);
    expect(text).not.toContain("left");
  });

  it("keep what is wrong with an answer on the screen, although time goes by", async () => {
    const tool = toolOf('yield* ask.number("How many?", { max: 9, timeout: "3s" });');
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    await terminal.shows("How many?");
    terminal.type("11\r");
    await terminal.shows("Must be at most 9.");

    expect(await terminal.exit).toBe(1);
    const [, afterProblem] = terminal.raw.split("Must be at most 9.");
    expect(afterProblem).not.toContain("1 second left");
  });

  it(verifies("B3", "show what was wrong with the last answer, and how many attempts are left"), async () => {
    const place = toolFolder({
      "one.js": toolOf(
        'return { nights: yield* ask.number("Nights?", { id: "nights", max: 30, retries: 2 }) };',
      ),
    });
    const terminal = place.openInProcess(["one.js", "--answer", "nights=99"]);
    await terminal.shows(/◇ {2}Nights\?[^\n]*\n│ {2}99\n/);
    await terminal.shows(/The last answer must be at most 30\. 2 attempts left\.[^]*99█/);
    terminal.press("backspace");
    await terminal.shows("│  9█");
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ nights: 9 });
  });

  it("ask for the input that is missing, and for which tool", async () => {
    const place = toolFolder({
      "two.js": `export const first = tool({ description: "The first", async *run() { return 1; } });
        export const second = tool({
          input: {
            type: "object",
            properties: { city: { type: "string", title: "Which city?" }, nights: { type: "integer" }, who: { type: "object", properties: { name: { type: "string" } } } },
            required: ["city", "nights", "who"],
          },
          async *run(input) { return input; },
        });`,
    });
    const terminal = place.openInProcess(["two.js"]);
    await terminal.shows("● first (The first)");
    terminal.press("down", "enter");
    await terminal.shows("Which city?");
    terminal.type("Oslo");
    await terminal.shows("Oslo█");
    terminal.press("enter");
    await terminal.shows("nights");
    terminal.type("3");
    await terminal.shows("3█");
    terminal.press("enter");
    await terminal.shows("who (JSON)");
    terminal.type("Ada");
    await terminal.shows("Ada█");
    terminal.press("enter");
    await terminal.shows("Who must be an object.");
    terminal.press("ctrl+u");
    terminal.type('{"name":"Ada"}');
    await terminal.shows('{"name":"Ada"}█');
    terminal.press("enter");

    expect(await returned(terminal)).toEqual({ city: "Oslo", nights: 3, who: { name: "Ada" } });
  });
});
