import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { toolOf, toolFolder } from "./tool-folder.ts";

/** Waits for a key, so that a test can look at the screen before the tool continues. */
const wait = 'yield* ask.confirm("Go on?");';

/** Waits until a file is there: the tool works for as long as the test wants it to. */
const until = (name: string): string =>
  `for (const { existsSync } = await import("node:fs"); !existsSync(new URL("${name}", import.meta.url)); ) await new Promise((resolve) => setTimeout(resolve, 5));`;

describe("the screen of photon run", () => {
  it(verifies("D2", "shows a status that turns, and leaves it above the next question"), async () => {
    const { folder, openInProcess } = toolFolder({
      "one.js": toolOf(`yield emit.status("Looking for rooms"); ${until("go")} ${wait}`),
    });
    const terminal = openInProcess(["one.js"]);
    await terminal.shows(/^[◒◐◓◑] {2}Looking for rooms$/m);
    for (const frame of ["◐", "◓", "◑", "◒"]) await terminal.shows(`${frame}  Looking for rooms`);
    writeFileSync(join(folder, "go"), "");
    await terminal.shows(/^◇ {2}Looking for rooms\n│\n◆ {2}Go on\?/m);
    terminal.type("y\r");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).not.toMatch(/[◒◐◓◑]/);
  });

  it(verifies("D2", "shows progress as a bar"), async () => {
    const terminal = toolFolder({
      "one.js": toolOf(
        `yield emit.progress(0.25, "Packing"); ${wait} yield emit.progress(1, "Packed"); ${wait}`,
      ),
    }).openInProcess(["one.js"]);
    await terminal.shows(/^◇ {2}━{6}─{18} {2}25% Packing\n│\n◆ {2}Go on\?/m);
    terminal.type("y\r");
    await terminal.shows(/^◇ {2}━{24} 100% Packed\n│\n◆ {2}Go on\?/m);
    terminal.type("y\r");

    expect(await terminal.exit).toBe(0);
  });

  it("writes logs dimmed above what turns, and loud ones in their colour", async () => {
    const terminal = toolFolder({
      "one.js": toolOf(
        `yield emit.status("Working");
        yield emit.log("info", "quiet");
        yield emit.log("debug", "hidden");
        yield emit.log("error", "loud");
        ${wait}`,
      ),
    }).open(["one.js"]);
    await terminal.shows(/^│ {2}\[info\] quiet\n│ {2}\[error\] loud\n◇ {2}Working\n│\n◆ {2}Go on\?/m);
    terminal.type("y\r");
    await terminal.exit;

    expect(terminal.raw).toContain("\u001B[2m[info] quiet\u001B[22m");
    expect(terminal.raw).toContain("\u001B[31m[error] loud\u001B[39m");
    expect(terminal.raw).not.toContain("hidden");
  });

  it("shows text as it comes, once", async () => {
    const terminal = toolFolder({
      "one.js": toolOf(
        'yield emit.status("Writing"); for (const word of ["Once ", "upon ", "a time"]) yield emit.stream(word);',
      ),
    }).openInProcess(["one.js"]);
    await terminal.exit;

    expect(terminal.text).toBe("◇  Writing\nOnce upon a time\n└");
  });

  it("honours NO_COLOR", async () => {
    const terminal = toolFolder({
      "one.js": toolOf(
        `yield emit.status("Working"); yield emit.log("error", "loud"); yield* ask.text("Q?"); ${wait} return { a: 1 };`,
      ),
    }).open(["one.js"], { env: { NO_COLOR: "1" } });
    await terminal.shows("Q?");
    terminal.type("x");
    await terminal.shows("x█");
    terminal.press("enter");
    await terminal.shows("Go on?");
    terminal.press("ctrl+d");
    await terminal.exit;

    expect(terminal.text).toContain('"a": 1');
    const colors = terminal.raw
      .split("\u001B[")
      .filter((rest) => /^(?:\d+;)*(?:[349]\d|10[0-7])m/.test(rest));
    expect(colors).toEqual([]);
  });

  it("does not prompt on a dumb terminal, and draws nothing there", async () => {
    const terminal = toolFolder({
      "one.js": toolOf('yield emit.status("Working"); yield* ask.text("Q?", { id: "q" });'),
    }).open(["one.js"], { env: { TERM: "dumb" } });

    expect(await terminal.exit).toBe(1);
    expect(terminal.raw).not.toContain("\u001B");
    expect(terminal.text).toContain("--answer q=");
  });

  it("fits a narrow terminal: one row for what turns, and lines that are folded", async () => {
    const terminal = toolFolder({
      "one.js": toolOf(
        `yield emit.status("A status that is much longer than the screen is wide");
        yield emit.progress(0.5, "Progress that is too long as well");
        const name = yield* ask.text("A question that is longer than the screen is wide?", { description: "And a description that is, too" });
        return name;`,
      ),
    }).openInProcess(["one.js"], { columns: 30 });
    const screen = await terminal.shows(/└\n*$/);

    expect(screen).toBe(
      [
        "◇   50% Progress that is too…",
        "│",
        "◆  A question that is longer",
        "│  than the screen is wide?",
        "│  And a description that is,",
        "│  too",
        "│  ctrl+d declines, esc",
        "│  cancels",
        "│  5 minutes left",
        "│  _",
        "└",
      ].join("\n"),
    );
    terminal.type("Ada");
    await terminal.shows("Ada█");
    terminal.press("enter");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toContain("│  than the screen is wide?\n│  Ada\n└\nAda");
  });

  it("counts wide characters as wide", async () => {
    const { openInProcess, folder } = toolFolder({
      "one.js": toolOf(`yield emit.status("日本語".repeat(20)); ${until("go")} return 1;`),
    });
    const terminal = openInProcess(["one.js"], { columns: 40 });
    for (const frame of ["◐", "◓"]) await terminal.shows(`${frame}  日本語`);
    writeFileSync(join(folder, "go"), "");
    await terminal.exit;

    expect(terminal.text.split("\n").filter((row) => row.includes("日"))).toHaveLength(1);
  });

  it("lets nothing through that a tool could draw with", async () => {
    const evil = String.raw`\u001B]0;owned\u0007\u001B[2J\u001B[1;1Hgone\u009B31m`;
    const terminal = toolFolder({
      "one.js": toolOf(
        `const evil = "${evil}";
        yield emit.status(evil);
        yield* ask.select(evil + "Which?", [{ value: "a", title: evil + "A", description: evil }], { description: evil });
        yield* ask.form(evil + "Form", { a: ask.text(evil + "Field", { default: "x" }) });
        return evil + "result";`,
      ),
    }).openInProcess(["one.js"]);
    await terminal.shows("goneWhich?");
    terminal.press("enter");
    await terminal.shows("goneField");
    terminal.press("enter");
    await terminal.shows("Send it");
    terminal.press("enter");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toContain("\ngoneresult");
    for (const drawn of ["\u001B]0;", "\u001B[2J", "\u001B[1;1H", "\u00C2\u009B"])
      expect(terminal.raw).not.toContain(drawn);
  });

  it("prompts on the screen while the result goes into a file", async () => {
    const { folder, open } = toolFolder({ "one.js": toolOf('return { name: yield* ask.text("Name?") };') });
    const terminal = open(["one.js", "--json"], { shell: (command) => `exec ${command} > out.json` });
    await terminal.shows("Name?");
    terminal.type("Ada");
    await terminal.shows("Ada█");
    terminal.press("enter");

    expect(await terminal.exit).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, "out.json"), "utf8"))).toMatchObject({
      structuredContent: { name: "Ada" },
    });
  });

  it("does not prompt if stderr is a file", async () => {
    const { folder, open } = toolFolder({
      "one.js": toolOf('yield emit.status("Working"); return yield* ask.text("Name?");'),
    });
    const terminal = open(["one.js"], { shell: (command) => `exec ${command} 2> err.txt` });

    expect(await terminal.exit).toBe(1);
    expect(readFileSync(join(folder, "err.txt"), "utf8")).toMatch(
      /^Working\n\? {2}Name\?\nAn answer is needed/,
    );
  });

  it("shows the questions that lines of stdin answer, and what was needed where they end", async () => {
    const source = toolOf(
      'yield* ask.text("Name?"); return yield* ask.number("Nights?", { id: "nights", max: 9 });',
    );
    const terminal = toolFolder({ "one.js": source }).open(["one.js"], {
      columns: 60,
      shell: (command) => `printf 'Ada\\n' | ${command}`,
    });

    expect(await terminal.exit).toBe(1);
    expect(terminal.text).toBe(
      [
        "◇  Name?",
        "│  Ada",
        "◇  Nights? (a number, at most 9)",
        '│  An answer is needed to "Nights?" (nights): a number, at',
        "│  most 9. Give it as --answer nights=…, in a file for",
        "│  --answers, or as a line of stdin.",
        "└",
        'The question "Nights?" (nights) was cancelled.',
      ].join("\n"),
    );
  });

  it("shows what a tool logs above what turns", async () => {
    const source = toolOf(`yield emit.status("Working"); console.log("a note"); ${wait}`);
    const terminal = toolFolder({ "one.js": source }).open(["one.js"]);
    await terminal.shows(/^a note\n◇ {2}Working\n│\n◆ {2}Go on\?/m);
    terminal.type("y\r");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).not.toContain("Workinga note");
  });

  it("draws with what the console of Linux has", async () => {
    const terminal = toolFolder({ "one.js": toolOf(`yield emit.status("Working"); ${wait}`) }).open(
      ["one.js"],
      {
        env: { TERM: "linux" },
      },
    );
    await terminal.shows(/^o {2}Working\n\|\n\* {2}Go on\?/m);
    terminal.type("y\r");

    expect(await terminal.exit).toBe(0);
  });

  it("asks which tool of a file is meant, and runs the chosen one", async () => {
    const tools = `export const one = tool({ async *run() { return "first"; } });
      export const two = tool({ description: "The second", async *run() { return "second"; } });`;
    const terminal = toolFolder({ "both.js": tools }).openInProcess(["both.js"]);
    await terminal.shows(/Which tool\?[^]*one[^]*two/);
    terminal.press("down", "enter");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toMatch(/^second$/m);
  });

  it("runs no tool where the choice is left with esc", async () => {
    const tools = `export const one = tool({ async *run() { return "first"; } });
      export const two = tool({ async *run() { return "second"; } });`;
    const terminal = toolFolder({ "both.js": tools }).openInProcess(["both.js"]);
    await terminal.shows("Which tool?");
    terminal.press("escape");

    expect(await terminal.exit).toBe(130);
    expect(terminal.text).not.toMatch(/^(?:first|second)$/m);
  });
});
