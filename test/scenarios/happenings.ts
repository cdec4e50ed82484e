interface Waiting<T> {
  readonly isIt: (happening: T) => boolean;
  readonly count: number;
  readonly resolve: () => void;
}

/** What has happened, in order. One can wait for more of it. */
export class Happenings<T> {
  #all: T[] = [];
  readonly #waiting = new Set<Waiting<T>>();

  get all(): readonly T[] {
    return this.#all;
  }

  add(happening: T): void {
    this.#all.push(happening);
    for (const waiting of this.#waiting) if (this.#isOver(waiting)) waiting.resolve();
  }

  /** Settles when so many of these have happened. */
  async until(isIt: (happening: T) => boolean, count = 1): Promise<void> {
    await new Promise<void>((settle) => {
      const waiting: Waiting<T> = {
        isIt,
        count,
        resolve: () => {
          this.#waiting.delete(waiting);
          settle();
        },
      };
      this.#waiting.add(waiting);
      if (this.#isOver(waiting)) waiting.resolve();
    });
  }

  forget(): void {
    this.#all = [];
  }

  #isOver({ isIt, count }: Waiting<T>): boolean {
    return this.#all.filter(isIt).length >= count;
  }
}
