import { describe, expect, it } from "vitest";
import { problemsOf } from "../../src/forms/problems.ts";
import { withQuickPatterns } from "../../src/forms/quick-patterns.ts";

const textLike = (pattern: string) => ({ properties: { it: { type: "string", pattern } } });

describe("the patterns of a schema", () => {
  it("are checked, where they cannot take long", () => {
    for (const pattern of [
      "^[A-Z]+$",
      String.raw`^\d{3}-\d{4}$`,
      "^(yes|no)$",
      String.raw`^\(a\)+$`,
      "[(a+)+]",
    ])
      expect(problemsOf(textLike(pattern), { it: "-" })).toHaveLength(1);
  });

  it("are left to the server, where they repeat a group, or repeat too often for so long a text", () => {
    expect(problemsOf(textLike("^(a+)+$"), { it: `${"a".repeat(40)}!` })).toEqual([]);
    expect(problemsOf(textLike("^(a|a){2,}$"), { it: `${"a".repeat(40)}!` })).toEqual([]);
    expect(problemsOf(textLike("a*a*a*a*b"), { it: "a".repeat(2000) })).toEqual([]);
  });

  it("go from the names of properties, too, and nothing else goes", () => {
    const schema = {
      properties: { pattern: { type: "string", pattern: "^(a+)+$" } },
      patternProperties: { "^(a+)+$": {}, "^x-": { type: "number" } },
      required: ["pattern"],
    };

    expect(withQuickPatterns(schema)).toEqual({
      properties: { pattern: { type: "string" } },
      patternProperties: { "^x-": { type: "number" } },
      required: ["pattern"],
    });
  });
});
