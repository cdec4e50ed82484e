/** The two clocks of a host, moved by a test. */
export interface HostClocks {
  now(): number;
  monotonic(): number;
  /** Time passes: both clocks advance. */
  pass(milliseconds: number): void;
  /** The wall clock jumps, as when NTP corrects it. The monotonic clock does not. */
  moveWallClock(milliseconds: number): void;
  /** The host restarts: the monotonic clock begins near 0 again. */
  reboot(): void;
}

export function hostClocks(): HostClocks {
  let wall = Date.UTC(2026, 0, 1);
  let monotonic = 86_400_000;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    pass(milliseconds) {
      wall += milliseconds;
      monotonic += milliseconds;
    },
    moveWallClock(milliseconds) {
      wall += milliseconds;
    },
    reboot() {
      monotonic = 2000;
    },
  };
}
