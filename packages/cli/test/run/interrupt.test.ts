import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { KeyName } from "../pseudo-terminal.ts";
import { toolOf, toolFolder } from "./tool-folder.ts";

const kinds: readonly (readonly [kind: string, question: string])[] = [
  ["text", 'ask.text("Q?")'],
  ["number", 'ask.number("Q?")'],
  ["rating", 'ask.rating("Q?")'],
  ["confirm", 'ask.confirm("Q?")'],
  ["select", 'ask.select("Q?", ["a", "b"])'],
  ["long select", 'ask.select("Q?", Array.from({ length: 20 }, (_, i) => `v${i}`))'],
  ["multiselect", 'ask.multiselect("Q?", ["a", "b"])'],
  ["date", 'ask.date("Q?")'],
  ["secret", 'ask.secret("Q?")'],
  ["file", 'ask.file("Q?")'],
  ["form", 'ask.form("F", { a: ask.text("Q?") })'],
  ["url", 'ask.url("Q?", "https://example.org")'],
];

/** Asks everything, one after another, and returns how each ended. */
const everything = toolOf(
  `const actions = [];
  for (const question of [${kinds.map(([, question]) => `() => ${question}`).join(", ")}]) {
    actions.push((yield* ask.outcome(question())).action);
    yield emit.status("Ended " + actions.length);
  }
  return actions;`,
);

describe("leaving a prompt", () => {
  it.each<[KeyName, string, string]>([
    ["ctrl+d", "decline", "Declined."],
    ["escape", "cancel", "Cancelled."],
  ])(verifies(["D2", "B1"], "by %s is to %s, whatever is asked"), async (key, action, shown) => {
    const terminal = toolFolder({ "one.js": everything }).openInProcess(["one.js"], { rows: 300 });
    for (const [index] of kinds.entries()) {
      await terminal.shows(
        index === 0 ? "Q?" : new RegExp(`Ended ${index}\\n[^]*ctrl\\+d declines, esc cancels[^]*└`),
      );
      terminal.press(key);
    }
    expect(await terminal.exit).toBe(0);

    const { text } = terminal;
    expect(JSON.parse(text.slice(text.lastIndexOf("\n[")))).toEqual(kinds.map(() => action));
    expect(text.split(shown)).toHaveLength(kinds.length + 1);
  });

  it("declines although something was typed", async () => {
    const tool = toolOf('return (yield* ask.outcome(ask.text("Q?"))).action;');
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    await terminal.shows("Q?");
    terminal.type("maybe");
    await terminal.shows("maybe█");
    terminal.press("ctrl+d");
    await terminal.shows("\ndecline");

    expect(await terminal.exit).toBe(0);
  });

  it(
    verifies(["D2", "B8"], "by ctrl+c cancels the question: the tool cleans up, the exit code is 130"),
    async () => {
      const tool = toolOf('try { yield* ask.text("Q?"); } finally { yield emit.status("Cleaned up"); }');
      const terminal = toolFolder({ "one.js": tool }).open(["one.js"]);
      await terminal.shows("Q?");
      terminal.press("ctrl+c");

      expect(await terminal.exit).toBe(130);
      expect(terminal.text).toContain("Cleaned up");
      expect(terminal.text).toContain('The question "Q?" (ask-1) was cancelled.');
    },
  );

  it("by ctrl+c lets a tool go on that can do without the answer", async () => {
    const tool = toolOf('return yield* ask.text("Q?", { fallback: { cancel: "nothing" } });');
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    await terminal.shows("Q?");
    terminal.press("ctrl+c");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toContain("nothing");
  });

  it(verifies(["D2", "B8"], "by a second ctrl+c ends the run, whatever the tool would do"), async () => {
    const tool = toolOf(
      `try {
        for (;;) yield* ask.outcome(ask.text("Again?"));
      } finally {
        yield emit.status("Cleaned up");
      }`,
    );
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    await terminal.shows("Again?");
    terminal.press("ctrl+c");
    await terminal.shows(/Cancelled\.[^]*◆ {2}Again\?/);
    terminal.press("ctrl+c");

    expect(await terminal.exit).toBe(130);
    expect(terminal.text).toContain("Cleaned up");
    expect(terminal.text).toContain("The run was interrupted.");
  });

  it("forgets the first ctrl+c once something was answered", async () => {
    const tool = toolOf(
      `const ends = [];
      for (const q of ["A?", "B?", "C?"]) ends.push((yield* ask.outcome(ask.confirm(q))).action);
      return ends.join(" ");`,
    );
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    await terminal.shows("A?");
    terminal.press("ctrl+c");
    await terminal.shows("B?");
    terminal.type("y\r");
    await terminal.shows("C?");
    terminal.press("ctrl+c");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toContain("cancel accept cancel");
  });

  it("of the input leaves the command", async () => {
    const tool = toolOf(
      "return 1;",
      'input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },',
    );
    const { openInProcess } = toolFolder({ "one.js": tool });
    for (const key of ["escape", "ctrl+c"] as const) {
      const terminal = openInProcess(["one.js"]);
      await terminal.shows("city");
      terminal.press(key);
      expect(await terminal.exit).toBe(130);
    }
  });

  it(verifies("B2", "is what happens when its time is over"), async () => {
    const tool = toolOf(
      'yield* ask.confirm("Ready?"); return (yield* ask.outcome(ask.text("Q?", { timeout: "500ms" }))).action;',
    );
    const terminal = toolFolder({ "one.js": tool }).openInProcess(["one.js"]);
    await terminal.shows("Ready?");
    terminal.type("y\r");
    await terminal.shows("Q?");

    expect(await terminal.exit).toBe(0);
    expect(terminal.text).toContain("\ntimeout");
  });

  it("is not recorded where it was an interruption, and is where it was an answer", async () => {
    const tool = toolOf(
      `for (const id of ["a", "b", "c"]) yield* ask.outcome(ask.text(id + "?", { id }));
      return 1;`,
    );
    const { folder, openInProcess } = toolFolder({ "one.js": tool });
    const terminal = openInProcess(["one.js", "--record", "answers.json"]);
    await terminal.shows("a?");
    terminal.press("ctrl+d");
    await terminal.shows("b?");
    terminal.press("escape");
    await terminal.shows("c?");
    terminal.press("ctrl+c");
    await terminal.exit;

    expect(JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))).toEqual({
      a: { $action: "decline" },
      b: { $action: "cancel" },
    });
  });
});

