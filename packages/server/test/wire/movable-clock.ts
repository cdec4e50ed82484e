import { systemClock, type Clock } from "@photon/core";

/** The real clock, which can be put forward. What it was told to do later it does when that is really later. */
export function movable(): Clock & { ahead: number } {
  return {
    ahead: 0,
    now() {
      return Date.now() + this.ahead;
    },
    after: (wait, callback) => systemClock.after(wait, callback),
  };
}
