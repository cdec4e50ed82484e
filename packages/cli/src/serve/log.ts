/**
 * What a server has to say, on stderr: a line for a person, or a line of JSON for a program.
 *
 * One entry is one line, whatever is in it: nobody can write an entry that another one made up.
 */
import { logLevels, type LogLevel } from "@photon/core";
import { escapeForLog } from "@photon/server";
import { paintIn, type Paint } from "../terminal/paint.ts";
import type { Output } from "../io.ts";

export interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  /** Whose it is: the name of a tool. */
  readonly tool?: string;
  /** What only programs, and who asked for it, want to know. */
  readonly stack?: string;
  /** The same told in several lines, for people. */
  readonly lines?: readonly string[];
  /** What only programs want to know. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "pretty" | "json";
  readonly color: boolean;
  readonly verbose: boolean;
  readonly now?: () => Date;
}

export type Log = (entry: Entry) => void;

export function openLog(
  output: Output,
  { level, format, color, verbose, now = () => new Date() }: LogOptions,
): Log {
  const least = logLevels.indexOf(level);
  const paint = paintIn(color);
  const lineOf = format === "json" ? jsonLine : prettyLine(paint, verbose);
  return (entry) => {
    if (logLevels.indexOf(entry.level) >= least) output.write(lineOf(entry, now()));
  };
}

function jsonLine({ level, message, tool, stack, data }: Entry, now: Date): string {
  const entry = {
    time: now.toISOString(),
    level,
    ...(tool === undefined ? {} : { tool }),
    message,
    ...data,
    stack,
  };
  // What JSON lets through unescaped is spelled out as JSON spells the rest.
  return `${escapeForLog(JSON.stringify(entry))}\n`;
}

const prettyLine =
  (paint: Paint, verbose: boolean) =>
  ({ level, message, tool, stack, lines }: Entry, now: Date): string => {
    if (lines !== undefined) return lines.map((line) => `${escapeForLog(line)}\n`).join("");
    const time = paint.dim(now.toTimeString().slice(0, 8));
    const whose = tool === undefined || tool === "" ? "" : `${paint.cyan(escapeForLog(tool))} `;
    const [, ...frames] = verbose ? (stack ?? "").split("\n") : [];
    // Further in than any entry begins.
    const below = frames.map((frame) => `    ${paint.dim(escapeForLog(frame.trim()))}\n`);
    return `${time} ${tone(level, paint)} ${whose}${escapeForLog(message)}\n${below.join("")}`;
  };

function tone(level: LogLevel, paint: Paint): string {
  if (level === "debug") return paint.dim(level);
  if (level === "info" || level === "notice") return paint.green(level);
  return level === "warning" ? paint.yellow(level) : paint.red(level);
}
