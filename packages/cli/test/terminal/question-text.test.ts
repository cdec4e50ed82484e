import { ask } from "@photon/core";
import { describe, expect, it } from "vitest";
import { expectedFor } from "../../src/terminal/question-text.ts";

describe("what is wanted, in words", () => {
  it.each([
    ["at least 1 character", { minLength: 1 }],
    ["at most 1 character", { maxLength: 1 }],
    ["1 to 20 characters", { minLength: 1, maxLength: 20 }],
    ["2 characters", { minLength: 2, maxLength: 2 }],
    ["must be in capitals", { pattern: "^[A-Z]+$", patternMessage: "must be in capitals" }],
    ["", { pattern: "^[A-Z]+$" }],
  ])("is %s", (words, bounds) => {
    expect(expectedFor(ask.text("Name?", bounds), false)).toBe(words);
  });

  it.each([
    ["at least 1 of them", { min: 1 }],
    ["at most 1 of them", { max: 1 }],
    ["1 to 2 of them", { min: 1, max: 2 }],
    ["2 of them", { min: 2, max: 2 }],
  ])("is %s, of several choices", (words, bounds) => {
    expect(expectedFor(ask.multiselect("Which?", ["a", "b", "c"], bounds), false)).toBe(words);
  });

  it.each([
    ["a number, at least 1", { min: 1 }],
    ["a number, 0.5 to 1", { min: 0.5, max: 1 }],
    ["a whole number, 1 to 30", { min: 1, max: 30, integer: true }],
    ["a whole number, at least 18", { min: 18, max: Number.MAX_SAFE_INTEGER, integer: true }],
  ])("is %s, without a noun", (words, bounds) => {
    expect(expectedFor(ask.number("How many?", bounds), false)).toBe(words);
  });

  it("is a number of stars, of a rating", () => {
    expect(expectedFor(ask.rating("How good?", { max: 3 }), false)).toBe("1 to 3 stars");
  });

  it("is said of what may be left empty", () => {
    expect(expectedFor(ask.text("Name?", { maxLength: 3 }), true)).toBe(
      "at most 3 characters, may be left empty",
    );
  });
});
