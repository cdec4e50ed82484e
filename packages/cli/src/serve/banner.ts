/** What is served where, told when it starts. Pure. */
import type { Loaded } from "../load/load.ts";
import type { Entry } from "./log.ts";

export interface Serving {
  readonly version: string;
  readonly loaded: Loaded;
  /** Where: `["http", "http://127.0.0.1:3001/mcp"]`. */
  readonly places: readonly (readonly [transport: string, address: string])[];
  /** What to paste into a client, and what else there is to say. */
  readonly hints: readonly string[];
}

export function bannerOf({ version, loaded, places, hints }: Serving): Entry {
  const width = Math.max(...places.map(([transport]) => transport.length));
  return {
    level: "info",
    message: `serving ${summaryOf(loaded)}`,
    lines: [
      `photon ${version} serves ${summaryOf(loaded)}`,
      ...places.map(([transport, address]) => `  ${transport.padEnd(width)}  ${address}`),
      ...hints,
    ],
    data: { version, places: Object.fromEntries(places) },
  };
}

/** "2 tools (book, greet), 1 prompt (letter)". */
export function summaryOf({ tools, prompts, resources }: Loaded): string {
  const summary = [
    counted(
      "tool",
      tools.map(({ name }) => name ?? ""),
    ),
    counted(
      "prompt",
      prompts.map(({ name }) => name ?? ""),
    ),
    counted(
      "resource",
      resources.map(({ uri }) => uri),
    ),
  ]
    .filter(Boolean)
    .join(", ");
  return summary || "nothing yet";
}

const MOST = 8;

function counted(noun: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.length > MOST ? [...names.slice(0, MOST), "…"] : names;
  return `${names.length} ${noun}${names.length === 1 ? "" : "s"} (${shown.join(", ")})`;
}
