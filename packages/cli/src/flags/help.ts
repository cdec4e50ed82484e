/** The text of `--help`, and the rows of flags that the documentation has too. */
import { commandLineFor, type ShellEnvironment } from "../shell-command.ts";
import type { Flag, FlagGroups, Flags, Row } from "./flags.ts";

export interface HelpText {
  /** `photon serve [paths…] [flags]`, one line for each way to write it. */
  readonly usage: readonly string[];
  readonly description: string;
  /** Rows that come before those of the flags. */
  readonly sections?: readonly (readonly [title: string, rows: readonly Row[]])[];
  readonly flags: FlagGroups;
  readonly examples?: readonly string[];
  readonly end?: string;
}

export function helpText(
  { usage, description, sections = [], flags, examples = [], end }: HelpText,
  shell: ShellEnvironment,
): string {
  return [
    ...usage.map((line, index) => `${index === 0 ? "Usage:" : "      "} ${commandLineFor(line, shell)}`),
    "",
    description,
    "",
    ...sections.flatMap(([title, rows]) => section(title, rows)),
    ...Object.entries(flags).flatMap(([group, table]) => section(group, rowsWithNames(table))),
    ...(examples.length === 0
      ? []
      : ["Examples:", ...examples.map((example) => `  ${commandLineFor(example, shell)}`)]),
    ...(end === undefined ? [] : [end]),
    "",
  ].join("\n");
}

export const flagRows = (flags: Flags): readonly Row[] =>
  Object.entries(flags).map(([name, flag]) => ({
    usage: usageOf(name, flag),
    summary: `${flag.summary}${choicesOf(flag)}${defaultOf(flag)}`,
  }));

const rowsWithNames = (flags: Flags): readonly Row[] =>
  flagRows(flags).flatMap((row, index) => [
    row,
    ...(Object.values(flags)[index]?.names ?? []).map(({ usage, summary }) => ({
      usage: `  ${usage}`,
      summary,
    })),
  ]);

/** A heading, and rows in two columns. */
function section(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return [
    `${title}:`,
    ...rows.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`.trimEnd()),
    "",
  ];
}

/** `-h, --help`, `--port <port>`. */
function usageOf(name: string, { short, value, type }: Flag): string {
  const placeholder = type === "boolean" ? "" : ` <${value ?? type}>`;
  return `${short === undefined ? "" : `-${short}, `}--${name}${placeholder}`;
}

/** ": stdio, http; several with commas, or repeated" */
function choicesOf({ choices, type, keepsCommas }: Flag): string {
  const several = keepsCommas === true ? "; repeatable" : "; repeatable, or several with commas";
  return `${choices === undefined ? "" : `: ${choices.join(", ")}`}${type === "list" ? several : ""}`;
}

/** " (default 3001, or PHOTON_PORT)" */
function defaultOf({ default: value, env }: Flag): string {
  const sources = [value === undefined ? "" : `default ${value}`, env ?? ""].filter(Boolean);
  return sources.length === 0 ? "" : ` (${sources.join(", or ")})`;
}
