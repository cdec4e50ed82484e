import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCache, type Cache } from "../../src/load/link/cache.ts";
import { knownImports } from "../../src/load/link/known-imports.ts";
import { project } from "./project.ts";

/** The specifiers that are found in a file. */
async function specifiersIn(path: string, source: string, cache: Cache): Promise<readonly unknown[]> {
  const { imports } = await knownImports(path, source, cache);
  return imports.map(({ specifier }) => specifier);
}

describe("what a JavaScript file imports", () => {
  it("is looked for once", async () => {
    const folder = project().path("cache");
    await knownImports("/a.js", 'import "b";', openCache(folder));
    const cache: Cache = {
      ...openCache(folder),
      write: (name) => {
        throw new Error(`${name} was looked for again.`);
      },
    };

    expect(await specifiersIn("/a.js", 'import "b";', cache)).toEqual(["b"]);
  });

  it("is looked for again when the file has changed, and is kept in place of what it was", async () => {
    const folder = project().path("cache");
    const cache = openCache(folder);
    await knownImports("/a.js", 'import "b";', cache);

    expect(await specifiersIn("/a.js", 'import "c";', cache)).toEqual(["c"]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".imports.json"))).toHaveLength(1);
  });

  it("is that of the file itself where two share an entry", async () => {
    const cache = openCache(project().path("cache"));
    // The short names of these paths are the same.
    const [one, other] = ["/Aa/a.js", "/BB/a.js"];
    await knownImports(one, 'import "b";', cache);

    expect(await specifiersIn(other, 'import "c";', cache)).toEqual(["c"]);
    expect(await specifiersIn(one, 'import "b";', cache)).toEqual(["b"]);
  });

  it("is looked for again when what was kept was cut short", async () => {
    const folder = project().path("cache");
    const cache = openCache(folder);
    await knownImports("/a.js", 'import "b";', cache);
    const name = readdirSync(folder).find((entry) => entry.endsWith(".imports.json")) ?? "";
    writeFileSync(join(folder, name), '{"by":');

    expect(await specifiersIn("/a.js", 'import "b";', cache)).toEqual(["b"]);
  });
});
