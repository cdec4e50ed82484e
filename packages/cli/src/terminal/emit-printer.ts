/**
 * Prints what a tool emits: status and progress on a live line of a screen, or as plain lines elsewhere.
 *
 * clack's spinner is not used: it ends the process at ctrl+c, before the `finally` blocks of the tool.
 */
import { logLevels, type Artifact, type Emit, type Log, type LogLevel, type Progress } from "@photon/core";
import { ERASE_LINE } from "../io.ts";
import type { Terminal } from "./terminal.ts";
import { cleanText, oneLine, cutTo, foldTo } from "./text.ts";

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

type LineStyle = "plain" | "dim" | "yellow" | "red";

interface ProgressView {
  status(message: string): void;
  progress(progress: Progress): void;
  line(text: string, style: LineStyle): void;
  stream(text: string): void;
  pause(): void;
  stop(): void;
}

const percentOf = (value: number): string => `${Math.round(value * 100)}%`;

const FRAME_MS = 80;
/** In fewer columns, only the percentage is shown. */
const MIN_COLUMNS_FOR_BAR = 50;
const BAR_COLUMNS = 24;

/**
 * Draws on the last line of a screen.
 *
 *   1. It is one row: cut to the width, and drawn over itself.
 *   2. Everything else is written above it.
 *   3. Before a prompt, and at the end, the last status stays as an ordinary line.
 */
class TtyProgress implements ProgressView {
  readonly #terminal: Terminal;
  /** Draws the status or the progress. */
  #render: ((columns: number) => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #isDrawn = false;
  #isMidLine = false;
  /** Whether the bar at the left was begun, and must be ended. */
  #isUsed = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  status(message: string): void {
    this.#show((columns) => cutTo(columns, message));
  }

  progress({ value, message = "" }: Progress): void {
    const { colors, symbols } = this.#terminal;
    const text = oneLine(message);
    this.#show((columns) => {
      const percent = percentOf(value).padStart(4);
      if (columns < MIN_COLUMNS_FOR_BAR) return cutTo(columns, `${percent} ${text}`);
      const done = Math.round(Math.min(Math.max(value, 0), 1) * BAR_COLUMNS);
      const bar = `${colors.green(symbols.full.repeat(done))}${colors.dim(symbols.empty.repeat(BAR_COLUMNS - done))}`;
      return `${bar} ${cutTo(columns - BAR_COLUMNS - 1, `${percent} ${text}`.trimEnd())}`;
    });
  }

  line(text: string, style: LineStyle): void {
    const { colors, output, symbols, columns } = this.#terminal;
    const styled = style === "plain" ? (line: string): string => line : colors[style];
    this.#isUsed = true;
    this.#clear();
    for (const line of foldTo(Math.max(columns - 4, 10), text))
      output.write(`${colors.gray(symbols.bar)}  ${styled(line)}\n`);
    this.#draw();
  }

  stream(text: string): void {
    if (text === "") return;
    if (!this.#isMidLine) this.#keep();
    this.#terminal.output.write(text);
    this.#isMidLine = !text.endsWith("\n");
  }

  pause(): void {
    this.#isUsed = true;
    this.#keep();
  }

  stop(): void {
    const { output, colors, symbols } = this.#terminal;
    this.#keep();
    if (this.#isUsed) output.write(`${colors.gray(symbols.end)}\n`);
    this.#isUsed = false;
  }

  #show(render: (columns: number) => string): void {
    this.#render = render;
    this.#isUsed = true;
    this.#endLine();
    this.#draw();
    // The timer must not keep a process alive whose tool waits for nothing.
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  #draw(): void {
    if (this.#render === undefined || this.#isMidLine) return;
    const { output, colors, columns, symbols } = this.#terminal;
    const frame = symbols.frames[this.#frame++ % symbols.frames.length] ?? "";
    output.write(`${ERASE_LINE}${colors.magenta(frame)}  ${this.#render(columns - 4)}`);
    this.#isDrawn = true;
  }

  #clear(): void {
    if (this.#isDrawn) this.#terminal.output.write(ERASE_LINE);
    this.#isDrawn = false;
    this.#endLine();
  }

  #endLine(): void {
    if (this.#isMidLine) this.#terminal.output.write("\n");
    this.#isMidLine = false;
  }

  /** Turns the live line into an ordinary line. */
  #keep(): void {
    const { output, colors, columns, symbols } = this.#terminal;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
    if (this.#render !== undefined)
      output.write(`${colors.green(symbols.done)}  ${this.#render(columns - 4)}\n`);
    this.#render = undefined;
  }
}

/** Lines for a file, a pipe, or another program. */
class PlainProgress implements ProgressView {
  readonly #terminal: Terminal;
  #last = "";
  #isMidLine = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  status(message: string): void {
    this.line(message);
  }

  /** One line per ten percent, not per step. */
  progress({ value, message }: Progress): void {
    const line = `${Math.floor(value * 10)} ${message ?? ""}`;
    if (line === this.#last) return;
    this.#last = line;
    this.line(`${percentOf(value)} ${oneLine(message ?? "")}`.trim());
  }

  line(text: string): void {
    this.pause();
    this.#terminal.output.write(`${text}\n`);
  }

  stream(text: string): void {
    this.#terminal.output.write(text);
    if (text !== "") this.#isMidLine = !text.endsWith("\n");
  }

  /** Ends an incomplete line. */
  pause(): void {
    if (this.#isMidLine) this.#terminal.output.write("\n");
    this.#isMidLine = false;
  }

  stop(): void {
    this.pause();
  }
}
