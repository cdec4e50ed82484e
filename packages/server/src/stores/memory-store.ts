import {
  type AppendMeta,
  hostClock,
  type ListPage,
  monotonicTime,
  type ListedEntry,
  type ListQuery,
  type Store,
  type StoreClock,
} from "./store.ts";
import { ChannelListeners } from "./listeners.ts";
import { compareCursors, toPage, type Cursor, parseCursor } from "./cursor.ts";
import { StoreUnavailable } from "../errors.ts";

/** A store in the memory of this process: for tests, and for one process whose runs need not outlast it. Servers may share one. */
export function memoryStore(clock?: StoreClock): Store {
  return new MemoryStore(clock);
}

/** How often expired entries are deleted. Until then, every method ignores them. */
const SWEEP_MS = 30_000;

interface Run {
  readonly records: string[];
  until: number;
  open: ListedEntry | undefined;
  /** The same, with its due time as `since`. */
  due: ListedEntry | undefined;
}

interface NamedValue {
  readonly value: string;
  readonly until: number;
}

interface Lease {
  readonly holder: string;
  /** By the monotonic clock. */
  readonly until: number;
}

// The methods are async so that they reject instead of throwing.
class MemoryStore implements Store {
  readonly #clock: StoreClock;
  readonly #runs = new Map<string, Run>();
  readonly #open = new OpenIndex();
  readonly #due = new OpenIndex();
  readonly #leases = new Map<string, Lease>();
  readonly #values = new Map<string, NamedValue>();
  readonly #listeners = new ChannelListeners();
  /** By the monotonic clock. */
  #swept = -Infinity;
  #isClosed = false;

  constructor(clock: StoreClock = hostClock) {
    this.#clock = clock;
  }

  async append(run: string, at: number, records: readonly string[], meta: AppendMeta): Promise<boolean> {
    const now = this.#now();
    this.#sweep(now);
    const kept = this.#find(run, now) ?? { records: [], until: 0, open: undefined, due: undefined };
    if (kept.records.length !== at) return false;
    if (!this.#runs.has(run)) this.#runs.set(run, kept);
    for (const record of records) kept.records.push(record);
    kept.until = meta.until;
    if (meta.open === undefined) return true;
    this.#close(kept);
    if (meta.open === null) return true;
    const { due, ...open } = meta.open;
    this.#open.add((kept.open = { run, ...open }));
    if (due !== undefined) this.#due.add((kept.due = { run, ...open, since: due }));
    return true;
  }

  async read(run: string, from = 0): Promise<readonly string[]> {
    return this.#find(run, this.#now())?.records.slice(from) ?? [];
  }

  async getOpen(run: string): Promise<ListedEntry | undefined> {
    return this.#find(run, this.#now())?.open;
  }

  async list({ group, after, limit }: ListQuery): Promise<ListPage> {
    return this.#page(this.#open.after(after === undefined ? undefined : parseCursor(after), group), limit);
  }

  async listDue(by: number, { after, limit }: Omit<ListQuery, "group">): Promise<ListPage> {
    const cursor = after === undefined ? undefined : parseCursor(after);
    return this.#page(this.#due.after(cursor, undefined), limit, by);
  }

  async lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    this.#assertOpen();
    const now = monotonicTime(this.#clock);
    const lease = this.#leases.get(name);
    if (lease !== undefined && lease.until > now && lease.holder !== holder) return false;
    this.#leases.set(name, { holder, until: now + milliseconds });
    return true;
  }

  async release(name: string, holder: string): Promise<void> {
    this.#assertOpen();
    if (this.#leases.get(name)?.holder === holder) this.#leases.delete(name);
  }

  async putIfAbsent(name: string, value: string, until: number): Promise<string> {
    const now = this.#now();
    this.#sweep(now);
    const found = this.#values.get(name);
    if (found !== undefined && found.until > now) return found.value;
    this.#values.set(name, { value, until });
    return value;
  }

  async get(name: string): Promise<string | undefined> {
    const now = this.#now();
    const found = this.#values.get(name);
    return found !== undefined && found.until > now ? found.value : undefined;
  }

  async publish(channel: string, message: string): Promise<void> {
    this.#assertOpen();
    this.#listeners.emit(channel, message);
  }

  async subscribe(channel: string, onMessage: (message: string) => void): Promise<() => Promise<void>> {
    this.#assertOpen();
    const end = this.#listeners.add(channel, onMessage, undefined);
    return async () => end();
  }

  async ping(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  /** The time of the wall clock. Throws if the store was closed. */
  #now(): number {
    this.#assertOpen();
    return this.#clock.now();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable("memory:", "it was closed");
  }

  #find(run: string, now: number): Run | undefined {
    const kept = this.#runs.get(run);
    if (kept === undefined || kept.until > now) return kept;
    this.#drop(run);
    return undefined;
  }

  #page(listed: Iterable<ListedEntry>, limit: number, by = Infinity): ListPage {
    const now = this.#now();
    const found: ListedEntry[] = [];
    for (const entry of listed) {
      if (found.length > limit || entry.since > by) break;
      // Not deleted here: that would change the index that is iterated.
      if ((this.#runs.get(entry.run)?.until ?? 0) > now) found.push(entry);
    }
    return toPage(found, limit);
  }

  #drop(run: string): void {
    const kept = this.#runs.get(run);
    if (kept !== undefined) this.#close(kept);
    this.#runs.delete(run);
  }

  #close(kept: Run): void {
    if (kept.open !== undefined) this.#open.remove(kept.open);
    if (kept.due !== undefined) this.#due.remove(kept.due);
    kept.open = kept.due = undefined;
  }

  /** Deletes expired entries. `now` is the time of the wall clock. */
  #sweep(now: number): void {
    const monotonic = monotonicTime(this.#clock);
    if (monotonic - this.#swept < SWEEP_MS) return;
    this.#swept = monotonic;
    for (const [run, { until }] of this.#runs) if (until <= now) this.#drop(run);
    for (const [name, { until }] of this.#values) if (until <= now) this.#values.delete(name);
    for (const [name, { until }] of this.#leases) if (until <= monotonic) this.#leases.delete(name);
  }
}

/** Open entries in the order of `list`: all, and by group. */
class OpenIndex {
  readonly #all: ListedEntry[] = [];
  readonly #groups = new Map<string, ListedEntry[]>();

  add(entry: ListedEntry): void {
    insert(this.#all, entry);
    const group = this.#groups.get(entry.group) ?? [];
    insert(group, entry);
    this.#groups.set(entry.group, group);
  }

  remove(entry: ListedEntry): void {
    this.#all.splice(upperBound(this.#all, entry) - 1, 1);
    const group = this.#groups.get(entry.group) ?? [];
    group.splice(upperBound(group, entry) - 1, 1);
    if (group.length === 0) this.#groups.delete(entry.group);
  }

  *after(cursor: Cursor | undefined, group: string | undefined): Generator<ListedEntry, void> {
    const listed = group === undefined ? this.#all : (this.#groups.get(group) ?? []);
    for (let at = cursor === undefined ? 0 : upperBound(listed, cursor); at < listed.length; at++) {
      const entry = listed[at];
      if (entry !== undefined) yield entry;
    }
  }
}

function insert(listed: ListedEntry[], entry: ListedEntry): void {
  listed.splice(upperBound(listed, entry), 0, entry);
}

/** The index of the first entry after a cursor. */
function upperBound(listed: readonly ListedEntry[], cursor: Cursor): number {
  let low = 0;
  let high = listed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = listed[middle];
    if (entry !== undefined && compareCursors(entry, cursor) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
