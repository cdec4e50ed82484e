/**
 * A store in the memory of this process: for tests, and for one process that does without what lasts.
 *
 * Several servers of one process may share one. All of it is gone with the process.
 */
import type { Clock } from "@photon/core";
import { Listeners } from "./listeners.ts";
import { OpenRuns } from "./open-runs.ts";
import { pageOf, readPlace } from "./place.ts";
import { StoreUnavailable } from "./store-unavailable.ts";
import type { About, Listed, Opened, Page, Store } from "./store.ts";

/** How often what has expired is let go of, in milliseconds. Whoever asks meanwhile does not find it either. */
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
  until: number;
}

// Its methods are asynchronous because a store's are: what they throw is a rejection.
export class MemoryStore implements Store {
  readonly #clock: Pick<Clock, "now">;
  readonly #runs = new Map<string, Run>();
  readonly #open = new OpenRuns();
  readonly #due = new OpenRuns();
  readonly #leases = new Map<string, Kept>();
  readonly #kept = new Map<string, Kept>();
  readonly #listeners = new Listeners();
  #swept = 0;
  #isClosed = false;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async append(run: string, at: number, records: readonly string[], about: About): Promise<boolean> {
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

  async opened(run: string): Promise<Opened | undefined> {
    return this.#find(run, this.#now())?.open;
  }

  async list({ group, after, limit }: Page): Promise<Listed> {
    return this.#page(this.#open.behind(after === undefined ? undefined : readPlace(after), group), limit);
  }

  async due(by: number, { after, limit }: Omit<Page, "group">): Promise<Listed> {
    const place = after === undefined ? undefined : readPlace(after);
    return this.#page(this.#due.behind(place, undefined), limit, by);
  }

  async lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    const now = this.#now();
    const held = this.#leases.get(name);
    if (held !== undefined && held.until > now && held.value !== holder) return false;
    this.#leases.set(name, { value: holder, until: now + milliseconds });
    return true;
  }

  async release(name: string, holder: string): Promise<void> {
    this.#now();
    if (this.#leases.get(name)?.value === holder) this.#leases.delete(name);
  }

  async once(name: string, value: string, until: number): Promise<string> {
    const now = this.#now();
    this.#sweep(now);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > now) return kept.value;
    this.#kept.set(name, { value, until });
    return value;
  }

  async recall(name: string): Promise<string | undefined> {
    const now = this.#now();
    const kept = this.#kept.get(name);
    return kept !== undefined && kept.until > now ? kept.value : undefined;
  }

  async publish(channel: string, message: string): Promise<void> {
    this.#now();
    this.#listeners.tell(channel, message);
  }

  async subscribe(channel: string, hear: (message: string) => void): Promise<() => Promise<void>> {
    this.#now();
    const end = this.#listeners.add(channel, hear);
    return async () => end();
  }

  async ping(): Promise<void> {
    this.#now();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  /** What time it is, as long as it is open. */
  #now(): number {
    if (this.#isClosed) throw new StoreUnavailable("memory:", "it was closed");
    return this.#clock.now();
  }

  #find(run: string, now: number): Run | undefined {
    const kept = this.#runs.get(run);
    if (kept === undefined || kept.until > now) return kept;
    this.#drop(run);
    return undefined;
  }

  #page(listed: Iterable<Opened>, limit: number, by = Infinity): Listed {
    const now = this.#now();
    const found: Opened[] = [];
    for (const opened of listed) {
      if (found.length > limit || opened.since > by) break;
      // Not let go of here: that would move what is being listed.
      if ((this.#runs.get(opened.run)?.until ?? 0) > now) found.push(opened);
    }
    return pageOf(found, limit);
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

  #sweep(now: number): void {
    if (now - this.#swept < SWEEP) return;
    this.#swept = now;
    for (const [run, { until }] of this.#runs) if (until <= now) this.#drop(run);
    for (const kept of [this.#leases, this.#kept]) {
      for (const [name, { until }] of kept) if (until <= now) kept.delete(name);
    }
  }
}
