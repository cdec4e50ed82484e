import fc from "fast-check";
import { describe, expect, it } from "vitest";
import stringWidth from "fast-string-width";
import { cutTo, foldTo } from "../../src/terminal/text.ts";

describe("fitting text", () => {
  it("cuts what is too long, and says so", () => {
    expect([cutTo(5, "abcde"), cutTo(5, "abcdef"), cutTo(5, "日本語")]).toEqual(["abcde", "abcd…", "日本…"]);
  });

  it("never gives more than the width, whatever is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 40 }), (text, width) => {
        expect(stringWidth(cutTo(width, text).replace("…", "."))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("folds between words, keeps its lines, and leaves a word alone that is too long", () => {
    expect(foldTo(8, "one two three\nfour\nunbreakable")).toEqual([
      "one two",
      "three",
      "four",
      "unbreakable",
    ]);
  });
});
