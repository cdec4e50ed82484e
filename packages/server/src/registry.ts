/**
 * The tools a server offers, by name.
 *
 *   1. Every tool has a name, and no two tools share one.
 *   2. The order is that of the names by code unit, however the tools were given.
 */

/** What the registry needs to know of a tool. */
export interface Named {
  readonly name?: string;
}

export interface Registry<Tool extends Named> {
  /** The tool of this name, if there is one. */
  readonly find: (name: string) => Tool | undefined;
  /** Every tool, sorted by name. */
  readonly list: () => readonly Tool[];
}

/** A tool was given to a server without a name to call it by. */
export class UnnamedTool extends Error {
  override readonly name = "UnnamedTool";
  readonly code = "UNNAMED_TOOL";

  constructor(position: number) {
    super(`Tool number ${position} has no name; a tool needs one to be called by.`);
  }
}

/** Two of a server's tools claim the same name. */
export class DuplicateTool extends Error {
  override readonly name = "DuplicateTool";
  readonly code = "DUPLICATE_TOOL";

  constructor(tool: string) {
    super(`Two tools are named "${tool}"; rename one of them.`);
  }
}

export function createRegistry<Tool extends Named>(tools: Iterable<Tool>): Registry<Tool> {
  const byName = new Map<string, Tool>();
  let position = 0;
  for (const tool of tools) {
    position += 1;
    if (!tool.name) throw new UnnamedTool(position);
    if (byName.has(tool.name)) throw new DuplicateTool(tool.name);
    byName.set(tool.name, tool);
  }

  // `<` compares strings by code unit, so the order is the same in every locale.
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, tool]) => tool);
  return {
    find: (name) => byName.get(name),
    list: () => sorted,
  };
}
