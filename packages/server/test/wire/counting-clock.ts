import { systemClock, type Clock } from "@photon/core";

/** The machine's clock, which knows how many timers of it are running. */
export interface CountingClock extends Clock {
  readonly running: number;
}

export function countingClock(): CountingClock {
  const running = new Set<object>();
  return {
    get running() {
      return running.size;
    },
    now: () => systemClock.now(),
    after(wait, callback) {
      const timer = {};
      running.add(timer);
      const stop = systemClock.after(wait, () => {
        running.delete(timer);
        callback();
      });
      return () => {
        running.delete(timer);
        stop();
      };
    },
  };
}
