/** The system clock. On the message "advance-clock" it is put forward by eight days, which is longer than any deadline. */
import { systemClock, type Clock } from "@photon/core";

const ADVANCE_MS = 8 * 24 * 60 * 60_000;

export function adjustableClock(): Clock {
  const timers = new Set<{ readonly at: number; readonly onTimeout: () => void }>();
  let ahead = 0;
  const now = (): number => systemClock.now() + ahead;
  process.on("message", (message) => {
    if (message !== "advance-clock") return;
    ahead += ADVANCE_MS;
    const due = [...timers].filter(({ at }) => at <= now());
    for (const timer of due) if (timers.delete(timer)) timer.onTimeout();
  });
  return {
    now,
    after(wait, onTimeout) {
      const timer = { at: now() + wait, onTimeout };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
}
