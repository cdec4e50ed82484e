import type { Clock } from "@photon/core";

/** A clock that stands still, however slow the machine is, and can be put forward. */
export interface StillClock extends Clock {
  /** Puts the clock forward by so many milliseconds: what is due by then happens once, in its order. */
  leap(wait: number): void;
}

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

export function stillClock(): StillClock {
  const timers = new Set<Timer>();
  let now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    after(wait, ring) {
      const timer = { at: now + wait, ring };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    leap(wait) {
      now += wait;
      const due = [...timers].filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at);
      // One that rings may stop another.
      for (const timer of due) if (timers.delete(timer)) timer.ring();
    },
  };
}
