import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bin, temporaryFolder } from "../../packages/cli/test/temporary-folder.ts";
import { blocksIn, printedBy, type Block } from "./blocks.ts";
import { pages, readPage } from "./pages.ts";

const run = promisify(execFile);

const isRunnable = ({ language, marks }: Block): boolean => language === "sh" && marks.includes("runnable");

/** Pages whose commands build on each other are tried in packages/cli/test/docs-commands.test.ts. */
const elsewhere = ["docs/cli.md", "docs/getting-started.md"];
const tried = pages.filter((page) => !elsewhere.includes(page) && blocksIn(readPage(page)).some(isRunnable));

describe("a block of commands", { timeout: 60_000 }, () => {
  it.each(tried)("of %s prints what stands below it, when it is typed", async (page) => {
    const blocks = blocksIn(readPage(page));
    const { folder, env, write } = temporaryFolder();
    for (const { marks, content } of blocks)
      for (const file of marks.filter((mark) => mark.includes("."))) write(file, content);
    const photon = `photon() { "${process.execPath}" "${bin}" "$@"; }`;

    for (const block of blocks.filter(isRunnable)) {
      const { stdout } = await run("sh", ["-ec", `${photon}\n${block.content}`], { cwd: folder, env });
      expect(stdout).toBe(printedBy(block, blocks));
    }
  });
});
