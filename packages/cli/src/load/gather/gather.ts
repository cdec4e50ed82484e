/** From modules to definitions, each under one name. */
import { withName } from "@photon/core";
import { CannotLoad, cannotLoadAt } from "../cannot-load.ts";
import type { Cache } from "../link/cache.ts";
import type { Exports } from "../link/import-files.ts";
import type { Loaded } from "../load-definitions.ts";
import type { Seen } from "../seen.ts";
import { isClass, isDefinition, isGenerator, type Definition } from "./kinds-of-exports.ts";

export interface Source {
  readonly path: string;
  readonly exports: Exports;
  /** Found in a folder, and named by nobody: without a tool it is skipped. */
  readonly isStray: boolean;
  /** A helper that others import: it need not have a tool of its own. */
  readonly isHelper: boolean;
}

/** A definition, and where it was found. */
interface Offer {
  readonly definition: Definition;
  readonly path: string;
  readonly export: string;
}

interface Gathered extends Pick<Loaded, "tools" | "prompts" | "resources"> {
  /** The files of folders that export none of them. */
  readonly skipped: readonly string[];
}

export async function gather(sources: readonly Source[], cache: Cache, seen: Seen): Promise<Gathered> {
  const taken = new Set<unknown>();
  const offers: Offer[] = [];
  const skipped: string[] = [];
  for (const source of sources) {
    // A file may only pass on what another one offers.
    const isPassingOn = Object.values(source.exports).some((value) => taken.has(value));
    const found = await offersOf(source, taken, cache, seen);
    if (found.length === 0 && !source.isHelper && !isPassingOn) {
      if (!source.isStray) throw exportsNothing(source.path);
      skipped.push(source.path);
    }
    offers.push(...found);
  }
  const [first] = sources;
  if (offers.length === 0 && first !== undefined) throw exportsNothing(first.path);
  refuseDoubles(offers);
  const definitions = offers.map(({ definition }) => definition);
  return {
    tools: definitions.filter((definition) => definition.kind === "tool"),
    prompts: definitions.filter((definition) => definition.kind === "prompt"),
    resources: definitions.filter((definition) => definition.kind === "resource"),
    skipped,
  };
}

/** What a file offers; a value that was offered already is not offered twice. */
async function offersOf(
  { path, exports }: Source,
  taken: Set<unknown>,
  cache: Cache,
  seen: Seen,
): Promise<readonly Offer[]> {
  // The default comes last: what is also exported by name goes by that.
  const entries = Object.entries(exports)
    .toSorted(([a], [b]) => Number(a === "default") - Number(b === "default"))
    .filter(([, value]) => isOffer(value) && !taken.has(value) && taken.add(value));
  const ready = entries.flatMap(([name, value]): readonly Offer[] => {
    if (!isDefinition(value)) return [];
    return [{ definition: named(value, name === "default" ? stemOf(path) : name, path), path, export: name }];
  });
  if (ready.length === entries.length) return ready;
  const { bareTools } = await import("./bare-tools.ts");
  const bare = await bareTools(path, stemOf(path), new Map(entries), cache, seen);
  return [...ready, ...bare.map((offer) => ({ ...offer, path }))];
}

const isOffer = (value: unknown): boolean => isDefinition(value) || isGenerator(value) || isClass(value);

function named(definition: Definition, name: string, path: string): Definition {
  try {
    return withName(definition, name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = reason.includes("cannot be called")
      ? " Export it under another name, or give it one."
      : "";
    throw cannotLoadAt({ file: path }, `${reason}${remedy}`, { cause: error });
  }
}

/** `/a/web.photon.ts` is `web`. */
const stemOf = (path: string): string =>
  path
    .replace(/^.*[/\\]/, "")
    .replace(/\.[^.]+$/, "")
    .replace(/\.photon$/, "");

function exportsNothing(file: string): CannotLoad {
  return cannotLoadAt(
    { file },
    "It exports no tool, prompt or resource; export tool({ … }), an async function*, or a default class with async generator methods.",
  );
}

function refuseDoubles(offers: readonly Offer[]): void {
  const known = new Map<string, Offer>();
  for (const offer of offers) {
    const { kind } = offer.definition;
    const name = offer.definition.kind === "resource" ? offer.definition.uri : (offer.definition.name ?? "");
    const other = known.get(`${kind} ${name}`);
    if (other !== undefined)
      throw new CannotLoad(
        `Two ${kind}s are called ${JSON.stringify(name)}: ${whereIs(other)}, and ${whereIs(offer)}; rename one.`,
      );
    known.set(`${kind} ${name}`, offer);
  }
}

const whereIs = (offer: Offer): string => `${offer.export} in ${offer.path}`;
