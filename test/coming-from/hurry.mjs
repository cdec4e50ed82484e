/** Preloaded, with `--import`: a minute takes 60 milliseconds, and what has waited for long writes down for how many seconds. */
import { appendFileSync } from "node:fs";

const wait = globalThis.setTimeout;
const clock = Date.now.bind(Date);
const LONG = 30_000;

/** By how much what the time is said to be is ahead of the clock. */
let ahead = 0;

/**
 * @param {(...given: unknown[]) => void} act
 * @param {number} [delay]
 * @param {unknown[]} given
 */
function hurry(act, delay = 0, ...given) {
  const due = Date.now() + delay;
  return wait(() => {
    // Whoever is woken finds that it is as late as it ought to be.
    ahead = Math.max(ahead, due - clock());
    // What is left until a deadline is a little less than what was given.
    if (delay >= LONG) appendFileSync("waited.txt", `${Math.round(delay / 10_000) * 10}\n`);
    act(...given);
  }, delay / 1000);
}

globalThis.setTimeout = Object.assign(hurry, wait);
Date.now = () => clock() + ahead;
