import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const lockfile = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8");

describe("package-lock.json", () => {
  it("names no registry, so that everybody installs from their own", () => {
    const resolved = [...lockfile.matchAll(/"resolved": "([^"]*)"/g)].map(([, where]) => where);

    expect(resolved.filter((where) => where?.includes(":"))).toEqual([]);
  });
});
