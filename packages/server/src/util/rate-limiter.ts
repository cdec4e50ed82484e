import type { Clock } from "@photon/core";

const WINDOW_MS = 60_000;
/** The most keys of one window. Attempts with further keys are refused: this limits the memory, and callers that change their address. */
const MAX_KEYS = 1000;

/** Counts attempts per key in windows of one minute. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #maxAttempts: number;
  readonly #counts = new Map<string, number>();
  #windowStart: number;

  constructor(clock: Clock, maxAttempts: number) {
    this.#clock = clock;
    this.#maxAttempts = maxAttempts;
    this.#windowStart = clock.now();
  }

  /** Counts an attempt. Returns whether it is within the limit. */
  tryAcquire(key = ""): boolean {
    const now = this.#clock.now();
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#counts.clear();
      this.#windowStart = now;
    }
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#maxAttempts || (count === 0 && this.#counts.size >= MAX_KEYS)) return false;
    this.#counts.set(key, count + 1);
    return true;
  }
}
