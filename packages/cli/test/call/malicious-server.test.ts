import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { PseudoTerminal } from "../pseudo-terminal.ts";
import { openInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { command } from "./servers.ts";

const hostile = new URL("./fixtures/hostile.mjs", import.meta.url);

const open = (kind: string, ...args: readonly string[]): PseudoTerminal =>
  openInProcess(["call", ...args, ...command(hostile, kind)], {
    cwd: temporaryFolder().folder,
    columns: 200,
    rows: 100,
  });

/** Nothing of the server's that a terminal acts upon, and nothing that it does not show, was written. */
function expectHarmless({ raw }: PseudoTerminal): void {
  const written = Buffer.from(raw, "latin1").toString("utf8");
  expect(written).not.toContain("\u001B]");
  expect(written).not.toContain("\u001B[2J");
  expect(written).not.toContain("\u0008");
  expect(written).not.toMatch(/[\u0080-\u009F\u2028\u2029]|\p{Cf}|\p{Default_Ignorable_Code_Point}/u);
}

describe("photon call of a server whose texts are escape sequences", { timeout: 40_000 }, () => {
  it.each([
    ["--list", ["--list"]],
    ["--list --json", ["--list", "--json"]],
    ["--help of a tool", ["work", "--help"]],
    ["a name that is wrong", ["wrok"]],
    ["a name that is like no other", ["xyz"]],
  ])(verifies(["C11", "D2"], "shows words alone with %s"), async (_, args) => {
    const terminal = open("ends", ...args);
    await terminal.exit;

    expect(terminal.text).toMatch(/work|photon call/);
    expectHarmless(terminal);
  });

  it.each(["ends", "fails", "refuses"])(
    verifies(["C11", "D2"], "shows words alone where its tool asks and %s"),
    async (kind) => {
      const terminal = open(kind, "work", "--log-level", "debug", "--out", "made");
      await terminal.shows("Ada█");
      terminal.press("enter");
      await terminal.shows(/● red[^]*○ [^]*green/);
      terminal.press("enter");
      await terminal.shows(/◆ {2}short[^]*└/);
      terminal.type("long");
      await terminal.shows("long█");
      terminal.press("enter");
      await terminal.shows("at most 3 characters.");
      terminal.press("backspace", "enter");
      await terminal.shows("● Send it");
      terminal.press("enter");

      expect(await terminal.exit).toBe(kind === "ends" ? 0 : 1);
      expect(terminal.text).toMatch(/Done\.|Refused/);
      expectHarmless(terminal);
    },
  );

  it("tells the type of what it made, and keeps no more of it", async () => {
    const terminal = open("ends", "work");
    await terminal.shows("Ada█");
    terminal.press("enter");
    await terminal.shows("● red");
    terminal.press("enter");
    await terminal.shows(/◆ {2}short[^]*└/);
    terminal.press("enter");
    await terminal.shows("● Send it");
    terminal.press("enter");
    await terminal.exit;

    expect(terminal.text).toContain("image/png, 3 bytes");
    expectHarmless(terminal);
  });
});
