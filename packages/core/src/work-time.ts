import type { Clock } from "./clock.ts";

/** How long a body has worked, of how long it may. The clock runs only while it works. */
export class WorkTime {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #left: number | undefined;

  /** `limit` in milliseconds; without one it never ends. `onOver` is called when it has. */
  constructor(limit: number | undefined, clock: Clock, onOver: () => void) {
    this.#left = limit;
    this.#clock = clock;
    this.#onOver = onOver;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const left = this.#left;
    if (left === undefined) return work();
    const before = this.#clock.now();
    const stop = this.#clock.after(left, this.#onOver);
    try {
      return await work();
    } finally {
      stop();
      this.#left = Math.max(0, left - (this.#clock.now() - before));
    }
  }
}
