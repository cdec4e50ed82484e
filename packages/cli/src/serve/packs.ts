/** Ready-made tools that a server can offer beside those of files. */
import type { Tool } from "@photon/core";
import { elicitPack } from "@photon/server";

export type PackName = "elicit";

const packs: Readonly<Record<PackName, () => readonly Tool<never>[]>> = { elicit: elicitPack };

export const toolsOf = (names: readonly PackName[]): readonly Tool<never>[] =>
  [...new Set(names)].flatMap((name) => packs[name]());
