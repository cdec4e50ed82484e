/** From what was typed to the tools, prompts and resources meant. */
import { relative, sep } from "node:path";
import type { Prompt, Resource, Tool } from "@photon/core";
import { CannotLoad } from "./cannot-load.ts";
import { findToolFiles } from "./find/find-tool-files.ts";
import { gather } from "./gather/gather.ts";
import { openCache } from "./link/cache.ts";
import { importFiles } from "./link/import-files.ts";
import { isFile, realPath } from "./on-disk.ts";
import { nothingSeen, type Seen } from "./seen.ts";

export interface Loaded {
  readonly tools: readonly Tool<never>[];
  readonly prompts: readonly Prompt<never>[];
  readonly resources: readonly Resource<never>[];
  /** Every file the definitions came from, imports included, packages left out. */
  readonly files: readonly string[];
  /** What is worth knowing about the load, as sentences: files of a folder that were skipped. */
  readonly notes: readonly string[];
}

/** Loads what the paths name: files, folders, bare names; none are the defaults of the folder. */
export async function loadDefinitions(
  paths: readonly string[],
  { cwd, seen = nothingSeen() }: { readonly cwd: string; readonly seen?: Seen },
): Promise<Loaded> {
  const here = realPath(cwd);
  try {
    const cache = openCache();
    const found = findToolFiles(paths, here, seen);
    const { modules, helpers } = await importFiles(
      found.map(({ path }) => path),
      cache,
      seen,
    );
    const sources = found.map(({ path, isStray }) => ({
      path,
      exports: modules.get(path) ?? {},
      isStray,
      isHelper: isStray && helpers.has(path),
    }));
    const { skipped, ...definitions } = await gather(sources, cache, seen);
    return {
      ...definitions,
      files: [...seen.files.keys()].filter(isOwnFile).toSorted(),
      notes: skipped.map(
        (path) => `${relative(here, path)} exports no tool, prompt or resource: it is skipped.`,
      ),
    };
  } catch (error) {
    throw error instanceof CannotLoad ? error.seenFrom(here) : error;
  }
}

/** Neither one that was looked for in vain, nor one of a package. */
const isOwnFile = (path: string): boolean => isFile(path) && !path.split(sep).includes("node_modules");
