import { PassThrough } from "node:stream";
import fc from "fast-check";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { colorsFor, withoutColors } from "../../src/terminal/colors.ts";
import { cleanText, oneLine, cutTo, foldTo } from "../../src/terminal/text.ts";

const ESC = "\u001B";

describe("cleaning text", () => {
  it.each([
    ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["what moves the cursor", `a${ESC}[2J${ESC}[10;1Hb${ESC}[Ac`, "abc"],
    ["a title", `a${ESC}]0;My title\u0007b`, "ab"],
    ["a link", `${ESC}]8;;https://evil.example${ESC}\\here${ESC}]8;;${ESC}\\`, "here"],
    ["what goes into the clipboard", `a${ESC}]52;c;cm0gLXJm${ESC}\\b`, "ab"],
    ["a device control string", `a${ESC}Pq#0;2;0;0;0${ESC}\\b`, "ab"],
    ["sequences that begin with one byte", "a\u009B31mb\u009D0;title\u009Cc", "abc"],
    ["a character set, and a reset", `a${ESC}(0b${ESC}cc`, "abc"],
    ["a bell and a backspace", "a\u0007b\b\bc", "abc"],
    ["one sequence within another", `${ESC}${ESC}[31m[31mx`, "[31mx"],
    ["a sequence that does not end", `a${ESC}]0;title`, "a0;title"],
    ["what turns the direction of text", "safe\u202Egnp.exe\u2066", "safegnp.exe"],
  ])("leaves out %s", (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("leaves words, tabs and lines as they are, in any language", () => {
    const text = "Grüße,\t世界 🌍\nשלום\n";

    expect(cleanText(text)).toBe(text);
  });

  it("begins a new line at a carriage return, which would write over what is there", () => {
    expect(cleanText("10%\r20%\r\n30%")).toBe("10%\n20%\n30%");
  });

  it("leaves nothing that a terminal acts upon, whatever comes in", () => {
    const anything = fc.string({ unit: "binary", maxLength: 200 });
    const piece = fc.constantFrom(ESC, "[", "]", "\u009B", "\u009D", "\u0007", "\\", "0;", "31m", "x");
    const pieces = fc.array(piece, { maxLength: 20 }).map((list) => list.join(""));

    fc.assert(
      fc.property(fc.oneof(anything, pieces), (text) => {
        expect(cleanText(text)).not.toMatch(/[^\P{Cc}\t\n]/u);
      }),
    );
  });

  it.each([
    ["a string that does not end", `${ESC}]`],
    ["one that begins with a single byte", "\u009D"],
    ["one with something in it", `${ESC}P0;x`],
    ["a sequence that does not end", `${ESC}[0;`],
    ["an escape", ESC],
    ["a colour that does not end", `${ESC}[31;1`],
  ])("takes a megabyte of the beginning of %s in its stride", (_, beginning) => {
    const text = beginning.repeat(1_000_000 / beginning.length);
    const begun = performance.now();
    cleanText(text);
    withoutColors(text);

    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it("makes one line of several", () => {
    expect(oneLine(" a\n\n b\tc ")).toBe("a b c");
  });
});

describe("taking colours away", () => {
  it("leaves what moves the cursor, strikes out and turns round", () => {
    const text = `${ESC}[31mred${ESC}[39m ${ESC}[9mgone${ESC}[29m ${ESC}[7m_${ESC}[27m${ESC}[2K${ESC}[1A`;

    expect(withoutColors(text)).toBe(`red ${ESC}[9mgone${ESC}[29m ${ESC}[7m_${ESC}[27m${ESC}[2K${ESC}[1A`);
  });

  it("takes bright ones and backgrounds as well", () => {
    expect(withoutColors(`${ESC}[90ma${ESC}[47mb${ESC}[38;5;12mc${ESC}[103md`)).toBe("abcd");
  });
});

describe("colours", () => {
  it.each([
    ["a terminal", true, {}, "\u001B[31mred\u001B[39m"],
    ["a file", false, {}, "red"],
    ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, "red"],
    ["a terminal that can only print lines", true, { TERM: "dumb" }, "red"],
  ])("are written to %s or left out", (_, isTTY, env, expected) => {
    const output = Object.assign(new PassThrough(), { isTTY });

    expect(colorsFor(output, env).red("red")).toBe(expected);
  });
});

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
