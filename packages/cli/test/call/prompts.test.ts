import { ask, emit, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { PseudoTerminal } from "../pseudo-terminal.ts";
import { bin, temporaryFolder } from "../temporary-folder.ts";
import { command, serve } from "./servers.ts";

/** Calls in a real terminal. */
function open(...args: readonly string[]): PseudoTerminal {
  const terminal = new PseudoTerminal([process.execPath, bin, "call", ...args], {
    cwd: temporaryFolder().folder,
  });
  onTestFinished(() => terminal.close());
  return terminal;
}

describe("photon call in a terminal", { timeout: 40_000 }, () => {
  it(
    verifies("C11", "asks which tool, what its input is, and what a server we did not write asks"),
    async () => {
      const terminal = open(...command(new URL("./fixtures/input-required.mjs", import.meta.url)));
      await terminal.shows("Which tool?");
      terminal.press("enter");
      await terminal.shows("city");
      terminal.type("Rome\r");
      await terminal.shows("Who is in Rome?");
      terminal.type("Ada\r");

      expect(await terminal.exit).toBe(0);
      expect(terminal.text).toContain("Ada is in Rome.");
    },
  );

  it(
    verifies(["C11", "B3"], "does not let go of a prompt before the answer fits, and shows progress between"),
    async () => {
      const book = tool({
        name: "book",
        async *run() {
          yield emit.progress(0.25, "Looking");
          const nights = yield* ask.number("How many nights?", { min: 1, max: 30 });
          const sure = yield* ask.confirm("Sure?");
          return `${nights} ${String(sure)}`;
        },
      });
      const url = await serve({ tools: [book] });
      const terminal = open(`${url}/mcp`);
      await terminal.shows("How many nights?");
      terminal.type("31\r");
      await terminal.shows("Must be at most 30.");
      terminal.press("backspace", "backspace");
      terminal.type("3\r");
      await terminal.shows("Sure?");
      terminal.type("y\r");

      expect(await terminal.exit).toBe(0);
      expect(terminal.text).toMatch(/25% Looking/);
      expect(terminal.text).toMatch(/3 true/);
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "asks again where it was typed in %s, for a date out of bounds and a text against its pattern",
    async (maxRevision) => {
      const stay = tool({
        name: "stay",
        async *run() {
          const day = yield* ask.date("When?", { min: "2027-01-01", max: "2027-12-31" });
          const { code } = yield* ask.form("Which room?", {
            code: ask.text("Code", { pattern: "^[A-Z][0-9]+$", patternMessage: "must be like A12" }),
          });
          return `${day} ${code}`;
        },
      });
      const url = await serve({ tools: [stay], maxRevision });
      const terminal = open(`${url}/mcp`);
      await terminal.shows("When?");
      terminal.type("20280101\r");
      await terminal.shows("Must be 2027-12-31 or earlier");
      terminal.press(...Array.from({ length: 8 }, () => "backspace" as const));
      terminal.type("20270203\r");
      await terminal.shows("Code");
      terminal.type("12\r");
      await terminal.shows("└  Code must be like A12.");
      terminal.press("backspace", "backspace");
      terminal.type("A12\r");
      await terminal.shows("Send these answers?");
      terminal.press("enter");

      expect(await terminal.exit).toBe(0);
      expect(terminal.text).toContain("2027-02-03 A12");
    },
  );

  it(verifies("B8", "cancels the question at ctrl+c, which the server is told"), async () => {
    const wait = tool({
      name: "wait",
      async *run() {
        yield* ask.text("Who?");
      },
    });
    const url = await serve({ tools: [wait] });
    const terminal = open(`${url}/sse`);
    await terminal.shows("Who?");
    terminal.press("ctrl+c");
    await terminal.shows("Cancelled.");

    expect(await terminal.exit).toBe(130);
    expect(terminal.text).toContain('The question "Who?" (ask-1) was cancelled.');
  });
});
