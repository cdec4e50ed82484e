/**
 * Where runs are kept that outlast their process, and where processes that share it meet.
 *
 * Every value is sealed before it comes here: a store sees names, times and numbers. Times are milliseconds since 1970, of the wall
 * clock.
 *
 *   1. The log of a run has one writer at a time: what is appended names the place it goes to, and goes there or nowhere.
 *   2. What was appended is there after the process was killed.
 *   3. What has expired is not there any more, whoever asks.
 *   4. Whatever cannot be done is a `StoreUnavailable`, within a few seconds; nothing waits for ever.
 *   5. A lease lasts for its duration, by one clock for all processes that share the store: their wall clocks may differ and jump.
 */
export interface Store {
  /**
   * Appends records to the log of a run that has `at` of them so far, and notes what is `about` it from now on: all of it,
   * or nothing. False, where the log has another length: somebody else has gone on with it.
   */
  append(run: string, at: number, records: readonly string[], about: AppendMeta): Promise<boolean>;
  /** The records of a run from that one on, in order; none where there is no such run. */
  read(run: string, from?: number): Promise<readonly string[]>;
  /** What of a run is open, if anything is. */
  getOpen(run: string): Promise<Opened | undefined>;
  /** Runs of which something is open, the longest open first; from a place on that an earlier page told. */
  list(page: Page): Promise<ListPage>;
  /** Runs of which what is open is due by then, the longest due first: each is listed as open since then. */
  listDue(by: number, page: Omit<Page, "group">): Promise<ListPage>;
  /** Acquires or renews the lease of a name for so many milliseconds. False if another holder has it. */
  lease(name: string, holder: string, milliseconds: number): Promise<boolean>;
  /** Releases the lease of a name. Does nothing if another holder has it. */
  release(name: string, holder: string): Promise<void>;
  /** Keeps a value under a name until then, if nothing is kept there; gives back what is. */
  putIfAbsent(name: string, value: string, until: number): Promise<string>;
  /** What is kept under a name. */
  get(name: string): Promise<string | undefined>;
  /** Tells everybody who listens now, in any process. Nobody need be there. */
  publish(channel: string, message: string): Promise<void>;
  /**
   * Calls `onMessage` for every message that is published on a channel after this resolves. Gives back what ends the subscription.
   * Calls `onGap` when messages may have been lost, such as after a connection was lost and made again.
   */
  subscribe(
    channel: string,
    onMessage: (message: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  /** Resolves if the store can be written to now. Called every second by servers whose `/readyz` is polled, so it is cheap. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** What is noted of a run with what is appended to its log. */
export interface AppendMeta {
  /** Until when the run is kept. */
  readonly until: number;
  /** What of it is open from now on; `null`: nothing. Without this, what was. */
  readonly open?: Open | null;
}

/** What of a run is open. */
export interface Open {
  /** Whose it is, by a name that says nothing of them. */
  readonly group: string;
  /** Since when. */
  readonly since: number;
  /** When somebody has to look at it, if nobody has until then. */
  readonly due?: number | undefined;
  readonly value: string;
}

export interface Opened extends Omit<Open, "due"> {
  readonly run: string;
}

export interface Page {
  /** Only those of one group. */
  readonly group?: string;
  /** Where the page before ended. */
  readonly after?: string;
  readonly limit: number;
}

export interface ListPage {
  readonly opened: readonly Opened[];
  /** Where this page ends, if there are more behind it. */
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
