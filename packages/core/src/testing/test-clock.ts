/** A clock that a test moves by hand. */
import { type Clock, type Duration, milliseconds } from "../util/time.ts";
import { nextMacrotask } from "../util/platform.ts";

export interface TestClock extends Clock {
  /** Moves the time, and calls back the timers that are due, in order. */
  advance(duration: Duration): Promise<void>;
}

interface Waiting {
  readonly at: number;
  readonly callback: () => void;
}

/** Starts at 2026-01-01, unless given another time. */
export function testClock(start: number = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  const waiting = new Set<Waiting>();
  const dueBy = (end: number): Waiting | undefined =>
    [...waiting].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    after(wait, callback) {
      const one = { at: now + wait, callback };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    async advance(duration) {
      const end = now + milliseconds(duration);
      await nextMacrotask();
      for (let due = dueBy(end); due !== undefined; due = dueBy(end)) {
        waiting.delete(due);
        now = due.at;
        due.callback();
        await nextMacrotask();
      }
      now = end;
    },
  };
}
