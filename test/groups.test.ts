import type * as ChildProcess from "node:child_process";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { groupOf, testFiles } from "./groups.ts";

const files = testFiles();

describe("a test file is in the group", () => {
  it.each([
    ["long", "test/durable/kill.test.ts", "does a part of its work"],
    ["processes", "packages/server/test/http.test.ts", "imports node:child_process"],
    ["processes", "packages/server/test/durable/cancelling.test.ts", "starts Redis in what it imports"],
    ["processes", "test/playground/rounds.test.ts", "opens Chromium in what it imports"],
    ["processes", "test/scenarios/stdio.test.ts", "has a package start a process"],
    ["processes", "packages/cli/test/load/definitions.test.ts", "has Node load tools"],
    ["processes", "packages/server/test/playground.test.ts", "serves the built playground"],
    ["processes", "packages/server/test/stateless/left-behind.test.ts", "counts what is on the heap"],
    ["quick", "packages/core/test/ask.test.ts", "needs nothing of that"],
  ])("%s: %s, which %s", (group, file) => {
    expect(files).toContain(file);
    expect(groupOf(file)).toBe(group);
  });
});

describe("the quick tests", () => {
  it.each([
    "packages/core/test/",
    "packages/playground/test/",
    "packages/server/test/auth/",
    "packages/server/test/handover/",
    "packages/server/test/policies/",
    "packages/server/test/secrets/",
    "packages/server/test/stateless/",
    "test/scenarios/",
  ])("have most files of %s", (folder) => {
    const all = files.filter((file) => file.startsWith(folder));

    expect(all.filter((file) => groupOf(file) === "quick").length).toBeGreaterThan(all.length / 2);
  });

  it("cannot start a process, whatever they import", () => {
    // Loaded as a package would load it: what this file imports would put it into another group.
    const { execFileSync, spawn } = createRequire(import.meta.url)(
      "node:child_process",
    ) as typeof ChildProcess;

    expect(() => spawn("true")).toThrow("A quick test has called spawn()");
    expect(() => execFileSync("true")).toThrow("A quick test has called execFileSync()");
  });
});
