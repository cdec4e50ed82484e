/** The modules that the blocks of a page are. */
import { blocksIn, printedBy, type Block } from "./blocks.ts";

export interface Module {
  /** Where it is found: `docs/asking.md:12`. */
  readonly where: string;
  /** The page with nothing left but this module, so that an error has the line it has on the page. */
  readonly source: string;
  /** Why it does not compile. */
  readonly wrong: readonly string[];
  /** What it prints when it is run; nothing where it is not. */
  readonly prints: string | undefined;
}

interface Draft {
  readonly blocks: Block[];
  readonly wrong: readonly string[];
}

export function modulesIn(path: string, page: string): readonly Module[] {
  const blocks = blocksIn(page);
  const drafts: Draft[] = [];
  let hidden: Block[] = [];
  let current: Draft | undefined;
  for (const block of blocks.filter(isModule)) {
    if (block.isHidden) {
      hidden.push(block);
      continue;
    }
    const isGoingOn = block.marks.includes("continues");
    if (isGoingOn && current === undefined) refuse(`${path} continues nothing at ${block.from}.`);
    const own = [...hidden, block];
    hidden = [];
    const wrong = reasonsOf(block, path);
    if (wrong.length > 0) {
      // What is wrong is nothing that others go on with.
      drafts.push({ blocks: [...(isGoingOn ? (current?.blocks ?? []) : []), ...own], wrong });
    } else if (isGoingOn) {
      current?.blocks.push(...own);
    } else {
      current = { blocks: own, wrong };
      drafts.push(current);
    }
  }
  return drafts.map((draft) => moduleOf(path, page, draft, blocks));
}

const isModule = ({ language, marks }: Block): boolean => language === "ts" && !marks.includes("elsewhere");

/** Why a block is wrong; nothing where it is not. */
function reasonsOf({ marks, from }: Block, path: string): readonly string[] {
  const reasons = marks.filter((mark) => /^TS\d+$/.test(mark));
  if (marks.includes("wrong") !== reasons.length > 0)
    refuse(`${path} does not say at ${from} why the compiler refuses it: wrong TS2322.`);
  return reasons;
}

function moduleOf(path: string, page: string, draft: Draft, all: readonly Block[]): Module {
  const { blocks, wrong } = draft;
  const lines = page
    .split("\n")
    .map((line, at) => (blocks.some(({ from, to }) => from <= at && at < to) ? line : ""));
  const printed = blocks
    .filter(({ marks }) => marks.includes("runnable"))
    .map((block) => printedBy(block, all) ?? refuse(`${path} does not show what is printed at ${block.to}.`));
  const shown = blocks.find(({ isHidden }) => !isHidden) ?? blocks[0];
  return {
    where: `${path}:${shown?.from ?? 0}`,
    source: lines.join("\n"),
    wrong,
    prints: printed.length === 0 ? undefined : printed.join(""),
  };
}

function refuse(why: string): never {
  throw new Error(why);
}
