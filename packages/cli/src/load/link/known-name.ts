/**
 * Names that were made of something once, kept on disk beside the very thing.
 *
 * Whoever has the same again is given the name that it had. To make it anew would take Node's cryptography, which takes
 * longer to load than everything else that a start needs of the loader.
 */
import { basename } from "node:path";
import { nameFor, type Cache } from "./cache.ts";

interface Kept {
  readonly of: string;
  readonly name: string;
}

/** What `nameFor` makes of the parts; `slot` is where it is kept, for one thing at a time. */
export function knownName(cache: Cache, slot: string, ...parts: readonly string[]): string {
  const of = JSON.stringify(parts);
  const entry = `${slot}.name.json`;
  const known = readKept(cache.read(entry));
  if (known?.of === of) return known.name;
  const kept: Kept = { of, name: nameFor(...parts) };
  cache.write(entry, JSON.stringify(kept));
  return kept.name;
}

/** Where something of a file is kept. Two paths may share one, and would then only take turns. */
export function slotOf(path: string): string {
  let name = 0;
  for (let at = 0; at < path.length; at++) name = (Math.imul(name, 31) + path.charCodeAt(at)) | 0;
  return `${plainName(path)}-${(name >>> 0).toString(16)}`;
}

/** The name of a file, as far as it is good for one in the cache. */
export const plainName = (path: string): string =>
  basename(path)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(-60);

/** An entry that was cut short, or that somebody else wrote, is none. */
function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    // Written by us: what it was made of is compared, our version among it.
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}
