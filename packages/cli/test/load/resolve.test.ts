import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { resolveImport } from "../../src/load/resolve/resolve-import.ts";
import { resolvePackage } from "../../src/load/resolve/resolve-package.ts";
import { project } from "./project.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** What Node itself makes of names in a file; it can only be asked in a process of its own. */
function askNode(specifiers: readonly string[], from: string): readonly (string | null)[] {
  const code = `
    const answers = ${JSON.stringify(specifiers)}.map((name) => {
      try { return import.meta.resolve(name, ${JSON.stringify(pathToFileURL(from).href)}); } catch { return null; }
    });
    process.stdout.write(JSON.stringify(answers));`;
  const args = [
    "--experimental-import-meta-resolve",
    ...process.execArgv.filter(isCondition),
    "--input-type=module",
    "-e",
    code,
  ];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as (string | null)[];
}

/** The tests run with a condition of their own, which both sides must have. */
const isCondition = (arg: string, index: number, args: readonly string[]): boolean =>
  /^(?:-C|--conditions)\b/.test(arg) || /^(?:-C|--conditions)$/.test(args[index - 1] ?? "");

function ours(specifier: string, from: string): string | null {
  const target = resolveImport(specifier, from);
  if (target.to === "nothing") return null;
  return target.to === "file" ? pathToFileURL(target.path).href : target.address;
}

/** Every package that is installed here, and what each exports, as it could be imported. */
function everySpecifier(): readonly string[] {
  const modules = join(root, "node_modules");
  const names = readdirSync(modules).flatMap((name) => {
    if (name.startsWith(".")) return [];
    return name.startsWith("@")
      ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`)
      : [name];
  });
  return names.flatMap((name) => [
    name,
    `${name}/package.json`,
    `${name}/no-such-file.js`,
    ...subpathsOf(join(modules, name), name),
  ]);
}

function subpathsOf(folder: string, name: string): readonly string[] {
  // A package.json that npm has installed.
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { exports?: object };
  if (typeof exports !== "object" || Array.isArray(exports)) return [];
  const keys = Object.keys(exports)
    .filter((key) => key.startsWith("./"))
    .slice(0, 12);
  return keys.map((key) => `${name}${key.slice(1).replace("*", "index")}`);
}

describe("the name of a package", () => {
  it("means what Node says it means, for every package and export that is installed here", () => {
    const from = join(root, "examples/tool.js");
    const specifiers = everySpecifier().filter((name) => !isBuiltin(name));

    const answers = askNode(specifiers, from);
    const differing = specifiers
      .map((name, index) => ({ name, node: answers[index] ?? null, ours: ours(name, from) }))
      // Node also answers with files that do not exist; whoever imports them is told then, by us at once.
      .map((both) =>
        both.node !== null && !existsSync(fileURLToPath(both.node)) ? { ...both, node: null } : both,
      )
      .filter(({ node, ours: mine }) => mine !== node);

    expect(specifiers.length).toBeGreaterThan(500);
    expect(differing).toEqual([]);
  });

  const manifest = JSON.stringify({
    name: "app",
    exports: {
      ".": "./main.js",
      "./x": { browser: "./no.js", import: "./x.mjs" },
      "./f/*.js": "./files/*.js",
      "./f/private/*": null,
    },
    imports: { "#inner": "./inner.ts", "#zod": "zod", "#deep/*": "./deep/*.ts" },
  });

  it.each([
    ["app", "main.js"],
    ["app/x", "x.mjs"],
    ["app/f/a/b.js", "files/a/b.js"],
    ["#inner", "inner.ts"],
    ["#deep/one", "deep/one.ts"],
    ["#zod", "node_modules/zod/lib/zod.js"],
    ["zod", "node_modules/zod/lib/zod.js"],
    ["zod/other.js", "node_modules/zod/other.js"],
    ["@s/list", "node_modules/@s/list/index.js"],
  ])("of the file's own package, or of one beside it, is found: %s", (specifier, expected) => {
    const { path } = project({
      "package.json": manifest,
      "node_modules/zod/package.json": '{ "main": "lib/zod" }',
      "node_modules/zod/lib/zod.js": "",
      "node_modules/@s/list/index.js": "",
    });

    expect(resolvePackage(specifier, path("tools/web.ts"))).toEqual({ path: path(expected) });
  });

  it.each([
    ["app/f/private/x.js", 'the package "app" does not export "./f/private/x.js"'],
    ["app/y", 'the package "app" does not export "./y"'],
    ["#nothing", 'no package.json above the file has an "imports" entry for it'],
    ["left-pad", 'the package "left-pad" is not installed; run "npm install left-pad" beside the file'],
    ["@/lib/x", "the paths of a tsconfig.json are not followed; write where it is from here: ./…"],
    ["empty", 'the package "empty" has no main file'],
  ])("that leads nowhere is told: %s", (specifier, problem) => {
    const { path } = project({ "package.json": manifest, "node_modules/empty/readme.md": "" });

    expect(resolvePackage(specifier, path("web.ts"))).toMatchObject({ problem });
  });
});

describe("a relative import", () => {
  it.each([
    ["./x.ts", "web.ts", "x.ts"],
    ["./x", "web.ts", "x.ts"],
    ["./x.js", "web.ts", "x.ts"],
    ["./x.js", "web.js", "x.js"],
    ["./only.js", "web.js", "only.ts"],
    ["./m.mjs", "web.ts", "m.mts"],
    ["./folder", "web.ts", "folder/index.ts"],
    ["./a.service", "web.ts", "a.service.ts"],
    ["./data.json", "web.ts", "data.json"],
    ["./with%20space.ts", "web.ts", "with space.ts"],
    [".", "folder/web.ts", "folder/index.ts"],
    ["../x", "folder/web.ts", "x.ts"],
  ])("%s in %s is %s", (specifier, from, expected) => {
    const files = [
      "x.ts",
      "x.js",
      "only.ts",
      "m.mts",
      "folder/index.ts",
      "a.service.ts",
      "data.json",
      "with space.ts",
    ];
    const { path } = project(Object.fromEntries(files.map((file) => [file, ""])));

    expect(resolveImport(specifier, path(from))).toMatchObject({ to: "file", path: path(expected) });
  });

  it("is left to Node where it means more than a file", () => {
    const { path } = project();

    expect(resolveImport("./x.svg?raw", path("web.ts"))).toEqual({
      to: "node",
      address: `${pathToFileURL(path("x.svg")).href}?raw`,
      isPlain: false,
    });
    expect(resolveImport("node:fs", path("web.ts"))).toMatchObject({ address: "node:fs" });
    expect(resolveImport("data:text/javascript,", path("web.ts"))).toMatchObject({ to: "node" });
  });
});
