/** Loads the tools, prompts and resources that the paths of the command line name. */
import { relative, sep } from "node:path";
import type { Prompt, Resource, Tool } from "@photon/core";
import { LoadError } from "../errors.ts";
import { collectDefinitions } from "./collect-definitions.ts";
import { isFile, realPath } from "../sources/files.ts";
import { findToolFiles } from "./find-files.ts";
import { importFiles } from "./module-loader.ts";
import { emptySnapshot, type FileSnapshot } from "../sources/snapshot.ts";

export interface Loaded {
  readonly tools: readonly Tool<never>[];
  readonly prompts: readonly Prompt<never>[];
  readonly resources: readonly Resource<never>[];
  /** Every file that the definitions come from, imports included, packages excluded. */
  readonly files: readonly string[];
  /** Sentences about the load: files of a folder that were skipped. */
  readonly notes: readonly string[];
}

/** Paths are files, folders and bare names; without paths, the tool files of the folder are loaded. */
export async function loadDefinitions(
  paths: readonly string[],
  { cwd, snapshot = emptySnapshot() }: { readonly cwd: string; readonly snapshot?: FileSnapshot },
): Promise<Loaded> {
  const folder = realPath(cwd);
  try {
    const found = findToolFiles(paths, folder, snapshot);
    const { modules, imported } = await importFiles(
      found.map(({ path }) => path),
      snapshot,
    );
    const sources = found.map(({ path, isImplicit }) => ({
      path,
      exports: modules.get(path) ?? {},
      isImplicit,
      isImported: isImplicit && imported.has(path),
    }));
    const { skipped, ...definitions } = await collectDefinitions(sources, snapshot);
    return {
      ...definitions,
      files: [...snapshot.files.keys()].filter(isOwnFile).toSorted(),
      notes: skipped.map(
        (path) => `${relative(folder, path)} exports no tool, prompt or resource: it is skipped.`,
      ),
    };
  } catch (error) {
    throw error instanceof LoadError ? error.relativeTo(folder) : error;
  }
}

/** Neither missing nor in a package. */
const isOwnFile = (path: string): boolean => isFile(path) && !path.split(sep).includes("node_modules");
