import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess, openInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { serve } from "./servers.ts";

const erase = tool({
  name: "erase",
  async *run() {
    const sure = yield* ask.outcome(ask.confirm("Erase all of it?", { id: "sure", dangerous: true }));
    return { action: sure.action, value: sure.action === "accept" ? sure.value : null };
  },
});

describe.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "photon call and a dangerous yes in %s",
  { timeout: 40_000 },
  (maxRevision) => {
    it(verifies(["B1", "C11"], "takes no yes from a file or a line of stdin"), async () => {
      const url = await serve({ tools: [erase], maxRevision });
      const place = temporaryFolder({ "yes.json": JSON.stringify({ sure: true }) });
      const file = await callInProcess([`${url}/mcp`, "--answers", "yes.json"], { place });
      const line = await callInProcess([`${url}/mcp`], { input: "yes\n" });

      for (const { stdout, stderr } of [file, line]) {
        expect(JSON.parse(stdout)).toEqual({ action: "cancel", value: null });
        expect(stderr).toContain("It is dangerous");
      }
      expect(file.stderr).toContain("The answer to sure from yes.json is refused");
      expect(line.stderr).toContain("The answer to sure from stdin is refused");
    });

    it.each(["y", "true"])("takes no %s from the command line", async (answer) => {
      const url = await serve({ tools: [erase], maxRevision });
      const { stdout, stderr } = await callInProcess([`${url}/mcp`, "--answer", `sure=${answer}`]);

      expect(JSON.parse(stdout)).toEqual({ action: "cancel", value: null });
      expect(stderr).toContain('the whole word "yes"');
    });

    it("takes a no from a file and from a line of stdin", async () => {
      const url = await serve({ tools: [erase], maxRevision });
      const place = temporaryFolder({ "no.json": JSON.stringify({ sure: false }) });
      const file = await callInProcess([`${url}/mcp`, "--answers", "no.json"], { place });
      const line = await callInProcess([`${url}/mcp`], { input: "no\n" });

      for (const { stdout } of [file, line])
        expect(JSON.parse(stdout)).toEqual({ action: "accept", value: false });
    });

    it("takes a yes from the command line that names the question", async () => {
      const url = await serve({ tools: [erase], maxRevision });
      const { stdout } = await callInProcess([`${url}/mcp`, "--answer", "sure=yes"]);

      expect(JSON.parse(stdout)).toEqual({ action: "accept", value: true });
    });

    it(verifies(["B1", "C11"], "warns the person at the terminal, who types the whole word"), async () => {
      const url = await serve({ tools: [erase], maxRevision });
      const terminal = openInProcess(["call", `${url}/mcp`], { cwd: temporaryFolder().folder });
      await terminal.shows(/▲ This is dangerous\.\n│ {2}Erase all of it\?[^]*└/);
      await terminal.read();
      terminal.type("y");
      await terminal.shows("y█");
      terminal.type("es");
      await terminal.shows("yes█");
      await terminal.read();
      terminal.press("enter");

      expect(await terminal.exit).toBe(0);
      expect(terminal.text).toContain('"value": true');
    });

    it(verifies(["B1", "C11"], "takes no yes from esc and enter that arrive at once"), async () => {
      const url = await serve({ tools: [erase], maxRevision });
      const terminal = openInProcess(["call", `${url}/mcp`], { cwd: temporaryFolder().folder });
      await terminal.shows(/Erase all of it\?[^]*└/);
      terminal.type("yes");
      await terminal.shows("yes█");
      await terminal.read();
      terminal.type("\u001B\r");

      await terminal.exit;
      expect(terminal.text).toContain('"action": "cancel"');
    });
  },
);

describe("photon call and a question that is asked again", { timeout: 40_000 }, () => {
  const odd = tool({
    name: "odd",
    async *run() {
      const { count } = yield* ask.form(
        "How many?",
        { type: "object", properties: { count: { type: "number", multipleOf: 6 } }, required: ["count"] },
        { id: "many", retries: 1 },
      );
      return `${String(count)} eggs`;
    },
  });

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "shows in %s what was wrong with the last answer, where only the server can check it",
    async (maxRevision) => {
      const url = await serve({ tools: [odd], maxRevision });
      const { stdout, stderr } = await callInProcess([
        `${url}/mcp`,
        "--answer",
        'many={"count":5}',
        "--answer",
        'many={"count":6}',
      ]);

      expect(stdout).toBe("6 eggs\n");
      expect(stderr).toMatch(/The last answer [^\n]+\n\?? *How many\?/);
      expect(stderr).not.toContain("attempts left");
    },
  );
});
