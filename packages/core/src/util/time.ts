/** Clocks, durations and timeouts. */
import { startTimer } from "./platform.ts";
import { InvalidDefinition } from "../errors.ts";
import { describeValue } from "./describe-value.ts";

/** A source of time, and timers that follow it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after `delay` milliseconds; returns a function that stops it. */
  after(delay: number, callback: () => void): () => void;
}

/** A platform timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Splits delays that are too long for a platform timer. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, callback) {
    if (delay === Number.POSITIVE_INFINITY) return () => {};
    if (delay <= MAX_TIMER_MS) return startTimer(delay, callback);
    let stop = startTimer(MAX_TIMER_MS, () => {
      stop = systemClock.after(delay - MAX_TIMER_MS, callback);
    });
    return () => stop();
  },
};

/** `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`, or milliseconds. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** How long a question stays open; `"none"`: until it is answered. */
export type Timeout = Duration | "none";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration; `what` names it in the error. */
export function milliseconds(duration: Duration, what = "A duration"): number {
  const amount = parseDuration(duration);
  if (amount === undefined) throw new InvalidDefinition(`${what} ${durationProblem(duration)}.`);
  return amount;
}

/** A predicate: 'is "soon"; write it like "30s"'. */
export function durationProblem(given: unknown): string | undefined {
  if (parseDuration(given) !== undefined) return undefined;
  const shown =
    typeof given === "string"
      ? JSON.stringify(given)
      : typeof given === "number"
        ? given
        : describeValue(given);
  return `is ${shown}; write it like "500ms", "30s", "5m", "2h" or "7d"`;
}

/** Parses a timeout; undefined for "none". */
export function timeoutMilliseconds(timeout: Timeout, what = "A timeout"): number | undefined {
  return timeout === "none" ? undefined : milliseconds(timeout, what);
}

/** In milliseconds; undefined if it is not a duration. */
function parseDuration(given: unknown): number | undefined {
  let parsed = given;
  if (typeof given === "string") {
    const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(given) ?? [];
    parsed = Number(amount) * (UNITS[unit] ?? Number.NaN);
  }
  return typeof parsed === "number" && Number.isFinite(parsed) && parsed > 0 ? parsed : undefined;
}

/** Whether a text is a date that exists: not the 30th of February. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
