import type { Entry } from "../../desk/run.ts";

const ORDER = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export const LOG_LEVELS = [
  { level: "debug", words: "of every level" },
  { level: "info", words: "info and above" },
  { level: "notice", words: "notice and above" },
  { level: "warning", words: "warnings and above" },
  { level: "error", words: "errors and above" },
  { level: "none", words: "none" },
] as const;

export type LeastLevel = (typeof LOG_LEVELS)[number]["level"];

/** Whether an entry is shown. A level that nobody knows is shown rather than lost. */
export function isShown(entry: Entry, least: LeastLevel): boolean {
  if (entry.kind !== "log") return true;
  if (least === "none") return false;
  const rank = ORDER.indexOf(entry.level);
  return rank === -1 || rank >= ORDER.indexOf(least);
}
