/**
 * Works on items of many keys at once, up to a limit for each key and a limit for all.
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
  readonly #working = new Map<string, Promise<void>>();
  /** How many items of each key are worked on. */
  readonly #busy = new Map<string, number>();

  /** `work` must not reject. */
  constructor(limits: QueueLimits, work: (item: string) => Promise<void>) {
    this.#limits = limits;
    this.#work = work;
  }

  /** Adds an item; one that waits already is not added again. An item always has the same key. */
  add(key: string, item: string): void {
    const items = this.#waiting.get(key);
    if (items === undefined) this.#waiting.set(key, new Set([item]));
    else items.add(item);
    this.#startWaiting();
  }

  /** Settles when the work on an item has ended; undefined where it is not worked on. */
  working(item: string): Promise<void> | undefined {
    return this.#working.get(item);
  }

  /** Removes every item that waits. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Settles when the work that is under way has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  #startWaiting(): void {
    while (this.#working.size < this.#limits.total) {
      const next = this.#takeNext();
      if (next === undefined) return;
      this.#start(next.key, next.item);
    }
  }

  #start(key: string, item: string): void {
    this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    const working = this.#work(item).finally(() => {
      this.#working.delete(item);
      const busy = (this.#busy.get(key) ?? 0) - 1;
      if (busy > 0) this.#busy.set(key, busy);
      else this.#busy.delete(key);
      this.#startWaiting();
    });
    this.#working.set(item, working);
  }

  /** Removes and returns the next item whose work may begin. */
  #takeNext(): { readonly key: string; readonly item: string } | undefined {
    for (const [key, items] of this.#waiting) {
      if ((this.#busy.get(key) ?? 0) >= this.#limits.perKey) continue;
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
}
