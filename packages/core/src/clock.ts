import { startTimer } from "./platform.ts";

/** Time, as the host gives it: the system's, or one that a test moves by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after so many delay; returns what stops it. */
  after(delay: number, callback: () => void): () => void;
}

/** The longest a platform timer waits; beyond it, it fires at once. */
const LONGEST = 2 ** 31 - 1;

/** The machine's own clock. Waits longer than a platform timer can are waited for in parts. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, callback) {
    if (delay === Number.POSITIVE_INFINITY) return () => {};
    if (delay <= LONGEST) return startTimer(delay, callback);
    let stop = startTimer(LONGEST, () => {
      stop = systemClock.after(delay - LONGEST, callback);
    });
    return () => stop();
  },
};
