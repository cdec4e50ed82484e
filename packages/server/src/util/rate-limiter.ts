import type { Clock } from "@photon/core";

/** Counts what is tried within a minute, by whoever tries it. */
export class RateLimiter {
  static readonly #window = 60_000;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #mostTrying: number;
  readonly #counts = new Map<string, number>();
  #since: number;

  /** `mostTrying`: so many may try within a minute at all. That is what bounds the memory, and those who change their address. */
  constructor(clock: Clock, most: number, mostTrying = 1000) {
    this.#clock = clock;
    this.#most = most;
    this.#mostTrying = mostTrying;
    this.#since = clock.now();
  }

  /** Counts one more; whether that was not too many. */
  tryAcquire(who = ""): boolean {
    const now = this.#clock.now();
    if (now - this.#since >= RateLimiter.#window) {
      this.#counts.clear();
      this.#since = now;
    }
    const count = this.#counts.get(who) ?? 0;
    if (count >= this.#most || (count === 0 && this.#counts.size >= this.#mostTrying)) return false;
    this.#counts.set(who, count + 1);
    return true;
  }
}
