/** docs/asking.md: a file of tools, each followed by what is shown of it, which is written in here. */
import { join } from "node:path";
import { blocksIn, type Block } from "../blocks.ts";
import { modulesIn } from "../modules.ts";
import { readPage, root } from "../pages.ts";

const path = "docs/asking.md";
export const file: string = join(root, path);
export const page: string = readPage(path);

/** The file of tools that the page is. */
export const source: string = modulesIn(path, page)[0]?.source ?? "";

/** What is shown of a tool: the marks of the blocks it is shown in. */
export type Shown = Readonly<Record<"terminal" | "2025-11-25" | "2026-07-28", string>>;

const blocks = blocksIn(page);

/** The tools of the page, in its order. */
export const tools: readonly string[] = blocks.flatMap(({ content }) => toolIn(content) ?? []);

function toolIn(content: string): string | undefined {
  return /^export async function\* (\w+)/m.exec(content)?.[1];
}

/** Whether something of a tool is shown. */
export function isShown(tool: string, what: keyof Shown): boolean {
  const from = blocks.findIndex(({ content }) => toolIn(content) === tool);
  const own = blocks.slice(from + 1);
  const next = own.findIndex(({ content }) => toolIn(content) !== undefined);
  return own.slice(0, next === -1 ? own.length : next).some(({ marks: [mark] }) => mark === what);
}

/** The page with other things shown. */
export function withShown(shown: ReadonlyMap<string, Shown>): string {
  const lines = page.split("\n");
  let tool: string | undefined;
  const changes = blocks.flatMap((block) => {
    tool = toolIn(block.content) ?? tool;
    const instead = contentFor(block, shown.get(tool ?? ""));
    return instead === undefined ? [] : [{ ...block, instead }];
  });
  // From the end, so that what comes before stays where it is.
  for (const { from, to, instead } of changes.toReversed()) lines.splice(from, to - from, instead);
  return lines.join("\n");
}

function contentFor({ marks: [mark = ""] }: Block, shown: Shown | undefined): string | undefined {
  return shown !== undefined && mark in shown ? shown[mark as keyof Shown] : undefined;
}
