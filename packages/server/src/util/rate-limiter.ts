import type { Clock } from "@photon/core";

/** Counts attempts per key in windows of one minute. */
export class RateLimiter {
  static readonly #window = 60_000;
  readonly #clock: Clock;
  readonly #maxAttempts: number;
  readonly #maxKeys: number;
  readonly #counts = new Map<string, number>();
  #since: number;

  /** `maxKeys` bounds the memory, and callers that change their address. */
  constructor(clock: Clock, most: number, maxKeys = 1000) {
    this.#clock = clock;
    this.#maxAttempts = most;
    this.#maxKeys = maxKeys;
    this.#since = clock.now();
  }

  /** Counts an attempt; returns whether it is within the limit. */
  tryAcquire(key = ""): boolean {
    const now = this.#clock.now();
    if (now - this.#since >= RateLimiter.#window) {
      this.#counts.clear();
      this.#since = now;
    }
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#maxAttempts || (count === 0 && this.#counts.size >= this.#maxKeys)) return false;
    this.#counts.set(key, count + 1);
    return true;
  }
}
