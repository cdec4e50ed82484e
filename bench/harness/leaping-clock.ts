/** The machine's clock, which goes eight days further when the process is told to leap: longer than anything waits. */
import { systemClock, type Clock } from "@photon/core";

const LEAP = 8 * 24 * 60 * 60_000;

export function leapingClock(): Clock {
  const timers = new Set<{ readonly at: number; readonly ring: () => void }>();
  let ahead = 0;
  const now = (): number => systemClock.now() + ahead;
  process.on("message", (message) => {
    if (message !== "leap") return;
    ahead += LEAP;
    const due = [...timers].filter(({ at }) => at <= now());
    for (const timer of due) if (timers.delete(timer)) timer.ring();
  });
  return {
    now,
    after(wait, ring) {
      const timer = { at: now() + wait, ring };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
}
