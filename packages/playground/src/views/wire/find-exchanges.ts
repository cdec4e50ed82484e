import type { Exchange } from "../../desk/exchange.ts";

export interface WireFilter {
  readonly text: string;
  /** Nothing: both ways. */
  readonly from: Exchange["from"] | "";
  /** Nothing: every run, and what belongs to none. */
  readonly runId: string;
}

export const EVERYTHING: WireFilter = { text: "", from: "", runId: "" };

export function findExchanges(
  exchanges: readonly Exchange[],
  { text, from, runId }: WireFilter,
): readonly Exchange[] {
  if (text === "" && from === "" && runId === "") return exchanges;
  const words = text.toLowerCase();
  return exchanges.filter(
    (exchange) =>
      (from === "" || exchange.from === from) &&
      (runId === "" || exchange.runId === runId) &&
      (words === "" || `${exchange.title} ${exchange.text}`.toLowerCase().includes(words)),
  );
}

export const filterKey = (filter: WireFilter): string => JSON.stringify(filter);
