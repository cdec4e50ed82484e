import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage, root } from "./pages.ts";

const [, table = ""] = /^## 3\. Who owns what\n([^]*?)^## /m.exec(readPage("ARCHITECTURE.md")) ?? [];
/** The files and folders of a part, as its rows have them. */
const ownedIn = (part: string): readonly string[] =>
  table
    .split("\n")
    .filter((row) => row.startsWith(`| ${part}: `))
    .flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path));

/** What is in the sources of a part; the doors, which own nothing, are left out. */
const found = (part: string): readonly string[] =>
  readdirSync(join(root, "packages", part, "src"), { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => name !== "index.ts" && name !== "main.tsx");

describe.each(["core", "server", "playground"])("ARCHITECTURE.md, of the sources of %s", (part) => {
  it("says what everything owns that is in them", () => {
    const owned = ownedIn(part);

    expect(found(part).filter((name) => !owned.includes(name))).toEqual([]);
  });

  it("names nothing that is not there", () => {
    const all = readdirSync(join(root, "packages", part, "src"), { recursive: true, encoding: "utf8" });

    expect(ownedIn(part).filter((path) => !all.includes(path.replace(/\/$/, "")))).toEqual([]);
  });
});
