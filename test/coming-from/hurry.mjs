/** Preloaded, with `--import`: a minute takes 60 milliseconds, and what has waited for long writes down for how many seconds. */
import { appendFileSync } from "node:fs";

const wait = globalThis.setTimeout;
const LONG = 30_000;

/**
 * @param {(...given: unknown[]) => void} act
 * @param {number} [delay]
 * @param {unknown[]} given
 */
function hurry(act, delay = 0, ...given) {
  return wait(() => {
    // What is left until a deadline is a little less than what was given.
    if (delay >= LONG) appendFileSync("waited.txt", `${Math.round(delay / 10_000) * 10}\n`);
    act(...given);
  }, delay / 1000);
}

globalThis.setTimeout = Object.assign(hurry, wait);
