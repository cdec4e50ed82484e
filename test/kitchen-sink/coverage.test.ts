import { fileURLToPath } from "node:url";
import { ask, emit, logLevels } from "@photon/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tools } from "../../examples/kitchen-sink/definitions.ts";
import { verifies } from "../requirements.ts";
import { performances } from "./performances.ts";
import { rateClip } from "./performances/song.ts";
import { rehearse, toolOf } from "./rehearse.ts";
import { Studio } from "./studio.ts";
import { vocabulary } from "./vocabulary.ts";
import { overheard, wordsOf, wordsOfTool } from "./words-of.ts";

/** Which tools use a word, by word. */
const shownBy = new Map<string, Set<string>>();

function note(tool: string, words: Iterable<string>): void {
  for (const word of words) shownBy.set(word, (shownBy.get(word) ?? new Set()).add(tool));
}

beforeAll(async () => {
  const studio = await Studio.open();
  for (const tool of tools) note(tool.name ?? "", wordsOfTool(tool));
  for (const performance of performances) {
    await studio.tidy();
    const tool = overheard(toolOf(performance), (word) => note(performance.tool, [word]));
    note(performance.tool, wordsOf(await rehearse(performance, undefined, tool)));
  }
  for (const action of ["decline", "cancel", "timeout"] as const)
    note(rateClip.tool, wordsOf(await rehearse(rateClip, { key: "stars", action })));
  return () => studio.close();
});
afterAll(() => shownBy.clear());

describe("the kitchen sink shows", () => {
  it(verifies("D4", "every word that core has for what a tool may ask, tell, do and return"), () => {
    expect(vocabulary.filter((word) => !shownBy.has(word))).toEqual([]);
  });

  it("what core makes words for", () => {
    const constructors = [
      ...Object.keys(ask),
      ...Object.keys(emit).filter((name) => !["text", "image", "audio", "resource", "link"].includes(name)),
    ];
    const named = constructors.map((name) => (name in ask ? `ask.${name}` : `emit.${name}`));

    expect(named.filter((word) => !vocabulary.includes(word))).toEqual([]);
    expect(logLevels.filter((level) => !vocabulary.includes(`log level: ${level}`))).toEqual([]);
  });

  it("in WHERE.md what is shown where", async () => {
    const file = fileURLToPath(new URL("../../examples/kitchen-sink/WHERE.md", import.meta.url));
    const rows = vocabulary.map((word) => [`\`${word}\``, listed([...(shownBy.get(word) ?? [])])]);

    await expect(page(rows)).toMatchFileSnapshot(file);
  });
});

const listed = (names: readonly string[]): string =>
  names.length > 6 ? `${names.length} of the ${tools.length} tools` : names.toSorted().join(", ");

/** As the formatter would have it. */
function page(rows: readonly (readonly string[])[]): string {
  const all = [["word", "tools"], ...rows];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = all;
  const table = [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
  return `# What is shown where\n\nWritten by \`npx vitest run test/kitchen-sink/coverage.test.ts -u\`, which runs every tool and looks at what it does.\n\n${table.join("\n")}\n`;
}
