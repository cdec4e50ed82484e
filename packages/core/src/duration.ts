import { InvalidDefinition } from "./errors.ts";
import { show } from "./show.ts";

/** A length of time: `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`, or milliseconds. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** How long a question stays open; `"none"`: until it is answered. */
export type Timeout = Duration | "none";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; `what` names it in the error where it is none. */
export function milliseconds(duration: Duration, what = "A duration"): number {
  const amount = typeof duration === "number" ? duration : parse(duration);
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidDefinition(
    `${what} is ${typeof duration === "string" ? JSON.stringify(duration) : show(duration).replace(/^the number /, "")}; write it like "500ms", "30s", "5m", "2h" or "7d".`,
  );
}

/** A timeout in milliseconds; nothing where the question has no end. */
export function timeoutMilliseconds(timeout: Timeout, what = "A timeout"): number | undefined {
  return timeout === "none" ? undefined : milliseconds(timeout, what);
}

function parse(text: unknown): number {
  if (typeof text !== "string") return Number.NaN;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  return unit === undefined ? Number.NaN : Number(match?.[1]) * unit;
}
