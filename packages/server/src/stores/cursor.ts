/** Where a page of what is open ends: by the time and the run of its last, so that it stays where it is, whatever comes and goes. */
import type { Opened } from "./store.ts";

export interface Cursor {
  readonly since: number;
  readonly run: string;
}

function formatCursor({ since, run }: Cursor): string {
  return `${since} ${run}`;
}

export function parseCursor(text: string): Cursor {
  const [, since = "", run = ""] = /^(\S+) (.*)$/s.exec(text) ?? [];
  const time = Number(since);
  if (since === "" || Number.isNaN(time))
    throw new RangeError("No page has ended at the place that is given.");
  return { since: time, run };
}

/** The longest open first; those that are open for as long, by their names. */
export function compareCursors(one: Cursor, other: Cursor): number {
  if (one.since !== other.since) return one.since - other.since;
  if (one.run === other.run) return 0;
  return one.run < other.run ? -1 : 1;
}

/** A page of so many, of as many and one more: that there is one more says that the page is not the last. */
export function toPage(
  opened: readonly Opened[],
  limit: number,
): { readonly opened: readonly Opened[]; readonly next?: string } {
  const last = opened[limit - 1];
  if (opened.length <= limit || last === undefined) return { opened };
  return { opened: opened.slice(0, limit), next: formatCursor(last) };
}
