import type { Clock } from "@photon/core";

/** The least time between two looks, in milliseconds: however many things expire one after another. */
const PAUSE = 1000;

/** Looks for what has expired when the first of it has: one timer, whatever there is to expire. */
export class Expiry {
  readonly #clock: Clock;
  readonly #look: (now: number) => number | undefined;
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  /** `look` lets go of what has expired, and says when the next of it will. */
  constructor(clock: Clock, look: (now: number) => number | undefined) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Something expires then. */
  notBefore(time: number): void {
    if (this.#next !== undefined && this.#next.at <= time) return;
    this.stop();
    const stop = this.#clock.after(Math.max(PAUSE, time - this.#clock.now()), () => {
      this.#next = undefined;
      const next = this.#look(this.#clock.now());
      if (next !== undefined) this.notBefore(next);
    });
    this.#next = { at: time, stop };
  }

  stop(): void {
    this.#next?.stop();
    this.#next = undefined;
  }
}

/** The earliest of some moments; nothing where there are none. */
export function earliest(moments: Iterable<number>): number | undefined {
  let first: number | undefined;
  for (const moment of moments) if (first === undefined || moment < first) first = moment;
  return first;
}
