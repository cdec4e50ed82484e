import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { vocabulary } from "../kitchen-sink/vocabulary.ts";
import { pages, readPage } from "./pages.ts";

describe("docs/README.md", () => {
  it("leads to every page there is", () => {
    const index = readPage("docs/README.md");
    const others = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");

    expect(others.filter((page) => !index.includes(`](${basename(page)})`))).toEqual([]);
  });
});

describe("docs/writing-tools.md", () => {
  const page = readPage("docs/writing-tools.md");

  it.each([
    ["everything that a definition may say", /^(?:tool|annotation): (\w+)$/],
    ["everything that can be told", /^(emit\.\w+)$/],
  ])("has %s", (_, pattern) => {
    const words = vocabulary.flatMap((word) => pattern.exec(word)?.[1] ?? []);

    expect(words.length).toBeGreaterThan(4);
    expect(words.filter((word) => !new RegExp(`^\\|.*\`${word}\\b`, "m").test(page))).toEqual([]);
  });
});
