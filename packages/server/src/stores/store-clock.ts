/**
 * The clocks of a store.
 *
 * Deadlines, such as the expiry of a run, are times of the wall clock. Leases and messages last for a duration, so they are measured
 * with a monotonic clock: NTP or an administrator may set the wall clock at any time, and that must neither end the lease of a live
 * process nor extend the lease of a dead one.
 */
export interface StoreClock {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since a fixed moment, such as the start of the host. Never set. Without it `now` is used, as for a test clock. */
  monotonic?(): number;
}

export const hostClock: StoreClock = {
  now: () => Date.now(),
  // Unlike `performance.now()`, which counts from the start of the process, this is one clock for all processes of the host.
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
};

export function monotonicTime(clock: StoreClock): number {
  return clock.monotonic?.() ?? clock.now();
}
