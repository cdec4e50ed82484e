/**
 * The log of a server, on stderr: lines for people, or lines of JSON for programs.
 *
 *   1. One entry is one line, whatever it contains: a tool or a client cannot forge an entry.
 *   2. A rejected promise that nothing awaits is logged, and the server continues. After an exception that nothing
 *      catches, the state of the process is unknown: the server closes with exit code 1.
 *   3. Once a tool was given a secret, an error that belongs to no run is logged without its message.
 */
import { hasGivenSecrets, logLevels, PhotonError, type LogLevel } from "@photon/core";
import { escapeForLog } from "@photon/server";
import type { Output } from "../io.ts";
import type { ShutdownSignals } from "../signals.ts";
import { createColors, type Colors } from "../terminal/colors.ts";

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** The name of the tool that logged it. */
  readonly tool?: string;
  /** Shown with `--verbose`, and in JSON. */
  readonly stack?: string;
  /** The entry in several lines, for people. */
  readonly lines?: readonly string[];
  /** Further fields of the JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "pretty" | "json";
  readonly color: boolean;
  readonly verbose: boolean;
  readonly now?: () => Date;
}

export type Log = (entry: LogEntry) => void;

export function openLog(
  output: Output,
  { level, format, color, verbose, now = () => new Date() }: LogOptions,
): Log {
  const minLevel = logLevels.indexOf(level);
  const colors = createColors(color);
  const lineOf = format === "json" ? jsonLine : prettyLine(colors, verbose);
  return (entry) => {
    if (logLevels.indexOf(entry.level) >= minLevel) output.write(lineOf(entry, now()));
  };
}

function jsonLine({ level, message, tool, stack, data }: LogEntry, now: Date): string {
  const entry = {
    time: now.toISOString(),
    level,
    ...(tool === undefined ? {} : { tool }),
    message,
    ...data,
    stack,
  };
  // JSON leaves some line separators and control characters unescaped.
  return `${escapeForLog(JSON.stringify(entry))}\n`;
}

const prettyLine =
  (colors: Colors, verbose: boolean) =>
  ({ level, message, tool, stack, lines }: LogEntry, now: Date): string => {
    if (lines !== undefined) return lines.map((line) => `${escapeForLog(line)}\n`).join("");
    const time = colors.dim(now.toTimeString().slice(0, 8));
    const source = tool === undefined || tool === "" ? "" : `${colors.cyan(escapeForLog(tool))} `;
    const [, ...frames] = verbose ? (stack ?? "").split("\n") : [];
    // Indented, unlike the beginning of an entry.
    const below = frames.map((frame) => `    ${colors.dim(escapeForLog(frame.trim()))}\n`);
    return `${time} ${coloredLevel(level, colors)} ${source}${escapeForLog(message)}\n${below.join("")}`;
  };

function coloredLevel(level: LogLevel, colors: Colors): string {
  if (level === "debug") return colors.dim(level);
  if (level === "info" || level === "notice") return colors.green(level);
  return level === "warning" ? colors.yellow(level) : colors.red(level);
}

/** An error as an entry, with the location in the tools' files where it was thrown. */
export function errorEntry(error: unknown, files: readonly string[]): LogEntry {
  if (!(error instanceof Error)) return { level: "error", message: String(error) };
  const { message, name } = error;
  // Photon's messages are sentences; the others are logged with the name of their class.
  const isSentence = error instanceof PhotonError || name === "Error";
  const text = isSentence ? message || name : `${name}: ${message}`;
  const stack = error.stack ?? "";
  const location = locationIn(stack, files);
  const isWarning = error instanceof PhotonError && error.code === "MANY_ROUNDS";
  return {
    level: isWarning ? "warning" : "error",
    message: location === undefined || text.includes(location) ? text : `${text} (${location})`,
    stack,
    ...(error instanceof PhotonError ? { data: { code: error.code } } : {}),
  };
}

/** The innermost location in a file of the tools. */
function locationIn(stack: string, files: readonly string[]): string | undefined {
  const locations = [...stack.matchAll(/(?:\(|at )(?:file:\/\/)?(\/[^()]*?):(\d+):(\d+)\)?$/gm)];
  const found = locations.find(([, file = ""]) => files.includes(file));
  return found === undefined ? undefined : found.slice(1).join(":");
}

/** Reports errors of tools that nothing awaits or catches. Call the result to stop. */
export function handleUncaughtErrors(
  report: (error: unknown) => void,
  shutdown: ShutdownSignals,
): () => void {
  const withoutSecrets = (problem: string, error: unknown): unknown =>
    hasGivenSecrets() ? new HiddenError(problem, error) : error;
  const onRejection = (reason: unknown): void =>
    report(withoutSecrets("A promise that nothing awaits was rejected", reason));
  const onException = (error: unknown): void => {
    report(withoutSecrets("An error was thrown where nothing catches it", error));
    shutdown.request(1);
  };
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  return () => {
    process.off("unhandledRejection", onRejection);
    process.off("uncaughtException", onException);
  };
}

/**
 * Replaces an error that may contain a secret. The error belongs to no run, so the secrets to look for are not known:
 * only its stack is kept.
 */
class HiddenError extends Error {
  constructor(problem: string, error: unknown) {
    super(`${problem}. Its message is not shown, because tools of this server were given secrets.`);
    this.name = "Error";
    this.stack = `Error: ${this.message}${framesOf(error)}`;
  }
}

/** The lines of a stack below the message. */
function framesOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return "";
    const { message, stack = "" } = error;
    const below = stack.slice(stack.indexOf(message) + message.length);
    return stack.includes(message) && below.startsWith("\n    at ") ? below : "";
  } catch {
    return "";
  }
}