describe("ending a run from outside", () => {
  /** Works until it is ended, and then cleans up. */
  const working = toolOf(
    `const { writeFileSync } = await import("node:fs");
    try {
      yield emit.status("Working as " + process.pid);
      yield* step("work", ({ signal }) => new Promise((_, reject) => {
        const timer = setInterval(() => {}, 1000);
        signal.addEventListener("abort", () => { clearInterval(timer); reject(signal.reason); });
      }));
    } finally {
      writeFileSync("cleaned", "up");
    }`,
  );

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    verifies(["D2", "B8"], "by %s lets the tool clean up, and exits with 130"),
    async (signal) => {
      const { folder, start } = toolFolder({ "one.js": working });
      const child = start(["one.js"]);
      await once(child.stderr, "data");
      child.kill(signal);
      const [exitCode] = await once(child, "exit");

      expect(exitCode).toBe(130);
      expect(existsSync(join(folder, "cleaned"))).toBe(true);
    },
  );

  it("by ctrl+c while the tool works lets it clean up", async () => {
    const { folder, open } = toolFolder({ "one.js": working });
    const terminal = open(["one.js"]);
    await terminal.shows("Working as");
    terminal.press("ctrl+c");

    expect(await terminal.exit).toBe(130);
    expect(existsSync(join(folder, "cleaned"))).toBe(true);
    expect(terminal.text).toContain("The run was interrupted.");
  });

  it("by ctrl+c says that a second one quits without waiting for the tool", async () => {
    const tool = toolOf(
      `try {
        yield emit.status("Working");
        yield* step("work", ({ signal }) => new Promise((_, reject) => {
          const timer = setInterval(() => {}, 1000);
          signal.addEventListener("abort", () => { clearInterval(timer); reject(signal.reason); });
        }));
      } finally {
        yield emit.status("Cleaning up");
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      }`,
    );
    const terminal = toolFolder({ "one.js": tool }).open(["one.js"]);
    await terminal.shows("Working");
    terminal.press("ctrl+c");
    await terminal.shows(/Stopping; press again to quit now\.[^]*Cleaning up/);
    terminal.press("ctrl+c");

    expect(await terminal.exit).toBe(130);
  });

  it("by SIGTERM closes a prompt, and gives the terminal back as it was", async () => {
    const tool = toolOf('yield emit.status("Process " + process.pid + "."); yield* ask.text("Q?");');
    const { folder, open } = toolFolder({ "one.js": tool });
    const terminal = open(["one.js"], {
      shell: (command) => `${command}; code=$?; stty -a > modes; exit $code`,
    });
    const screen = await terminal.shows(/Process \d+\.[^]*Q\?/);
    process.kill(Number(/Process (\d+)/.exec(screen)?.[1]), "SIGTERM");

    expect(await terminal.exit).toBe(130);
    expect(readFileSync(join(folder, "modes"), "utf8")).toMatch(/ icanon [^]* echo /);
    expect(terminal.raw.lastIndexOf("\u001B[?25h")).toBeGreaterThan(terminal.raw.lastIndexOf("\u001B[?25l"));
  });

  it("does not wait for a tool that does not want to end, once it is told again", async () => {
    const tool = toolOf(
      'yield emit.status("Working"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
    );
    const child = toolFolder({ "one.js": tool }).start(["one.js"]);
    await once(child.stderr, "data");
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const [exitCode] = await once(child, "exit");

    expect(exitCode).toBe(130);
  });

  it("cancels the line that is waited for by the first SIGINT", async () => {
    const tool = toolOf('return (yield* ask.outcome(ask.text("Q?"))).action;');
    const child = toolFolder({ "one.js": tool }).start(["one.js"]);
    await once(child.stderr, "data");
    child.kill("SIGINT");
    const [stdout] = await once(child.stdout, "data");
    const [exitCode] = await once(child, "exit");

    expect(String(stdout)).toBe("cancel\n");
    expect(exitCode).toBe(0);
  });
});
