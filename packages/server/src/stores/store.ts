/**
 * A store: the logs of durable runs, and what several processes share.
 *
 * Values are encrypted before they reach a store: it sees names, times and numbers. Times are milliseconds since 1970, of the wall clock.
 * `@photon/server/store-contract` tests all of this.
 *
 *   1. The log of a run has one writer at a time: an append names the position it goes to, and goes there or nowhere.
 *   2. What was appended is there after the process was killed.
 *   3. What has expired is not returned.
 *   4. A call that cannot be done rejects with `StoreUnavailable` within a few seconds.
 *   5. A lease lasts for its duration, by one clock for all processes that share the store: their wall clocks may differ and jump.
 */
export interface Store {
  /**
   * Appends records to the log of a run that has `at` records so far, and applies `meta`: all of it, or nothing. Resolves with false
   * if the log has another length: another process has appended.
   */
  append(run: string, at: number, records: readonly string[], meta: AppendMeta): Promise<boolean>;
  /** The records of a run from index `from` on, in order; none if there is no such run. */
  read(run: string, from?: number): Promise<readonly string[]>;
  /** The open entry of a run. */
  getOpen(run: string): Promise<ListedEntry | undefined>;
  /** Open entries, the oldest first, then by run. Rejects with a RangeError if `after` is no cursor. */
  list(query: ListQuery): Promise<ListPage>;
  /** Open entries whose `due` is at or before `by`, the longest due first. Each has its due time as `since`. */
  listDue(by: number, query: Omit<ListQuery, "group">): Promise<ListPage>;
  /** Acquires or renews the lease of a name for so many milliseconds. False if another holder has it. */
  lease(name: string, holder: string, milliseconds: number): Promise<boolean>;
  /** Releases the lease of a name. Does nothing if another holder has it. */
  release(name: string, holder: string): Promise<void>;
  /** Stores a value under a name until `until`, unless there is one. Resolves with the value that is stored. */
  putIfAbsent(name: string, value: string, until: number): Promise<string>;
  /** The value that `putIfAbsent` has stored. */
  get(name: string): Promise<string | undefined>;
  /** Sends a message to every current subscriber of a channel, in any process. */
  publish(channel: string, message: string): Promise<void>;
  /**
   * Calls `onMessage` for every message that is published on a channel after this resolves. Resolves with what ends the subscription.
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

/** That a run waits for answers. A run has one or none. */
export interface OpenEntry {
  /** Whose it is: a digest of the principal. */
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

export interface ListQuery {
  /** Entries of one group only. */
  readonly group?: string;
  /** The `next` of the page before. */
  readonly after?: string;
  /** How many entries a page has at most. */
  readonly limit: number;
}

export interface ListPage {
  readonly entries: readonly ListedEntry[];
  /** The cursor of the next page, if there are more entries. */
  readonly next?: string;
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
