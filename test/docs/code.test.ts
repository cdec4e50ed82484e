import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksIn } from "./blocks.ts";
import { compile, type Compiled } from "./compile.ts";
import { modulesIn } from "./modules.ts";
import { pages, readPage } from "./pages.ts";

const run = promisify(execFile);
const modules = pages.flatMap((page) => modulesIn(page, readPage(page)));

let compiled: Compiled;
beforeAll(() => {
  compiled = compile(modules);
}, 60_000);
afterAll(() => compiled.remove());

describe("a block of TypeScript", () => {
  it.each(modules.filter(({ wrong }) => wrong.length === 0))("of $where compiles", (module) => {
    expect(compiled.problemsOf(module).map(({ said }) => said)).toEqual([]);
  });

  it.each(modules.filter(({ wrong }) => wrong.length > 0))("of $where is wrong, as it says", (module) => {
    expect(compiled.problemsOf(module).map(({ code }) => code)).toEqual(module.wrong);
  });

  it.each(modules.filter(({ prints }) => prints !== undefined))(
    "of $where prints what stands below it",
    { timeout: 20_000 },
    async (module) => {
      const { stdout, stderr } = await run(process.execPath, [compiled.programOf(module)]);

      expect(stderr).toBe("");
      expect(stdout).toBe(module.prints);
    },
  );
});

describe("a block of JSON", () => {
  const blocks = pages.flatMap((page) =>
    blocksIn(readPage(page))
      .filter(({ language }) => language === "json")
      .map(({ from, content }) => ({ where: `${page}:${from}`, content })),
  );

  it.each(blocks)("of $where is JSON", ({ content }) => {
    expect(() => JSON.parse(content) as unknown).not.toThrow();
  });
});

describe("the opening of a block", () => {
  /** Languages, and their marks. Another spelling of one of them would be looked at by nobody; files are named by marks with a dot. */
  const known: Readonly<Record<string, RegExp>> = {
    ts: /^(?:continues|elsewhere|runnable|wrong|TS\d+|[\w-]+(?:\.\w+)+)$/,
    sh: /^(?:runnable|serves|quick-start|quick-start-server|beside-clone|existing-project|inspector)$/,
    text: /^terminal$/,
    json: /^(?:\d{4}-\d\d-\d\d|[\w-]+\.json)$/,
    // Settings of other programs, and diagrams.
    nginx: /^$/,
    ini: /^$/,
    dockerfile: /^$/,
    yaml: /^$/,
    mermaid: /^$/,
  };

  it.each(pages)("in %s says nothing but what something is done about", (page) => {
    const odd = blocksIn(readPage(page)).filter(({ language, marks }) => {
      const pattern = known[language];
      return pattern === undefined || marks.some((mark) => !pattern.test(mark));
    });

    expect(odd.map(({ language, marks, from }) => `${from}: ${[language, ...marks].join(" ")}`)).toEqual([]);
  });
});
