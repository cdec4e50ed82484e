/** The kitchen sink in the MCP Inspector, by the lines of the README as they stand there. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { useBrowser } from "../../packages/server/test/pages/browser.ts";
import { inspector, install, runOnNode22 } from "../conformance/node-22.ts";
import { verifies } from "../requirements.ts";
import { startInspector } from "./inspector.ts";
import { root } from "./processes.ts";
import { Studio } from "./studio.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");
const lines = [...readme.matchAll(/^npx @modelcontextprotocol\/inspector (.*)$/gm)].map(
  ([, line = ""]) => line,
);
const isTyped = (line: string): boolean => line.startsWith("--cli");

/** Its own 15 seconds are not enough for npx on a machine that is busy with other tests. */
const PATIENTLY = ["--connect-timeout", "60000"];

let home: string;
let studio: Studio;
beforeAll(async () => {
  await install();
  home = mkdtempSync(join(tmpdir(), "photon-inspector-"));
  studio = await Studio.open();
  await studio.tidy();
}, 10 * 60_000);
afterAll(async () => {
  rmSync(home, { recursive: true });
  await studio.close();
});
const browser = useBrowser();

it(
  verifies("D7", "is listed and called by the Inspector's command line, as the README has it"),
  async () => {
    const results: unknown[] = [];
    for (const line of lines.filter(isTyped)) {
      const args = [...line.split(" "), ...PATIENTLY];
      const { code, stdout, stderr } = await runOnNode22(inspector, args, home);
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      results.push(JSON.parse(stdout));
    }

    expect(results).toMatchObject([
      { tools: expect.arrayContaining([expect.objectContaining({ name: "set_tempo" })]) },
      { content: [{ type: "text", text: "That was bar 1, the last." }] },
    ]);
  },
  180_000,
);

it(
  verifies("D7", "asks on the Inspector's web page, and does what was answered there"),
  async () => {
    const line = lines.find((one) => !isTyped(one)) ?? "";
    // The studio of this test: the Inspector gives a server nothing of its own environment.
    const data = ["-e", `KITCHEN_SINK_DATA=${studio.folder}`];
    const page = await startInspector([...data, ...line.split(" ")], home);
    onTestFinished(() => page.close());
    const tab = await browser.tab({ javaScriptEnabled: true });
    await tab.goto(page.url);
    await tab.getByRole("switch").first().click({ force: true });
    await tab.getByText("Tools", { exact: true }).click();
    await tab.getByText("Set the tempo", { exact: true }).click();
    await tab.getByRole("button", { name: "Execute Tool" }).click();
    const question = tab.getByRole("dialog");
    await question.getByLabel("Tempo").fill("90");
    await question.getByRole("button", { name: "Submit" }).click();

    await tab.getByText("The tempo is 90 beats a minute.").waitFor();
    expect(await studio.changes()).toMatchObject({ "song.json": { tempo: 90 } });
  },
  60_000,
);
