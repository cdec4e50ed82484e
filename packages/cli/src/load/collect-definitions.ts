/** Collects the definitions that tool files export, each under one name. */
import { type Prompt, type Resource, type Tool, withName } from "@photon/core";
import { LoadError, loadErrorAt } from "../errors.ts";
import { isRecord, messageOf } from "../unknown.ts";
import { generatorTools, isClass, isGenerator } from "./generator-tools.ts";
import type { Loaded } from "./load.ts";
import type { Exports } from "./module-loader.ts";
import type { FileSnapshot } from "../sources/snapshot.ts";

type Definition = Tool<never> | Prompt<never> | Resource<never>;

export interface Source {
  readonly path: string;
  readonly exports: Exports;
  /** Found in a folder: without a tool it is skipped. */
  readonly isImplicit: boolean;
  /** Other files import it: it may be a helper without a tool. */
  readonly isImported: boolean;
}

/** A definition, and where it was found. */
interface Found {
  readonly definition: Definition;
  readonly path: string;
  readonly export: string;
}

interface Collected extends Pick<Loaded, "tools" | "prompts" | "resources"> {
  /** Files of folders that export no definition. */
  readonly skipped: readonly string[];
}

export async function collectDefinitions(
  sources: readonly Source[],
  snapshot: FileSnapshot,
): Promise<Collected> {
  const taken = new Set<unknown>();
  const found: Found[] = [];
  const skipped: string[] = [];
  for (const source of sources) {
    const isReExport = Object.values(source.exports).some((value) => taken.has(value));
    const own = await definitionsOf(source, taken, snapshot);
    if (own.length === 0 && !source.isImported && !isReExport) {
      if (!source.isImplicit) throw exportsNothing(source.path);
      skipped.push(source.path);
    }
    found.push(...own);
  }
  const [first] = sources;
  if (found.length === 0 && first !== undefined) throw exportsNothing(first.path);
  rejectDuplicates(found);
  const definitions = found.map(({ definition }) => definition);
  return {
    tools: definitions.filter((definition) => definition.kind === "tool"),
    prompts: definitions.filter((definition) => definition.kind === "prompt"),
    resources: definitions.filter((definition) => definition.kind === "resource"),
    skipped,
  };
}

/** The definitions that a file exports, without those that another file has exported before. */
async function definitionsOf(
  { path, exports }: Source,
  taken: Set<unknown>,
  snapshot: FileSnapshot,
): Promise<readonly Found[]> {
  // The default comes last: a definition that is also exported by name has that name.
  const entries = Object.entries(exports)
    .toSorted(([a], [b]) => Number(a === "default") - Number(b === "default"))
    .filter(([, value]) => mayBeTool(value) && !taken.has(value) && taken.add(value));
  const ready = entries.flatMap(([name, value]): readonly Found[] => {
    if (!isDefinition(value)) return [];
    return [{ definition: named(value, name === "default" ? stemOf(path) : name, path), path, export: name }];
  });
  if (ready.length === entries.length) return ready;
  const generators = await generatorTools(path, stemOf(path), new Map(entries), snapshot);
  return [...ready, ...generators.map((one) => ({ ...one, path }))];
}

const KINDS: ReadonlySet<unknown> = new Set<Definition["kind"]>(["tool", "prompt", "resource"]);

/** By its shape: it may come from another copy of @photon/core than ours. */
const isDefinition = (value: unknown): value is Definition =>
  isRecord(value) && KINDS.has(value["kind"]) && typeof value["run"] === "function";

const mayBeTool = (value: unknown): boolean => isDefinition(value) || isGenerator(value) || isClass(value);

function named(definition: Definition, name: string, path: string): Definition {
  try {
    return withName(definition, name);
  } catch (error) {
    const reason = messageOf(error);
    const remedy = reason.includes("cannot be called")
      ? " Export it under another name, or give it one."
      : "";
    throw loadErrorAt({ file: path }, `${reason}${remedy}`, { cause: error });
  }
}

/** `/a/web.photon.ts` is `web`. */
const stemOf = (path: string): string =>
  path
    .replace(/^.*[/\\]/, "")
    .replace(/\.[^.]+$/, "")
    .replace(/\.photon$/, "");

function exportsNothing(file: string): LoadError {
  return loadErrorAt(
    { file },
    "It exports no tool, prompt or resource; export tool({ … }), an async function*, or a default class with async generator methods.",
  );
}

function rejectDuplicates(found: readonly Found[]): void {
  const known = new Map<string, Found>();
  for (const one of found) {
    const { definition } = one;
    const { kind } = definition;
    const name = kind === "resource" ? definition.uri : (definition.name ?? "");
    const other = known.get(`${kind} ${name}`);
    if (other !== undefined)
      throw new LoadError(
        `Two ${kind}s are called ${JSON.stringify(name)}: ${whereIs(other)}, and ${whereIs(one)}; rename one.`,
      );
    known.set(`${kind} ${name}`, one);
  }
}

const whereIs = (found: Found): string => `${found.export} in ${found.path}`;
