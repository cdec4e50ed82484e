import { symlinkSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { run, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { loadDefinitions } from "../../src/load/load.ts";
import { temporaryProject, type TemporaryProject } from "./temporary-project.ts";

/** What the tool `f` of `web.photon.ts` (or another file) returns. */
async function outcome({ folder }: TemporaryProject, ...paths: readonly string[]): Promise<unknown> {
  const { tools } = await loadDefinitions(paths, { cwd: folder });
  const f = tools.find(({ name }) => name === "f");
  if (f === undefined) throw new Error("There is no f.");
  // It takes nothing.
  return run(f as Tool, {}, { ask: () => ({ action: "cancel" }) });
}

const of = (files: Readonly<Record<string, string>>): Promise<unknown> => outcome(temporaryProject(files));

describe("TypeScript is loaded as it is", () => {
  it(
    verifies("D1", "with what has to be compiled: enums, parameter properties, namespaces, satisfies"),
    async () => {
      const web = `
      enum Color { Red = 1, Blue }
      class Room { constructor(readonly beds: number, private floor = 2) {} }
      namespace Prices { export const single = 5; }
      const all = { a: 1 } satisfies Record<string, number>;
      export async function* f() { return [Color.Blue, new Room(3), Prices.single, all.a as unknown]; }
    `;

      expect(await of({ "web.photon.ts": web })).toEqual([2, { beds: 3, floor: 2 }, 5, 1]);
    },
  );

  it.each([
    ["with its ending", "./lib/x.ts"],
    ["without an ending", "./lib/x"],
    ["as what it is built to", "./lib/x.js"],
    ["by its folder", "./lib"],
  ])("with imports of other files, named %s", async (_, specifier) => {
    const web = `import { x } from "${specifier}";\nexport async function* f() { return x; }`;

    expect(
      await of({
        "web.photon.ts": web,
        "lib/x.ts": "export const x: number = 7;",
        "lib/index.ts": 'export * from "./x.ts";',
      }),
    ).toBe(7);
  });

  it("with imports that are types only, however they are written", async () => {
    const web = `
      import { Room } from "./nowhere";
      import type { Bed } from "./no-such-file";
      export async function* f() { const room: Room | Bed | undefined = undefined; return room ?? "none"; }
    `;

    expect(await of({ "web.photon.ts": web })).toBe("none");
  });

  it("with JSON, whole or by its names, with attributes or without", async () => {
    const web = `
      import data, { city } from "./data.json";
      import same from "./data.json" with { type: "json" };
      const later = await import("./data.json", { with: { type: "json" } });
      export async function* f() { return [data.city, city, same === data, later.default === data, data["a-b"], data.class]; }
    `;

    expect(
      await of({
        "web.photon.ts": web,
        "data.json": '{ "city": "Rome", "a-b": 1, "class": 2, "__proto__": 3 }',
      }),
    ).toEqual(["Rome", "Rome", true, true, 1, 2]);
  });

  it(verifies("D1", "with decorators, if the nearest tsconfig.json says so"), async () => {
    const web = `
      const calls: string[] = [];
      function log(_: unknown, name: string) { calls.push(name); }
      class Room { @log enter() { return 1; } }
      export async function* f() { return [calls, new Room().enter()]; }
    `;

    expect(
      await of({
        "web.photon.ts": web,
        "tsconfig.json": '{ "extends": "./base.json" }',
        "base.json": '{ "compilerOptions": { "experimentalDecorators": true } } // for all',
      }),
    ).toEqual([["enter"], 1]);
  });

  it.each([
    ["true", ["value"]],
    ["false", []],
  ])(
    "with class fields that are defined or assigned (useDefineForClassFields: %s)",
    async (isDefined, keys) => {
      const web = `
      class Room { value?: number }
      export async function* f() { return Object.keys(new Room()); }
    `;
      const tsconfig = `{ "compilerOptions": { "useDefineForClassFields": ${isDefined} } }`;

      expect(await of({ "web.photon.ts": web, "tsconfig.json": tsconfig })).toEqual(keys);
    },
  );

  it(verifies("D1", "with the paths of the nearest tsconfig.json"), async () => {
    const folder = temporaryProject({
      "tsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["./wrong/*"] } } }',
      "app/tsconfig.json":
        '{ "compilerOptions": { "baseUrl": ".", "paths": { "~/*": ["./lib/*"], "@one": ["./lib/x.ts"] } } }',
      "app/web.photon.ts": `
        import { x } from "~/x";
        import { x as same } from "@one";
        import { y } from "lib/y";
        import { sep } from "node:path";
        export async function* f() { return [x, same, y, sep]; }
      `,
      "app/lib/x.ts": "export const x: number = 7;",
      "app/lib/y.ts": "export const y: number = 8;",
    });

    expect(await outcome(folder, "app")).toEqual([7, 7, 8, "/"]);
  });

  it("with the imports of package.json", async () => {
    const files = {
      "package.json": '{ "imports": { "#lib/*": "./lib/*.ts", "#pack": "pack" } }',
      "web.photon.ts":
        'import { x } from "#lib/x";\nimport { p } from "#pack";\nexport async function* f() { return x + p; }',
      "lib/x.ts": "export const x: number = 7;",
      "node_modules/pack/index.js": "exports.p = 1;",
    };

    expect(await of(files)).toBe(8);
  });

  it("with what newer JavaScript has than this Node", async () => {
    const web = `
      export async function* f() {
        const closed: string[] = [];
        { using file = { [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() { closed.push("closed"); } } as never; void file; }
        return closed;
      }
    `;

    expect(await of({ "web.photon.ts": web })).toEqual(["closed"]);
  });

  it("with an await at its top, also in a file that it imports", async () => {
    const files = {
      "web.photon.ts":
        'import { x } from "./x.ts";\nconst y = await Promise.resolve(1);\nexport async function* f() { return x + y; }',
      "x.ts": "export const x: number = await Promise.resolve(7);",
    };

    expect(await of(files)).toBe(8);
  });

  it.each([
    ["./x", "x.ts"],
    ["./x.js", "x.ts"],
    ["./only.js", "only.ts"],
    ["./m.mjs", "m.mts"],
    ["./folder", "folder/index.ts"],
    ["./a.service", "a.service.ts"],
    ["./with%20space.ts", "with space.ts"],
  ])("with the import %s for %s", async (specifier, expected) => {
    const names = ["x.ts", "x.js", "only.ts", "m.mts", "folder/index.ts", "a.service.ts", "with space.ts"];
    const files = Object.fromEntries(names.map((name) => [name, `export const name = "${name}";`]));
    const web = `import { name } from "${specifier}";\nexport async function* f() { return name; }`;

    expect(await of({ ...files, "web.photon.ts": web })).toBe(expected);
  });

  it("in JavaScript, where ./x.js is x.js also if there is an x.ts", async () => {
    const web = 'import { name } from "./x.js";\nexport async function* f() { return name; }';
    const files = { "x.ts": 'export const name = "x.ts";', "x.js": 'export const name = "x.js";' };

    expect(await of({ ...files, "web.photon.mjs": web })).toBe("x.js");
  });

  it("with modules that import each other", async () => {
    const files = {
      "web.photon.ts": 'import { a } from "./a.ts";\nexport async function* f() { return a(3); }',
      "a.ts":
        'import { b } from "./b.ts";\nexport const a = (n: number): number => (n === 0 ? 0 : 1 + b(n - 1));',
      "b.ts":
        'import { a } from "./a.ts";\nexport const b = (n: number): number => (n === 0 ? 0 : 1 + a(n - 1));',
    };

    expect(await of(files)).toBe(3);
  });

  it("with one instance of what two files import", async () => {
    const folder = temporaryProject({
      "tools/a.ts":
        'import { next } from "./count.ts";\nexport async function* f() { next(); return next(); }',
      "tools/b.ts": 'import { next } from "./count";\nexport async function* g() { return next(); }',
      "tools/count.ts": "let count = 0;\nexport const next = (): number => ++count;",
    });
    const { tools } = await loadDefinitions([], { cwd: folder.folder });

    for (const tool of tools) await run(tool as Tool, {}, { ask: () => ({ action: "cancel" }) });

    expect(await outcome(folder)).toBe(5);
  });

  it("with imports that are worked out while it runs", async () => {
    const web = `
      const name: string = "x";
      const tried = await import("./nowhere.ts").catch((error) => error.code);
      const missed = await import(\`./\${name}y\`).catch((error) => error.code);
      export async function* f() {
        const { x } = await import(\`./lib/\${name}\`);
        const { sep } = await import(["node:path"][0]!);
        const { y } = await import("./lib/y.js");
        return [x, sep, y, tried, missed];
      }
    `;
    const files = {
      "web.photon.ts": web,
      "lib/x.ts": "export const x: number = 7;",
      "lib/y.ts": "export const y: number = 8;",
    };

    expect(await of(files)).toEqual([7, "/", 8, "ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"]);
  });

  it("where it is: what it says of itself is of the source", async () => {
    const folder = temporaryProject({
      "web.photon.ts": `
        import { readFileSync } from "node:fs";
        export async function* f() {
          const { url, dirname, filename } = import.meta;
          return [url, dirname, filename, import.meta.resolve("./x"), readFileSync(new URL("data.txt", url), "utf8")];
        }
      `,
      "data.txt": "tea",
      "x.ts": "",
    });
    const { path } = folder;
    const url = (name: string): string => pathToFileURL(path(name)).href;

    expect(await outcome(folder)).toEqual([
      url("web.photon.ts"),
      folder.folder,
      path("web.photon.ts"),
      url("x.ts"),
      "tea",
    ]);
  });

  it("with CommonJS beside it", async () => {
    const files = {
      "web.photon.ts":
        'import { one } from "./one.cjs";\nimport two from "./two.js";\nexport async function* f() { return one + two; }',
      "one.cjs": "exports.one = 1;",
      "two.js": 'module.exports = require("./three");',
      "three.js": "module.exports = 2;",
    };

    expect(await of(files)).toBe(3);
  });

  it(
    verifies("D1", "with packages beside it: as Node finds them, and TypeScript that is linked in"),
    async () => {
      const folder = temporaryProject({
        "app/web.photon.ts": `
        import { dual } from "dual";
        import { shared } from "@team/shared";
        import { up } from "up";
        export async function* f() { return [dual, shared, up]; }
      `,
        "app/node_modules/dual/package.json":
          '{ "exports": { "import": "./esm.mjs", "require": "./cjs.cjs" } }',
        "app/node_modules/dual/esm.mjs": 'export const dual = "esm";',
        "app/node_modules/@team/.keep": "",
        "node_modules/up/index.js": 'exports.up = "from above";',
        "shared/package.json": '{ "name": "@team/shared", "exports": "./src/index.ts" }',
        "shared/src/index.ts": 'import { inner } from "./inner.ts";\nexport const shared: string = inner;',
        "shared/src/inner.ts": 'export const inner: string = "linked";',
      });
      symlinkSync(folder.path("shared"), folder.path("app/node_modules/@team/shared"));

      expect(await outcome(folder, "app")).toEqual(["esm", "linked", "from above"]);
    },
  );
});

describe("JavaScript", () => {
  it.each([
    ["in a folder that says it is a module", { "package.json": '{ "type": "module" }' }, "web.photon.js"],
    ["in a folder that says nothing", {}, "web.photon.js"],
    ["by its ending", {}, "web.photon.mjs"],
  ])("is loaded %s", async (_, more, name) => {
    const web =
      '#!/usr/bin/env photon\nimport { tool } from "@photon/core";\nexport const f = tool({ async *run() { return 1; } });';

    expect(await of({ ...more, [name]: web })).toBe(1);
  });

  it("may import TypeScript", async () => {
    const web = 'import { x } from "./lib/x.ts";\nexport async function* f() { return x; }';

    expect(await of({ "web.photon.mjs": web, "lib/x.ts": "export const x: number = 7;" })).toBe(7);
  });

  it("that is CommonJS gives what it exports", async () => {
    expect(
      await of({
        "web.photon.js": "exports.f = async function* () { return 1; };\nexports.f = exports.f;",
      }).catch(String),
    ).toContain("The parameters of the tool f cannot be found");
  });
});

describe("a file that cannot be loaded is told with its place", () => {
  it.each([
    [
      "invalid TypeScript",
      { "web.photon.ts": "export const a = 1;\nexport const b: = 2;" },
      "web.photon.ts:2:17: Unexpected token.",
    ],
    [
      "after letters of two units",
      { "web.photon.ts": 'export const a = "🍵"; const b: = 2;' },
      "web.photon.ts:1:33: Unexpected token.",
    ],
    [
      "invalid JavaScript",
      { "web.photon.mjs": "export const a = 1;\nexport const b = ;" },
      "web.photon.mjs:2:18: Unexpected token.",
    ],
    [
      "an imported file that is invalid",
      { "web.photon.ts": 'import "./lib/x.ts";', "lib/x.ts": "let a = 1;\nlet a = 2;" },
      "lib/x.ts:1:5: Identifier `a` has already been declared.",
    ],
    [
      "an import of no file",
      { "web.photon.ts": '\nimport { x } from "./lib/x.ts";\nx();' },
      /^web\.photon\.ts:2:20: The import "\.\/lib\/x\.ts" cannot be found: there is no file lib\/x\.ts\.$/,
    ],
    [
      "an import of a package that is not installed",
      { "web.photon.ts": 'import pad from "left-pad";\npad();' },
      'web.photon.ts:1:18: The import "left-pad" cannot be found: the package "left-pad" is not installed; run "npm install left-pad" beside the file.',
    ],
    [
      "an import of what is not exported",
      {
        "web.photon.ts": 'const one = 1;\nimport { x } from "./x.ts";\nconsole.log(x, one);',
        "x.ts": "export const y = 1;",
      },
      /^web\.photon\.ts:2:10: The requested module '\.\/x\.ts' does not provide an export named 'x'\. Where x is a type, write "import type" or "export type"\.$/,
    ],
    [
      "a misspelt import of Photon",
      { "web.photon.ts": 'import { aks } from "@photon/core";\nconsole.log(aks);' },
      /^web\.photon\.ts:1:10: The requested module '@photon\/core' does not provide an export named 'aks'\. Did you mean ask\?$/,
    ],
    [
      "an error while it is loaded",
      {
        "web.photon.ts":
          'interface A {}\n\nfunction fail(): never {\n  throw new RangeError("too late");\n}\nfail();',
      },
      "web.photon.ts:4:9: RangeError: too late.",
    ],
    [
      "standard decorators",
      { "web.photon.ts": "type A = 1;\n\nconst log = () => {};\n@log class B {}" },
      'web.photon.ts:4:1: Standard decorators are not supported: for those of TypeScript, set "experimentalDecorators": true in a tsconfig.json beside the file.',
    ],
    [
      "standard decorators, beside a tsconfig.json that cannot be read",
      {
        "web.photon.ts": "const log = () => {};\n@log class B {}",
        "tsconfig.json": '{ "extends": "@tsconfig/nowhere" }',
      },
      /set "experimentalDecorators": true in tsconfig\.json \(.*nowhere.*not found/,
    ],
    [
      "an import that a package does not export",
      {
        "web.photon.ts": 'import { x } from "pack/inner";\nx();',
        "node_modules/pack/package.json": '{ "exports": { ".": "./index.js" } }',
        "node_modules/pack/index.js": "",
      },
      'web.photon.ts:1:20: The import "pack/inner" cannot be found: the package "pack" does not export "./inner".',
    ],
    [
      "an import of its own package that package.json does not have",
      { "web.photon.ts": 'import { x } from "#inner";\nx();', "package.json": '{ "imports": {} }' },
      'The import "#inner" cannot be found: no package.json above the file has an "imports" entry for it.',
    ],
    [
      "an import by paths that no tsconfig.json has",
      { "web.photon.ts": 'import { x } from "@/lib/x";\nx();' },
      'The import "@/lib/x" cannot be found: no tsconfig.json above the file has "paths" for it.',
    ],
    [
      "something thrown that is no error",
      { "web.photon.ts": 'throw "tea";' },
      "web.photon.ts: It threw tea.",
    ],
    [
      "invalid JSON",
      { "web.photon.ts": 'import a from "./a.json";\na;', "a.json": '{ "a": }' },
      /^a\.json: Invalid JSON: Unexpected token/,
    ],
    [
      "CommonJS TypeScript",
      { "web.photon.ts": 'import a from "./a.cts";\na;', "a.cts": "" },
      "a.cts: CommonJS TypeScript (.cts) is not loaded; rename it to .ts.",
    ],
  ])(verifies("D5", "%s"), async (_, files, sentence) => {
    const failed = of(files);

    await expect(failed).rejects.toMatchObject({ code: "CANNOT_LOAD" });
    await expect(failed).rejects.toThrow(sentence);
  });
});
