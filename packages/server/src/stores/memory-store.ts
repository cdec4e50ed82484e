import {
  type AppendMeta,
  hostClock,
  type ListPage,
  monotonicTime,
  type Opened,
  type Page,
  type Store,
  type StoreClock,
} from "./store.ts";
import { Listeners } from "./listeners.ts";
import { compareCursors, toPage, type Cursor, parseCursor } from "./cursor.ts";
import { StoreUnavailable } from "../errors.ts";

/** A store in the memory of this process. */
export function memoryStore(clock?: StoreClock): Store {
  return new MemoryStore(clock);
}

/**
 * A store in the memory of this process: for tests, and for one process that does without what lasts.
 *
 * Several servers of one process may share one. All of it is gone with the process.
 */

/** How often expired entries are deleted, in milliseconds. Until then, every method ignores them. */
const SWEEP = 30_000;

interface Run {
  readonly records: string[];
  until: number;
  open: Opened | undefined;
  /** The same, as it is listed among what is due. */
  due: Opened | undefined;
}

interface Kept {
  readonly value: string;
  readonly until: number;
}

interface Lease {
  readonly holder: string;
  /** By the monotonic clock. */
  readonly until: number;
}

// Its methods are asynchronous because a store's are: what they throw is a rejection.
class MemoryStore implements Store {
  readonly #clock: StoreClock;
  readonly #runs = new Map<string, Run>();
  readonly #open = new OpenIndex();
  readonly #due = new OpenIndex();
  readonly #leases = new Map<string, Lease>();
  readonly #kept = new Map<string, Kept>();
  readonly #listeners = new Listeners();
  /** By the monotonic clock. */
  #swept = -Infinity;
  #isClosed = false;

  constructor(clock: StoreClock = hostClock) {
    this.#clock = clock;
  }

  async append(run: string, at: number, records: readonly string[], about: AppendMeta): Promise<boolean> {
    const now = this.#now();
    this.#sweep(now);
    const kept = this.#find(run, now) ?? { records: [], until: 0, open: undefined, due: undefined };
    if (kept.records.length !== at) return false;
    if (!this.#runs.has(run)) this.#runs.set(run, kept);
    for (const record of records) kept.records.push(record);
    kept.until = about.until;
    if (about.open === undefined) return true;
    this.#close(kept);
    if (about.open === null) return true;
    const { due, ...open } = about.open;
    this.#open.add((kept.open = { run, ...open }));
    if (due !== undefined) this.#due.add((kept.due = { run, ...open, since: due }));
    return true;
  }

  async read(run: string, from = 0): Promise<readonly string[]> {
    return this.#find(run, this.#now())?.records.slice(from) ?? [];
  }

  async getOpen(run: string): Promise<Opened | undefined> {
    return this.#find(run, this.#now())?.open;
  }

  async list({ group, after, limit }: Page): Promise<ListPage> {
    return this.#page(this.#open.after(after === undefined ? undefined : parseCursor(after), group), limit);
  }

  async listDue(by: number, { after, limit }: Omit<Page, "group">): Promise<ListPage> {
    const place = after === undefined ? undefined : parseCursor(after);
    return this.#page(this.#due.after(place, undefined), limit, by);
  }

  async lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    this.#refuseClosed();
    const now = monotonicTime(this.#clock);
    const lease = this.#leases.get(name);
    if (lease !== undefined && lease.until > now && lease.holder !== holder) return false;
    this.#leases.set(name, { holder, until: now + milliseconds });
    return true;
  }

  async release(name: string, holder: string): Promise<void> {
    this.#refuseClosed();
    if (this.#leases.get(name)?.holder === holder) this.#leases.delete(name);
  }

  async putIfAbsent(name: string, value: string, until: number): Promise<string> {
    const now = this.#now();
    this.#sweep(now);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > now) return kept.value;
    this.#kept.set(name, { value, until });
    return value;
  }

  async get(name: string): Promise<string | undefined> {
    const now = this.#now();
    const kept = this.#kept.get(name);
    return kept !== undefined && kept.until > now ? kept.value : undefined;
  }

  async publish(channel: string, message: string): Promise<void> {
    this.#refuseClosed();
    this.#listeners.tell(channel, message);
  }

  async subscribe(channel: string, onMessage: (message: string) => void): Promise<() => Promise<void>> {
    this.#refuseClosed();
    const end = this.#listeners.add(channel, onMessage, undefined);
    return async () => end();
  }

  async ping(): Promise<void> {
    this.#refuseClosed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  /** The time of the wall clock. Throws if the store was closed. */
  #now(): number {
    this.#refuseClosed();
    return this.#clock.now();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new StoreUnavailable("memory:", "it was closed");
  }

  #find(run: string, now: number): Run | undefined {
    const kept = this.#runs.get(run);
    if (kept === undefined || kept.until > now) return kept;
    this.#drop(run);
    return undefined;
  }

  #page(listed: Iterable<Opened>, limit: number, by = Infinity): ListPage {
    const now = this.#now();
    const found: Opened[] = [];
    for (const opened of listed) {
      if (found.length > limit || opened.since > by) break;
      // Not let go of here: that would move what is being listed.
      if ((this.#runs.get(opened.run)?.until ?? 0) > now) found.push(opened);
    }
    return toPage(found, limit);
  }

  #drop(run: string): void {
    const kept = this.#runs.get(run);
    if (kept !== undefined) this.#close(kept);
    this.#runs.delete(run);
  }

  /** Nothing of it is open any more. */
  #close(kept: Run): void {
    if (kept.open !== undefined) this.#open.remove(kept.open);
    if (kept.due !== undefined) this.#due.remove(kept.due);
    kept.open = kept.due = undefined;
  }

  /** Deletes expired entries. `now` is the time of the wall clock. */
  #sweep(now: number): void {
    const monotonic = monotonicTime(this.#clock);
    if (monotonic - this.#swept < SWEEP) return;
    this.#swept = monotonic;
    for (const [run, { until }] of this.#runs) if (until <= now) this.#drop(run);
    for (const [name, { until }] of this.#kept) if (until <= now) this.#kept.delete(name);
    for (const [name, { until }] of this.#leases) if (until <= monotonic) this.#leases.delete(name);
  }
}

/** What is open, in the order in which it is listed: of everybody, and of each group. */

class OpenIndex {
  readonly #all: Opened[] = [];
  readonly #groups = new Map<string, Opened[]>();

  add(opened: Opened): void {
    insert(this.#all, opened);
    const group = this.#groups.get(opened.group) ?? [];
    insert(group, opened);
    this.#groups.set(opened.group, group);
  }

  remove(opened: Opened): void {
    this.#all.splice(upperBound(this.#all, opened) - 1, 1);
    const group = this.#groups.get(opened.group) ?? [];
    group.splice(upperBound(group, opened) - 1, 1);
    if (group.length === 0) this.#groups.delete(opened.group);
  }

  /** What comes behind a place. */
  *after(place: Cursor | undefined, group: string | undefined): Generator<Opened, void> {
    const listed = group === undefined ? this.#all : (this.#groups.get(group) ?? []);
    for (let at = place === undefined ? 0 : upperBound(listed, place); at < listed.length; at++) {
      const opened = listed[at];
      if (opened !== undefined) yield opened;
    }
  }
}

function insert(listed: Opened[], opened: Opened): void {
  listed.splice(upperBound(listed, opened), 0, opened);
}

/** The index of the first that comes behind a place. */
function upperBound(listed: readonly Opened[], place: Cursor): number {
  let low = 0;
  let high = listed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const opened = listed[middle];
    if (opened !== undefined && compareCursors(opened, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
