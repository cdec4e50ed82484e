import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage, root } from "./pages.ts";

type Names = Readonly<Record<string, string>>;
interface Package {
  readonly dependencies?: Names;
  readonly peerDependencies?: Names;
  readonly devDependencies?: Names;
}

const packages = readdirSync(join(root, "packages")).map((name) => {
  // What npm reads as well.
  const text = readPage(`packages/${name}/package.json`);
  return JSON.parse(text) as Package;
});

/** Packages of others. */
const foreign = (...all: readonly (Names | undefined)[]): readonly string[] =>
  all.flatMap((names) => Object.keys(names ?? {})).filter((name) => !name.startsWith("@photon/"));

/** The names in the first column of the table of dependencies. */
const [, , ...rows] =
  /## Dependencies\n\n([^]*?)\n\n/.exec(readPage("docs/compatibility.md"))?.[1]?.split("\n") ?? [];
const told = rows.flatMap((row) =>
  [...(row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
);

describe("docs/compatibility.md", () => {
  it("names every package that is installed with ours", () => {
    const installed = packages.flatMap((one) => foreign(one.dependencies, one.peerDependencies));

    expect(installed.length).toBeGreaterThan(8);
    expect(installed.filter((name) => !told.includes(name))).toEqual([]);
  });

  it("names no package that ours do not stand on", () => {
    const known = packages.flatMap((one) =>
      foreign(one.dependencies, one.peerDependencies, one.devDependencies),
    );

    expect(told.filter((name) => !known.includes(name))).toEqual([]);
  });
});
