/**
 * What a JavaScript file imports, kept on disk beside the very text it was found in.
 *
 * Its text is compared, and its entry goes by its path: a name made of the text would take Node's cryptography, which
 * takes longer to load than everything else that a start with JavaScript needs of the loader.
 */
import type { Cache } from "./cache.ts";
import { findImports, type Imports } from "./find-imports.ts";
import { slotOf } from "./known-name.ts";
import { ourManifest } from "./our-version.ts";
import { refuseUnyielded } from "./refuse-unyielded.ts";

/** Changed whenever something else is kept. */
const FORMAT = "3";

/** What is kept: what was found, by whom, and where. */
interface Kept extends Imports {
  readonly by: string;
  readonly path: string;
  readonly source: string;
}

/** Finds what a JavaScript file imports, or takes what was found before. */
export async function knownImports(path: string, source: string, cache: Cache): Promise<Imports> {
  const by = `${FORMAT} ${ourManifest()}`;
  const name = `${slotOf(path)}.imports.json`;
  const known = readKept(cache.read(name));
  if (known?.by === by && known.path === path && known.source === source) return known;
  const found = await findImports(source);
  await refuseUnyielded(path, source);
  const kept: Kept = { by, path, source, ...found };
  cache.write(name, JSON.stringify(kept));
  return found;
}

/** An entry that was cut short, or that somebody else wrote, is none. */
function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    // Written by us, or by another version of us, which has another manifest.
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}
