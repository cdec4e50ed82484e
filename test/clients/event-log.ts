interface Waiting<T> {
  readonly matches: (event: T) => boolean;
  readonly count: number;
  readonly resolve: () => void;
}

/** Events in the order in which they happened. A test can wait until one has happened. */
export class EventLog<T> {
  #all: T[] = [];
  readonly #waiting = new Set<Waiting<T>>();

  get all(): readonly T[] {
    return this.#all;
  }

  add(event: T): void {
    this.#all.push(event);
    for (const waiting of this.#waiting) if (this.#isOver(waiting)) waiting.resolve();
  }

  /** Resolves when `count` events match. */
  async until(matches: (event: T) => boolean, count = 1): Promise<void> {
    await new Promise<void>((resolve) => {
      const waiting: Waiting<T> = {
        matches,
        count,
        resolve: () => {
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      if (this.#isOver(waiting)) waiting.resolve();
    });
  }

  clear(): void {
    this.#all = [];
  }

  #isOver({ matches, count }: Waiting<T>): boolean {
    return this.#all.filter(matches).length >= count;
  }
}
