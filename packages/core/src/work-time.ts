import type { Clock } from "./util/time.ts";

/** How long a body has worked, of how long it may. The clock runs only while it works. */
export class WorkTime {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #left: number;

  /** `limit` in milliseconds. `onOver` is called when it is over. */
  constructor(limit: number, clock: Clock, onOver: () => void) {
    this.#left = limit;
    this.#clock = clock;
    this.#onOver = onOver;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const left = this.#left;
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
