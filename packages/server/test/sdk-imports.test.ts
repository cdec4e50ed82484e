import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** Every package that is loaded with a file of ours, sooner or later. */
function loadedWith(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, "utf8");
  // Types are gone when the code runs.
  const statements = text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm);
  const calls = text.matchAll(/\bimport\(\s*"([^"]+)"/g);
  return [...statements, ...calls].flatMap(([, specifier = ""]) =>
    specifier.startsWith(".") ? loadedWith(join(dirname(file), specifier), seen) : [specifier],
  );
}

describe("the SDK", () => {
  it("is never loaded with @photon/server", () => {
    const loaded = loadedWith(join(src, "index.ts"));

    expect(loaded).toContain("@photon/core");
    expect(loaded.filter((name) => name.startsWith("@modelcontextprotocol/"))).toEqual([]);
  });

  it("is loaded with @photon/server/sdk", () => {
    expect(loadedWith(join(src, "sdk/index.ts"))).toContain("@modelcontextprotocol/sdk/types.js");
  });
});
