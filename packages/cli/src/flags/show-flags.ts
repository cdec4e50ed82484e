/** The flags of a command, as its help shows them. Pure. */
import type { Flag, Flags } from "./flag.ts";

export interface Row {
  readonly usage: string;
  readonly summary: string;
}

/** `-h, --help`, `--port <port>`. */
function usageOf(name: string, { short, value, type }: Flag): string {
  const placeholder = type === "boolean" ? "" : ` <${value ?? type}>`;
  return `${short === undefined ? "" : `-${short}, `}--${name}${placeholder}`;
}

/** Where a value comes from that is not given: "(default 3001, or PHOTON_PORT)". */
function defaultOf({ default: value, env }: Flag): string {
  const sources = [value === undefined ? "" : `default ${value}`, env ?? ""].filter(Boolean);
  return sources.length === 0 ? "" : ` (${sources.join(", or ")})`;
}

/** ": stdio, http; several with commas, or given again". */
function choicesOf({ choices, type, isWhole }: Flag): string {
  const several =
    type !== "list" ? "" : isWhole === true ? "given again for more" : "several with commas, or given again";
  if (choices === undefined) return several === "" ? "" : `; ${several}`;
  return `: ${choices.join(", ")}${several === "" ? "" : `; ${several}`}`;
}

export const flagRows = (flags: Flags): readonly Row[] =>
  Object.entries(flags).map(([name, flag]) => ({
    usage: usageOf(name, flag),
    summary: `${flag.summary}${choicesOf(flag)}${defaultOf(flag)}`,
  }));

/** A part of a help: a title, and rows in two columns. */
export function section(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return [
    `${title}:`,
    ...rows.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`.trimEnd()),
    "",
  ];
}
