/** What is open, in the order in which it is listed: of everybody, and of each group. */
import { comparePlaces, type Place } from "./place.ts";
import type { Opened } from "./store.ts";

export class OpenRuns {
  readonly #all: Opened[] = [];
  readonly #groups = new Map<string, Opened[]>();

  add(opened: Opened): void {
    insert(this.#all, opened);
    const group = this.#groups.get(opened.group) ?? [];
    insert(group, opened);
    this.#groups.set(opened.group, group);
  }

  remove(opened: Opened): void {
    this.#all.splice(indexBehind(this.#all, opened) - 1, 1);
    const group = this.#groups.get(opened.group) ?? [];
    group.splice(indexBehind(group, opened) - 1, 1);
    if (group.length === 0) this.#groups.delete(opened.group);
  }

  /** What comes behind a place. */
  *behind(place: Place | undefined, group: string | undefined): Generator<Opened, void> {
    const listed = group === undefined ? this.#all : (this.#groups.get(group) ?? []);
    for (let at = place === undefined ? 0 : indexBehind(listed, place); at < listed.length; at++) {
      const opened = listed[at];
      if (opened !== undefined) yield opened;
    }
  }
}

function insert(listed: Opened[], opened: Opened): void {
  listed.splice(indexBehind(listed, opened), 0, opened);
}

/** The index of the first that comes behind a place. */
function indexBehind(listed: readonly Opened[], place: Place): number {
  let low = 0;
  let high = listed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const opened = listed[middle];
    if (opened !== undefined && comparePlaces(opened, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
