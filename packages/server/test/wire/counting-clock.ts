import { systemClock, type Clock } from "@photon/core";

/** The machine's clock, which knows how many timers of it are running, and can be put forward. */
export interface CountingClock extends Clock {
  readonly running: number;
  /** How many of them were set for so many milliseconds. */
  runningFor(wait: number): number;
  /** Puts the clock forward by so many milliseconds: what is due by then happens now, in its order. */
  leap(wait: number): void;
}

interface Timer {
  readonly at: number;
  readonly wait: number;
  readonly ring: () => void;
}

export function countingClock(): CountingClock {
  const running = new Set<Timer>();
  let ahead = 0;
  const now = (): number => systemClock.now() + ahead;
  return {
    get running() {
      return running.size;
    },
    runningFor: (wait) => [...running].filter((timer) => timer.wait === wait).length,
    now,
    after(wait, callback) {
      const stop = (): void => {
        running.delete(timer);
        stopWaiting();
      };
      const ring = (): void => {
        stop();
        callback();
      };
      const timer = { at: now() + wait, wait, ring };
      const stopWaiting = systemClock.after(wait, ring);
      running.add(timer);
      return stop;
    },
    leap(wait) {
      ahead += wait;
      const due = [...running].filter(({ at }) => at <= now()).toSorted((one, other) => one.at - other.at);
      // One that rings may stop another.
      for (const timer of due) if (running.has(timer)) timer.ring();
    },
  };
}
