/**
 * Definitions by name.
 *
 *   1. Every one has a name, and no two share one.
 *   2. The order is that of the names by code unit, however they were given.
 */
import { PhotonError, type Runnable } from "@photon/core";

/** What the registry needs to know of a definition. */
export type Named = Pick<Runnable<never, unknown>, "name">;

export interface Registry<Definition extends Named> {
  /** The one of this name, if there is one. */
  readonly find: (name: string) => Definition | undefined;
  /** Every one, sorted by name. */
  readonly list: () => readonly Definition[];
}

/** A server was given something without a name to call it by. */
export class MissingName extends PhotonError {
  override readonly name = "MissingName";
  readonly code = "MISSING_NAME";

  constructor(what: string, position: number) {
    super(`The ${what} number ${position} has no name; a ${what} needs one to be called by.`);
  }
}

/** Two of a server's tools, or two of its prompts, claim the same name. */
export class DuplicateName extends PhotonError {
  override readonly name = "DuplicateName";
  readonly code = "DUPLICATE_NAME";

  constructor(what: string, name: string) {
    super(`Two ${what}s are named "${name}"; rename one of them.`);
  }
}

export function createRegistry<Definition extends Named>(
  what: string,
  definitions: Iterable<Definition>,
): Registry<Definition> {
  const byName = new Map<string, Definition>();
  let position = 0;
  for (const definition of definitions) {
    position += 1;
    if (definition.name === undefined || definition.name === "") throw new MissingName(what, position);
    if (byName.has(definition.name)) throw new DuplicateName(what, definition.name);
    byName.set(definition.name, definition);
  }

  // `<` compares strings by code unit, so the order is the same in every locale.
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
  return {
    find: (name) => byName.get(name),
    list: () => sorted,
  };
}
