/** Loads files as modules: TypeScript, JavaScript, and what they import. */
import type { Seen } from "../seen.ts";
import { nothingSeen } from "../seen.ts";
import { openCache, type Cache } from "./cache.ts";
import { importedBy, readGraph, type Graph } from "./graph.ts";
import { link } from "./link.ts";
import { offerRuntime } from "./runtime.ts";

/** What a module exports, by name. */
export type Exports = Readonly<Record<string, unknown>>;

export interface Imported {
  readonly modules: ReadonlyMap<string, Exports>;
  /** Files that another one imports. */
  readonly helpers: ReadonlySet<string>;
}

/** Imports the files one after another: of two that fail, the first is reported. */
export async function importFiles(files: readonly string[], cache: Cache, seen: Seen): Promise<Imported> {
  const graph = await readGraph(files, cache, seen);
  const addresses = await orSay(() => link(graph, cache), files[0] ?? "", new Map());
  offerRuntime(importOne);
  const modules = new Map<string, Exports>();
  for (const file of files) {
    // A module's exports are an object, whatever they are.
    const load = async (): Promise<Exports> => (await import(addresses.get(file) ?? file)) as Exports;
    modules.set(file, await orSay(load, file, addresses));
  }
  return { modules, helpers: helpersIn(graph) };
}

/** Whatever it throws is said in a sentence. */
async function orSay<T>(
  act: () => T | Promise<T>,
  file: string,
  addresses: ReadonlyMap<string, string>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { cannotImport } = await import("./cannot-import.ts");
    throw cannotImport(error, file, addresses);
  }
}

/** For a running tool that imports what it has just worked out. */
async function importOne(file: string): Promise<Exports> {
  const cache = openCache();
  const address = link(await readGraph([file], cache, nothingSeen()), cache).get(file);
  // A module's exports are an object, whatever they are.
  return (await import(address ?? file)) as Exports;
}

function helpersIn(graph: Graph): ReadonlySet<string> {
  return new Set([...graph.values()].flatMap((module) => importedBy(module)));
}
