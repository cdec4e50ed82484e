import { describe, expect, it } from "vitest";
import { isFlat } from "../src/tool-input/gather-input.ts";
import { inputRows } from "../src/tool-input/schema-fields.ts";

describe("the help of a tool", () => {
  it.each([
    ["at least 1 character", { minLength: 1 }],
    ["at most 1 character", { maxLength: 1 }],
    ["must be in capitals", { pattern: "^[A-Z]+$", patternMessage: "must be in capitals" }],
    ["at least 2 characters, at most 20 characters", { minLength: 2, maxLength: 20 }],
  ])("says that a field takes %s", (words, bounds) => {
    const input = { type: "object", properties: { name: { type: "string", ...bounds } } };

    expect(inputRows(input, {})).toEqual([{ usage: "--name <text>", summary: `(${words})` }]);
  });
});

describe("a value of a tool's input", () => {
  it.each([
    ["text", { type: "string" }, true],
    ["choices", { type: "array", items: { enum: ["a"] } }, true],
    ["a list of anything", { type: "array", items: { type: "string" } }, false],
    ["an object", { type: "object" }, false],
    ["anything", {}, false],
  ])("can be asked for in one prompt, or not: %s", (_, schema, flat) => {
    expect(isFlat(schema)).toBe(flat);
  });
});
