import type { OpenRound } from "./records.ts";

/** What stays open of a round, once one of its questions was answered; nothing, where that was the last. */
export function openAfter(open: OpenRound, answered: string): OpenRound | null {
  const left = Object.entries(open.round).filter(([key]) => key !== answered);
  return left.length === 0 ? null : { ...open, round: Object.fromEntries(left), length: open.length + 1 };
}
