/**
 * Signatures of the bare generators and the class of a file, read from its source.
 *
 * Only loaded for a file that has such tools. What was read is kept on disk,
 * with every file it was read from: while those are the same, nothing is parsed.
 */
import { cannotLoadAt } from "../cannot-load.ts";
import { ourVersion } from "../link/our-version.ts";
import { nameFor, type Cache } from "../link/cache.ts";
import { readSeen, type Seen } from "../seen.ts";
import type { Signature } from "./signature.ts";

/** What is wanted of a file. */
export interface Wanted {
  /** Exports that are generators. */
  readonly functions: readonly string[];
  /** Methods of the class that it exports by default. */
  readonly methods: readonly string[];
}

export interface Derived {
  readonly functions: Readonly<Record<string, Signature>>;
  /** Without those that are private or protected. */
  readonly methods: Readonly<Record<string, Signature>>;
}

/** What is kept: what was derived, and from what. */
interface Kept {
  readonly derived: Derived;
  readonly read: readonly (readonly [path: string, content: string])[];
  readonly followed: readonly (readonly [specifier: string, from: string, path: string | null])[];
}

/** Derives what is wanted of a file, or takes what was derived before; `seen` is told what was read. */
export async function derive(path: string, wanted: Wanted, cache: Cache, seen: Seen): Promise<Derived> {
  const text = readSeen(path, seen);
  if (text === undefined) throw cannotLoadAt({ file: path }, "The file cannot be read.");
  const name = `${nameFor("derived", ourVersion(), path, text, JSON.stringify(wanted))}.json`;
  const known = readKept(cache.read(name));
  const kept =
    known !== undefined && (await isCurrent(known, seen)) ? known : await deriveAnew(path, wanted, seen);
  if (kept !== known) cache.write(name, JSON.stringify(kept));
  return kept.derived;
}

async function deriveAnew(path: string, wanted: Wanted, seen: Seen): Promise<Kept> {
  const [{ Sources }, { readTools }] = await Promise.all([import("./sources.ts"), import("./read-tools.ts")]);
  const sources = new Sources(seen);
  const derived = readTools(path, wanted, sources);
  return {
    derived,
    read: [...sources.read].map(([file, content]) => [file, nameFor(content)]),
    followed: sources.followed.map(([specifier, from, to]) => [specifier, from, to ?? null]),
  };
}

/** Whether every file is as it was read, and every import still leads where it led. */
async function isCurrent({ read, followed }: Kept, seen: Seen): Promise<boolean> {
  const isSame = read.every(([file, content]) => nameFor(readSeen(file, seen) ?? "") === content);
  if (!isSame || followed.length === 0) return isSame;
  const { resolveSource } = await import("./resolve-source.ts");
  return followed.every(([specifier, from, path]) => (resolveSource(specifier, from) ?? null) === path);
}

function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    // Written by this version: its number is in the name.
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}
