/**
 * A store in the memory of one process.
 *
 * It has no index: a list reads all runs, and sorts those of the page and the pages after it.
 */
import {
  type AppendMeta,
  compareCursors,
  hostClock,
  type ListedEntry,
  type ListPage,
  type ListQuery,
  monotonicTime,
  type OpenEntry,
  parseCursor,
  type Store,
  type StoreClock,
  toPage,
} from "./store.ts";
import { ChannelListeners } from "./channel-listeners.ts";
import { StoreUnavailable } from "../errors.ts";

/** A store in the memory of this process: for tests, and for one process whose runs need not outlast it. Servers may share one. */
export function memoryStore(clock?: StoreClock): Store {
  return new MemoryStore(clock);
}

/** How often expired entries are deleted. Until then, every method ignores them. */
const SWEEP_INTERVAL_MS = 30_000;

interface Run {
  readonly records: string[];
  until: number;
  open: OpenEntry | undefined;
}

// The methods are async so that they reject instead of throwing.
class MemoryStore implements Store {
  readonly #clock: StoreClock;
  readonly #runs = new Map<string, Run>();
  /** `until` is by the monotonic clock. */
  readonly #leases = new Map<string, { readonly holder: string; readonly until: number }>();
  readonly #values = new Map<string, { readonly value: string; readonly until: number }>();
  readonly #listeners = new ChannelListeners();
  /** When expired entries were last deleted, by the monotonic clock. */
  #sweptAt = -Infinity;
  #isClosed = false;

  constructor(clock: StoreClock = hostClock) {
    this.#clock = clock;
  }

  async append(
    name: string,
    position: number,
    records: readonly string[],
    meta: AppendMeta,
  ): Promise<boolean> {
    this.#sweep();
    const run = this.#find(name) ?? { records: [], until: 0, open: undefined };
    if (run.records.length !== position) return false;
    this.#runs.set(name, run);
    for (const record of records) run.records.push(record);
    run.until = meta.until;
    if (meta.open !== undefined) run.open = meta.open ?? undefined;
    return true;
  }

  async read(run: string, from = 0): Promise<readonly string[]> {
    return this.#find(run)?.records.slice(from) ?? [];
  }

  async getOpen(run: string): Promise<ListedEntry | undefined> {
    const open = this.#find(run)?.open;
    return open && toListedEntry(run, open, open.since);
  }

  async list({ group, after, limit }: ListQuery): Promise<ListPage> {
    return this.#page(after, limit, (open) =>
      group === undefined || open.group === group ? open.since : undefined,
    );
  }

  async listDue(by: number, { after, limit }: Omit<ListQuery, "group">): Promise<ListPage> {
    return this.#page(after, limit, ({ due }) => (due !== undefined && due <= by ? due : undefined));
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
    this.#sweep();
    const found = this.#value(name);
    if (found === undefined) this.#values.set(name, { value, until });
    return found ?? value;
  }

  async get(name: string): Promise<string | undefined> {
    return this.#value(name);
  }

  async publish(channel: string, message: string): Promise<void> {
    this.#assertOpen();
    this.#listeners.emit(channel, message);
  }

  async subscribe(channel: string, onMessage: (message: string) => void): Promise<() => Promise<void>> {
    this.#assertOpen();
    const unsubscribe = this.#listeners.add(channel, onMessage, undefined);
    return async () => unsubscribe();
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

  #find(name: string): Run | undefined {
    const now = this.#now();
    const run = this.#runs.get(name);
    if (run === undefined || run.until > now) return run;
    this.#runs.delete(name);
    return undefined;
  }

  #value(name: string): string | undefined {
    const now = this.#now();
    const found = this.#values.get(name);
    return found !== undefined && found.until > now ? found.value : undefined;
  }

  /** `timeOf`: the time by which an entry is listed; undefined if it is not. */
  #page(after: string | undefined, limit: number, timeOf: (open: OpenEntry) => number | undefined): ListPage {
    const now = this.#now();
    const cursor = parseCursor(after);
    const found: ListedEntry[] = [];
    for (const [run, { open, until }] of this.#runs) {
      const since = open && until > now ? timeOf(open) : undefined;
      if (open !== undefined && since !== undefined && compareCursors({ since, run }, cursor) > 0)
        found.push(toListedEntry(run, open, since));
    }
    return toPage(found.toSorted(compareCursors), limit);
  }

  #sweep(): void {
    const now = this.#now();
    const monotonic = monotonicTime(this.#clock);
    if (monotonic - this.#sweptAt < SWEEP_INTERVAL_MS) return;
    this.#sweptAt = monotonic;
    for (const [name, { until }] of this.#runs) if (until <= now) this.#runs.delete(name);
    for (const [name, { until }] of this.#values) if (until <= now) this.#values.delete(name);
    for (const [name, { until }] of this.#leases) if (until <= monotonic) this.#leases.delete(name);
  }
}

const toListedEntry = (run: string, { group, value }: OpenEntry, since: number): ListedEntry => ({
  run,
  group,
  since,
  value,
});
