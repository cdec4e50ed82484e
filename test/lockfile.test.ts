import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("lockfiles", () => {
  it.each([
    "package-lock.json",
    "test/conformance/package-lock.json",
    "test/coming-from/package-lock.json",
    "bench/peers/package-lock.json",
  ])("name no registry in %s, so that everybody installs from their own", (path) => {
    const lockfile = readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
    const resolved = [...lockfile.matchAll(/"resolved": "([^"]*)"/g)].map(([, where]) => where);

    expect(resolved.filter((where) => where?.includes(":"))).toEqual([]);
  });
});
