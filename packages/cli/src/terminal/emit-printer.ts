/**
 * Prints what a tool emits: status and progress on a live line of a screen, or as plain lines elsewhere.
 *
 * clack's spinner is not used: it ends the process at ctrl+c, before the `finally` blocks of the tool.
 */
import { logLevels, type Artifact, type Emit, type Log, type LogLevel } from "@photon/core";
import { PlainProgress, TtyProgress, type LineStyle, type ProgressView } from "./progress-view.ts";
import type { Terminal } from "./terminal.ts";
import { cleanText, oneLine } from "./text.ts";

interface PrinterOptions {
  /** The lowest level of logs that are printed. */
  readonly logLevel: LogLevel;
  /** Saves or describes an artifact; returns the lines to print. */
  readonly artifact: (effect: Artifact) => Promise<readonly string[]>;
}

export class EmitPrinter {
  readonly #view: ProgressView;
  readonly #options: PrinterOptions;

  constructor(terminal: Terminal, options: PrinterOptions) {
    this.#view = terminal.isScreen ? new TtyProgress(terminal) : new PlainProgress(terminal);
    this.#options = options;
  }

  emit(effect: Emit): void | Promise<void> {
    const { logLevel, artifact } = this.#options;
    switch (effect.emit) {
      case "status":
        return this.#view.status(oneLine(effect.message));
      case "progress":
        return this.#view.progress(effect);
      case "log":
        if (logLevels.indexOf(effect.level) >= logLevels.indexOf(logLevel))
          this.#view.line(logText(effect), styleOf(effect.level));
        return undefined;
      case "stream":
        return this.#view.stream(cleanText(effect.text));
      case "artifact":
        return artifact(effect).then((lines) => lines.forEach((line) => this.#view.line(line, "plain")));
      default:
        return effect satisfies never;
    }
  }

  /** Prints a message of the command itself. */
  print(text: string, style: LineStyle): void {
    this.#view.line(cleanText(text), style);
  }

  /** Leaves the screen to a prompt. */
  pause(): void {
    this.#view.pause();
  }

  stop(): void {
    this.#view.stop();
  }
}

function logText({ level, data }: Log): string {
  return `[${level}] ${cleanText(typeof data === "string" ? data : JSON.stringify(data))}`;
}

function styleOf(level: LogLevel): LineStyle {
  const index = logLevels.indexOf(level);
  if (index >= logLevels.indexOf("error")) return "red";
  return index >= logLevels.indexOf("warning") ? "yellow" : "dim";
}
