import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readPage } from "./docs/pages.ts";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

/** Which of our packages each one may import: cli → server → core, and never back. */
const direction = {
  core: [],
  // It talks to a server as any other client does: over the wire.
  playground: [],
  server: ["@photon/core"],
  cli: ["@photon/core", "@photon/server"],
};

/** The packages that a package's sources import; Node's own count as "node:". */
function importsOf(name: string): string[] {
  const src = join(packages, name, "src");
  const specifiers = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => specifiersIn(readFileSync(join(src, file), "utf8")))
    .filter((specifier) => !specifier.startsWith("."))
    .map((specifier) => /^(?:node:|@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(specifiers)].toSorted();
}

function specifiersIn(text: string): string[] {
  // A statement starts its line, or is the end of one over several lines; a comment is neither.
  const statements = text.matchAll(/^(?:import |(?:import|export|\}).*? from )"([^"]+)"/gm);
  const calls = text.matchAll(/\bimport\(\s*"([^"]+)"/g);
  return [...statements, ...calls].map(([, specifier = ""]) => specifier);
}

describe("imports", () => {
  it("are found however they are written", () => {
    const text = [
      'import "a";',
      'import b, { type B } from "b";',
      'import {\n  c,\n} from "c";',
      'export { d } from "d";',
      'export type { E } from "e";',
      'const f = await import("f");',
      '/**\n * import { no } from "no";\n */',
    ].join("\n");

    expect(specifiersIn(text).toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("have a direction for every package there is", () => {
    expect(readdirSync(packages).toSorted()).toEqual(Object.keys(direction).toSorted());
  });

  it("bring nothing into core but ajv and ajv-formats", () => {
    const allowed = ["ajv", "ajv-formats"];

    expect(importsOf("core").filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it.each(Object.entries(direction))(
    "of %s point at none of our packages but %j",
    (name, allowed: string[]) => {
      const ours = importsOf(name).filter((imported) => imported.startsWith("@photon/"));

      expect(ours.filter((imported) => !allowed.includes(imported))).toEqual([]);
    },
  );
});

/** The layers of a package, from top to bottom, as ARCHITECTURE.md has them: files and folders of `src`. */
function layersOf(name: string): readonly (readonly string[])[] {
  const [, table = ""] =
    new RegExp(`^### Layers of ${name}\\n([^]*?)^#`, "m").exec(readPage("ARCHITECTURE.md")) ?? [];
  const rows = [...table.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = ""]) => cell);
  const publicApi = readdirSync(join(packages, name, "src")).includes("index.ts") ? [["index.ts"]] : [];
  return [
    ...publicApi,
    ...rows.map((cell) => [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, unit = ""]) => unit)),
  ];
}

/** The imports between the files and folders of a package, types included: `calls/call-runner.ts → settings.ts`. */
function importsBetween(name: string): readonly { from: string; to: string; edge: string }[] {
  const src = join(packages, name, "src");
  const unitOf = (path: string): string => path.split(/[/\\]/)[0] ?? path;
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      specifiersIn(readFileSync(join(src, file), "utf8"))
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => join(dirname(file), specifier))
        .map((path) => ({ from: unitOf(file), to: unitOf(path), edge: `${file} → ${path}` })),
    )
    .filter(({ from, to }) => from !== to);
}

describe.each(["core", "server", "cli"])("the layers of %s", (name) => {
  const layers = layersOf(name);
  const depthOf = (unit: string): number => layers.findIndex((units) => units.includes(unit));

  it("have a row in ARCHITECTURE.md for each file and folder", () => {
    expect(layers.flat().toSorted()).toEqual(readdirSync(join(packages, name, "src")).toSorted());
  });

  it("import only from the layers below", () => {
    const imports = importsBetween(name);
    const upwards = imports.filter(({ from, to }) => depthOf(from) >= depthOf(to));

    expect(imports.length).toBeGreaterThan(0);
    expect(upwards.map(({ edge }) => edge)).toEqual([]);
  });
});
