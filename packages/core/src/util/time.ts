import { startTimer } from "./platform.ts";
import { InvalidDefinition } from "../errors.ts";
import { describeValue } from "./describe-value.ts";

/** Time, as the host gives it: the system's, or one that a test moves by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after so many delay; returns what stops it. */
  after(delay: number, callback: () => void): () => void;
}

/** The longest a platform timer waits; beyond it, it fires at once. */
const LONGEST = 2 ** 31 - 1;

/** The machine's own clock. Waits longer than a platform timer can are waited for in parts. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, callback) {
    if (delay === Number.POSITIVE_INFINITY) return () => {};
    if (delay <= LONGEST) return startTimer(delay, callback);
    let stop = startTimer(LONGEST, () => {
      stop = systemClock.after(delay - LONGEST, callback);
    });
    return () => stop();
  },
};

/** A length of time: `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`, or milliseconds. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** How long a question stays open; `"none"`: until it is answered. */
export type Timeout = Duration | "none";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; `what` names it in the error where it is none. */
export function milliseconds(duration: Duration, what = "A duration"): number {
  const problem = durationProblem(duration);
  if (problem !== undefined) throw new InvalidDefinition(`${what} ${problem}.`);
  return amountOf(duration);
}

/** What is wrong with a duration, if anything: 'is "soon"; write it like "30s"'. */
export function durationProblem(given: unknown): string | undefined {
  const amount = amountOf(given);
  if (Number.isFinite(amount) && amount > 0) return undefined;
  const shown =
    typeof given === "string"
      ? JSON.stringify(given)
      : typeof given === "number"
        ? given
        : describeValue(given);
  return `is ${shown}; write it like "500ms", "30s", "5m", "2h" or "7d"`;
}

/** A timeout in milliseconds; nothing where the question has no end. */
export function timeoutMilliseconds(timeout: Timeout, what = "A timeout"): number | undefined {
  return timeout === "none" ? undefined : milliseconds(timeout, what);
}

function amountOf(given: unknown): number {
  if (typeof given === "number") return given;
  const match = typeof given === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(given) : null;
  const unit = UNITS[match?.[2] ?? ""];
  return unit === undefined ? Number.NaN : Number(match?.[1]) * unit;
}

/** Whether there is such a day: not the 30th of February. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
