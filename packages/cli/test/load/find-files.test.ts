import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { findToolFiles } from "../../src/load/find-files.ts";
import { emptySnapshot } from "../../src/sources/snapshot.ts";
import { temporaryProject } from "./temporary-project.ts";

/** What the paths mean in a folder with these (empty) files. */
function find(files: readonly string[], ...paths: readonly string[]): readonly string[] {
  const { folder } = temporaryProject(Object.fromEntries(files.map((file) => [file, ""])));
  return findToolFiles(paths, folder, emptySnapshot()).map(({ path }) => relative(folder, path));
}

describe("without a path", () => {
  it(verifies("D1", "the files named *.photon.ts or .js are taken, and those in tools/"), () => {
    const files = [
      "b.photon.js",
      "a.photon.ts",
      "other.ts",
      "tools/web.ts",
      "tools/pay.mjs",
      "tools/lib/deep.ts",
    ];

    expect(find(files)).toEqual(["a.photon.ts", "b.photon.js", "tools/pay.mjs", "tools/web.ts"]);
  });

  it("nothing else in tools/ is taken: no types, no tests, nothing put aside", () => {
    const files = [
      "tools/web.ts",
      "tools/types.d.ts",
      "tools/web.test.ts",
      "tools/vitest.config.ts",
      "tools/_draft.ts",
      "tools/.hidden.js",
      "tools/readme.md",
      "tools/data.json",
    ];

    expect(find(files)).toEqual(["tools/web.ts"]);
  });

  it("what a compiler put beside a file is not taken", () => {
    expect(find(["tools/web.ts", "tools/web.js", "tools/other.js"])).toEqual([
      "tools/other.js",
      "tools/web.ts",
    ]);
  });

  it(verifies("D5", "nothing found is told with where was looked"), () => {
    expect(() => find(["index.ts"])).toThrow(
      /No tools found: there is no \*\.photon\.ts or \*\.photon\.js in \S+, and nothing in \S+\/tools; name a file or a folder\./,
    );
  });
});

describe("a bare name", () => {
  it.each([
    ["web.photon.ts", ["web.photon.ts", "web.ts", "tools/web.ts"]],
    ["web.photon.js", ["web.photon.js", "web.ts", "tools/web.ts"]],
    ["web.ts", ["web.ts", "web.mjs", "tools/web.ts"]],
    ["web.js", ["web.js", "tools/web.ts"]],
    ["tools/web.photon.ts", ["tools/web.photon.ts", "tools/web.ts"]],
    ["tools/web.ts", ["tools/web.ts", "tools/web.mjs"]],
    ["tools/web.mts", ["tools/web.mts"]],
    ["tools/web.mjs", ["tools/web.mjs", "web/index.ts"]],
  ])(verifies("D1", "finds %s first among %j"), (first, files) => {
    expect(find(files, "web")).toEqual([first]);
  });

  it("finds a folder where there is no such file", () => {
    expect(find(["web/a.ts", "web/b.ts"], "web")).toEqual(["web/a.ts", "web/b.ts"]);
  });

  it("may lead into a folder", () => {
    expect(find(["src/web.photon.ts"], "src/web")).toEqual(["src/web.photon.ts"]);
  });

  it("that finds nothing is told with what was looked for", () => {
    expect(() => find(["other.ts"], "web")).toThrow(
      /There is no tool file "web": looked in \S+ for web\.photon\.ts, web\.ts, tools\/web\.photon\.ts, tools\/web\.ts \(or \.mts, \.js, \.mjs\), and for a folder of that name\./,
    );
  });
});

describe("a path", () => {
  it("names a file, whatever it is called", () => {
    expect(find(["_odd.test.ts"], "_odd.test.ts")).toEqual(["_odd.test.ts"]);
  });

  it("to no file is told", () => {
    expect(() => find(["web.ts"], "wob.ts")).toThrow(/There is no file \S+\/wob\.ts; check the path\./);
  });

  it("names a folder: its marked files, and its tools/", () => {
    const files = ["app/web.photon.ts", "app/index.ts", "app/tools/pay.ts"];

    expect(find(files, "app")).toEqual(["app/web.photon.ts", "app/tools/pay.ts"]);
  });

  it("names a folder of files where none is marked", () => {
    expect(find(["app/web.ts", "app/pay.ts", "app/lib/deep.ts"], "app")).toEqual([
      "app/pay.ts",
      "app/web.ts",
    ]);
  });

  it.each(["main.ts", "index.ts", "main.mjs", "index.js", "web.test.ts", "web.spec.js", "vitest.config.ts"])(
    verifies("D1", "names a folder: %s in it holds no tools"),
    (entry) => {
      expect(find(["app/web.ts", `app/${entry}`], "app")).toEqual(["app/web.ts"]);
      expect(find(["tools/web.ts", `tools/${entry}`])).toEqual(["tools/web.ts"]);
      expect(find([`app/${entry}`], `app/${entry}`)).toEqual([`app/${entry}`]);
    },
  );

  it("names a folder called tools: everything in it, marked or not", () => {
    expect(find(["tools/web.photon.ts", "tools/pay.ts"], "tools")).toEqual([
      "tools/pay.ts",
      "tools/web.photon.ts",
    ]);
  });

  it("to a folder with nothing in it is told", () => {
    expect(() => find(["app/readme.md"], "app")).toThrow(/No tools found in the folder \S+\/app/);
  });

  it("given twice, or by two names, is one file", () => {
    const { folder } = temporaryProject({ "web.ts": "" });
    symlinkSync(join(folder, "web.ts"), join(folder, "same.ts"));

    const found = findToolFiles(["web", "./web.ts", "same.ts"], folder, emptySnapshot());

    expect(found).toEqual([{ path: join(folder, "web.ts"), isImplicit: false }]);
  });
});
