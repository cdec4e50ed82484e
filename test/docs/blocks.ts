/**
 * The blocks of a page, as they are marked.
 *
 *   ```ts                 is a module, and compiles
 *   ```ts continues       goes on with the page's module before it
 *   ```ts runnable        is run, and prints the ```text that follows
 *   ```ts wrong TS2322    does not compile, for this reason
 *   ```ts rooms.photon.ts is a file, which the commands of its page find by that name
 *   ```ts elsewhere       is compiled by a test of its own, which has what it needs
 *   ```sh runnable        is typed, line by line, and prints the ```text that follows, if there is one
 *   <!-- ts               is a part of the block after it that readers need not see
 */
export interface Block {
  readonly language: string;
  /** What is said of it behind its language. */
  readonly marks: readonly string[];
  readonly isHidden: boolean;
  /** Where its content begins and ends, in lines of the page counted from 0. */
  readonly from: number;
  readonly to: number;
  readonly content: string;
}

const OPENING = /^ *(?:```(?<language>\w*)(?: (?<marks>.*))?|<!-- (?<hidden>ts))$/;
const CLOSING = /^ *(?:```|-->)$/;

export function blocksIn(page: string): readonly Block[] {
  const lines = page.split("\n");
  const blocks: Block[] = [];
  for (let line = 0; line < lines.length; line++) {
    const groups = OPENING.exec(lines[line] ?? "")?.groups;
    if (groups === undefined) continue;
    const from = line + 1;
    while (line < lines.length - 1 && !CLOSING.test(lines[line + 1] ?? "")) line += 1;
    line += 1;
    const { language, marks, hidden } = groups;
    blocks.push({
      language: hidden ?? language ?? "",
      marks: marks?.split(" ") ?? [],
      isHidden: hidden !== undefined,
      from,
      to: line,
      content: lines
        .slice(from, line)
        .map((one) => `${one}\n`)
        .join(""),
    });
  }
  return blocks;
}

/** What a block is followed by that shows what it prints; nothing where there is no such block. */
export function printedBy(block: Block, blocks: readonly Block[]): string | undefined {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.language === "text" ? next.content : undefined;
}

/** The lines of the blocks of commands that have this mark, in their order. */
export const linesOf = (page: string, mark: string): readonly string[] =>
  blocksIn(page)
    .filter(({ language, marks }) => language === "sh" && marks.includes(mark))
    .flatMap(({ content }) => content.trimEnd().split("\n"));
