import { describe, expect, it } from "vitest";
import { isFlat } from "../../src/tool-input/gather-input.ts";

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
