/**
 * A queue of items by key, which works on several at once: up to a limit for each key and a limit for all.
 *
 *   1. Keys take turns. While `perKey` is below `total`, one key with many items, or with slow ones, delays no other key.
 *   2. The work on one item never overlaps. An item that is added while it is worked on is worked on once more afterwards.
 */
export interface QueueLimits {
  readonly total: number;
  readonly perKey: number;
}

export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #work: (item: string) => Promise<void>;
  /** Items that wait, by key; the key whose turn is next is first. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Items that are worked on, with their keys. */
  readonly #working = new Map<string, { readonly key: string; readonly settled: Promise<void> }>();

  /** `work` must not reject. */
  constructor(limits: QueueLimits, work: (item: string) => Promise<void>) {
    this.#limits = limits;
    this.#work = work;
  }

  /** Adds an item, unless it waits already. An item always has the same key. */
  add(key: string, item: string): void {
    const items = this.#waiting.get(key);
    if (items === undefined) this.#waiting.set(key, new Set([item]));
    else items.add(item);
    this.#startWaiting();
  }

  /** Settles when the work on an item has ended; undefined if it is not worked on. */
  working(item: string): Promise<void> | undefined {
    return this.#working.get(item)?.settled;
  }

  /** Removes every item that waits. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Settles when the work that is under way has ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.#working.values()].map(({ settled }) => settled));
  }

  #startWaiting(): void {
    while (this.#working.size < this.#limits.total) {
      const next = this.#takeNext();
      if (next === undefined) return;
      const { key, item } = next;
      const settled = this.#work(item).finally(() => {
        this.#working.delete(item);
        this.#startWaiting();
      });
      this.#working.set(item, { key, settled });
    }
  }

  /** Removes and returns the next item whose work may begin. */
  #takeNext(): { readonly key: string; readonly item: string } | undefined {
    for (const [key, items] of this.#waiting) {
      if (this.#countWorking(key) >= this.#limits.perKey) continue;
      for (const item of items) {
        if (this.#working.has(item)) continue;
        items.delete(item);
        // The turn of the key is over: it goes behind all others.
        this.#waiting.delete(key);
        if (items.size > 0) this.#waiting.set(key, items);
        return { key, item };
      }
    }
    return undefined;
  }

  #countWorking(key: string): number {
    let count = 0;
    for (const working of this.#working.values()) if (working.key === key) count += 1;
    return count;
  }
}
