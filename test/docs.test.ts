import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer } from "@photon/server";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs")).map((name) => join("docs", name)),
];

const packages = ["packages/core/src", "packages/server/src", "packages/cli/src"];

/** The code of every error class in a package's sources. */
function codesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...read(join(folder, file)).matchAll(/\bcode(?: = |: string = |.* \?\? )"([A-Z_]+)"/g),
    ])
    .map(([, code = ""]) => code);
}

describe("docs", () => {
  it("have an entry for the code of every error there is", () => {
    const page = read("docs/errors.md");
    const codes = packages.flatMap(codesIn);

    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !page.includes(`| \`${code}\``))).toEqual([]);
  });

  it("name no error code that does not exist", () => {
    const codes = packages.flatMap(codesIn);
    const named = [...read("docs/errors.md").matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);

    expect(named.filter((code) => !codes.includes(code ?? ""))).toEqual([]);
  });

  it.each(pages)("of %s link to files that are there", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = ""]) => link);

    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  it.each(pages)("of %s name only npm scripts that exist", (page) => {
    const { scripts } = JSON.parse(read("package.json")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const named = [...read(page).matchAll(/`[^`]*\bnpm run ([a-z:]+)/g)].map(([, name = ""]) => name);

    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("of docs/serving.md make keys that a server takes", () => {
    const [, line = ""] = /^ *(export PHOTON_KEYS=.*)$/m.exec(read("docs/serving.md")) ?? [];

    const made = execFileSync("sh", ["-c", `${line}\nprintf %s "$PHOTON_KEYS"`], { encoding: "utf8" });

    expect(() => createServer({ keys: [made] })).not.toThrow();
  });
});
