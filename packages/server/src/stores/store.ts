/**
 * A store: the logs of durable runs, and what several processes share.
 *
 * Values are encrypted before they reach a store: it sees names, times and numbers. Times are milliseconds since 1970, of the wall clock.
 * `@photon/server/store-contract` tests all of this.
 *
 *   1. The log of a run has one writer at a time: an append names the position it goes to, and goes there or nowhere.
 *   2. What was appended is there after the process was killed.
 *   3. What has expired is not returned.
 *   4. A call that fails rejects with `StoreUnavailable` within a few seconds.
 *   5. A lease lasts for its duration, by one clock for all processes that share the store: their wall clocks may differ and jump.
 */
export interface Store {
  /**
   * Appends records to the log of a run that has `position` records so far, and applies `meta`: all of it, or nothing. Resolves with false
   * if the log has another length: another process has appended.
   */
  append(run: string, position: number, records: readonly string[], meta: AppendMeta): Promise<boolean>;
  /** The records of a run from index `from` on, in order; none if there is no such run. */
  read(run: string, from?: number): Promise<readonly string[]>;
  /** The open entry of a run, if it has one. */
  getOpen(run: string): Promise<ListedEntry | undefined>;
  /** Open entries, the oldest first, then by run. Rejects with a RangeError if `after` is not a cursor. */
  list(query: ListQuery): Promise<ListPage>;
  /**
   * Open entries whose `due` is at or before `by`, the longest due first. In this list the `since` of an entry is its due time, not the
   * `since` that it was appended with: cursors are made of it.
   */
  listDue(by: number, query: Omit<ListQuery, "group">): Promise<ListPage>;
  /** Acquires or renews the lease of a name for so many milliseconds. False if another holder has it. */
  lease(name: string, holder: string, milliseconds: number): Promise<boolean>;
  /** Releases the lease of a name. Does nothing if another holder has it. */
  release(name: string, holder: string): Promise<void>;
  /** Stores a value under a name until `until`, unless there is one. Resolves with the value that is stored. */
  putIfAbsent(name: string, value: string, until: number): Promise<string>;
  /** The value that `putIfAbsent` has stored, until it expires. */
  get(name: string): Promise<string | undefined>;
  /** Sends a message to every current subscriber of a channel, in any process. */
  publish(channel: string, message: string): Promise<void>;
  /**
   * Calls `onMessage` for every message that is published on a channel after this resolves. Resolves with a function that unsubscribes.
   * Calls `onGap` when messages may have been lost, such as after a connection was lost and made again.
   */
  subscribe(
    channel: string,
    onMessage: (message: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  /** Resolves if the store can be written to now. Servers whose `/readyz` is polled call it every second, so it is cheap. */
  ping(): Promise<void>;
  /** Closing twice is allowed. Every other call rejects afterwards. */
  close(): Promise<void>;
}

/** What an append changes beside the log. */
export interface AppendMeta {
  /** When the run expires. Replaces the time of earlier appends. */
  readonly until: number;
  /** The open entry of the run from now on; `null`: none. Without this, the entry stays as it is. */
  readonly open?: OpenEntry | null;
}

/** Says that a run waits for answers. A run has one or none. */
export interface OpenEntry {
  /** The principal that it belongs to, as a digest. */
  readonly group: string;
  /** Since when the run waits. */
  readonly since: number;
  /** When a process has to look at the run even if no answer arrives. */
  readonly due?: number | undefined;
  /** Encrypted. */
  readonly value: string;
}

/** An open entry, as it is listed. */
export interface ListedEntry extends Omit<OpenEntry, "due"> {
  readonly run: string;
}

/** Which open entries are listed. */
export interface ListQuery {
  /** Entries of one group only. */
  readonly group?: string;
  /** The `next` of the page before. */
  readonly after?: string;
  /** How many entries a page has at most. */
  readonly limit: number;
}

/** A page of open entries. */
export interface ListPage {
  readonly entries: readonly ListedEntry[];
  /** The cursor of the next page, if there are more entries. */
  readonly next?: string;
}

/** A place in the pages of `list` and `listDue`: the last entry of a page. It stays valid whatever is closed or opened. */
export interface Cursor {
  readonly since: number;
  readonly run: string;
}

/** Before every entry. */
const START: Cursor = { since: -Infinity, run: "" };

/** Where a page begins: after the cursor, or without one at the first entry. */
export function parseCursor(text: string | undefined): Cursor {
  if (text === undefined) return START;
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
  return { entries: entries.slice(0, limit), next: `${last.since} ${last.run}` };
}

/**
 * The clocks of a store.
 *
 * Deadlines, such as the expiry of a run, are times of the wall clock. Leases and messages last for a duration, so they are measured
 * with a monotonic clock: NTP or an administrator may set the wall clock at any time, and that must neither end the lease of a live
 * process nor extend the lease of a dead one.
 */
export interface StoreClock {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since a fixed moment, such as the start of the host. Never set. Without it `now` is used, as for a test clock. */
  monotonic?(): number;
}

export const hostClock: StoreClock = {
  now: () => Date.now(),
  // Unlike `performance.now()`, which counts from the start of the process, this is one clock for all processes of the host.
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
};

export function monotonicTime(clock: StoreClock): number {
  return clock.monotonic?.() ?? clock.now();
}
