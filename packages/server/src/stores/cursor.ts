/** The cursor of a list: time and run of the last entry, so that it stays valid whatever is closed or opened meanwhile. */
import type { ListedEntry, ListPage } from "./store.ts";

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
    throw new RangeError(`${JSON.stringify(text)} is not a cursor; pass the \`next\` of an earlier page.`);
  return { since: time, run };
}

/** Oldest first, then by run. */
export function compareCursors(one: Cursor, other: Cursor): number {
  if (one.since !== other.since) return one.since - other.since;
  if (one.run === other.run) return 0;
  return one.run < other.run ? -1 : 1;
}

/** The first `limit` entries of up to `limit + 1`: one more means that there is another page. */
export function toPage(entries: readonly ListedEntry[], limit: number): ListPage {
  const last = entries[limit - 1];
  if (entries.length <= limit || last === undefined) return { entries };
  return { entries: entries.slice(0, limit), next: formatCursor(last) };
}
