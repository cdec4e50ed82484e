/** With `npm run pictures`, what the page shows is written, and its pictures are taken; without, what it shows is compared. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder, type TemporaryFolder } from "../../../packages/cli/test/temporary-folder.ts";
import { vocabulary } from "../../kitchen-sink/vocabulary.ts";
import { root } from "../pages.ts";
import { showInTerminal } from "./in-terminal.ts";
import { takePicture } from "./on-page.ts";
import { showOnExchange, showOnSession } from "./on-wire.ts";
import { file, isShown, page, source, tools, withShown, type Shown } from "./page.ts";

const isTaking = process.env["PHOTON_PICTURES"] === "take";
const picture = (tool: string): string => join(root, `docs/images/ask-${tool}.png`);

/** The tools of the page, served at an address of their own. */
async function serve(): Promise<{ readonly place: TemporaryFolder; readonly url: string }> {
  const place = temporaryFolder({ "asking.photon.ts": source });
  // A question without a deadline has no hour on its page.
  const settings = ["--name=hotel", "--when-unsupported=page", "--ask-timeout=none"];
  const server = place.start(["serve", "asking", "--transport=http", "--port=0", ...settings]);
  return { place, url: await server.url() };
}

/** As the formatter would have it. */
function formatted(text: string): string {
  const formatter = join(root, "node_modules/oxfmt/bin/oxfmt");
  const { stdout } = spawnSync(process.execPath, [formatter, "--stdin-filepath", file], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
  return stdout;
}

describe("docs/asking.md", { timeout: 120_000 }, () => {
  it("shows what is shown in a terminal, and what is sent to clients", async () => {
    const { place, url } = await serve();
    const shown = new Map<string, Shown>();
    for (const tool of tools) {
      const [terminal, session, exchange] = await Promise.all([
        showInTerminal(tool, place),
        showOnSession(tool, url),
        showOnExchange(tool, url),
      ]);
      shown.set(tool, { terminal, "2025-11-25": session, "2026-07-28": exchange });
    }

    await expect(formatted(withShown(shown))).toMatchFileSnapshot(file);
    for (const [tool, { "2025-11-25": session, "2026-07-28": exchange }] of shown) {
      // What is not shown is the same, wrapped.
      if (isShown(tool, "2026-07-28")) continue;
      const params: unknown = JSON.parse(session);
      expect(JSON.parse(exchange)).toEqual({ "ask-1": { method: "elicitation/create", params } });
    }
  });

  it.runIf(isTaking)("has pictures of the pages", async () => {
    const { url } = await serve();
    for (const tool of tools) {
      const png = await takePicture(tool, url);
      expect(png.length).toBeGreaterThan(0);
      writeFileSync(picture(tool), png);
    }
  });

  it("shows the picture of each tool", () => {
    expect(tools.filter((tool) => !page.includes(`](images/ask-${tool}.png)`))).toEqual([]);
  });

  it("asks every kind of question that core has", () => {
    const kinds = vocabulary.filter((word) => /^ask\.(?!outcome)\w+$/.test(word));
    // What may be left empty is a field of a form.
    const asked = kinds.map((kind) => (kind === "ask.optional" ? `: ${kind}(` : `yield* ${kind}(`));

    expect(kinds.length).toBeGreaterThan(10);
    expect(asked.filter((words) => !source.includes(words))).toEqual([]);
  });

  it("has every option in its tables", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    const missing = vocabulary.filter((word) => {
      const [, whose = "", option = ""] = /^(ask\.\w+|every ask): (\w+)$/.exec(word) ?? [];
      // What a question cannot be made without stands in its section.
      if (whose === "" || ["options", "schema", "url"].includes(option)) return false;
      const row = rows.filter((one) => one.startsWith(`| \`${whose === "every ask" ? option : whose}\``));
      return !row.some((one) => one.includes(`\`${option}\``));
    });

    expect(missing).toEqual([]);
  });
});
