/**
 * Shows what a tool does while it works.
 *
 * `TtyProgress` draws on the last line of a screen:
 *   1. It is one row: cut to the width, and drawn over itself.
 *   2. Everything else is written above it.
 *   3. Before a prompt, and at the end, the last status stays as an ordinary line.
 */
import type { Progress } from "@photon/core";
import type { Terminal } from "./terminal.ts";
import { cutTo, foldTo, oneLine } from "./text.ts";

export type LineStyle = "plain" | "dim" | "yellow" | "red";

export interface ProgressView {
  status(message: string): void;
  progress(progress: Progress): void;
  line(text: string, style: LineStyle): void;
  stream(text: string): void;
  pause(): void;
  stop(): void;
}

const percentOf = (value: number): string => `${Math.round(value * 100)}%`;

const FRAME_MS = 80;
const ERASE = "\r\u001B[2K";
/** In fewer columns, only the percentage is shown. */
const MIN_COLUMNS_FOR_BAR = 50;
const BAR_COLUMNS = 24;

export class TtyProgress implements ProgressView {
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
    output.write(`${ERASE}${colors.magenta(frame)}  ${this.#render(columns - 4)}`);
    this.#isDrawn = true;
  }

  #clear(): void {
    if (this.#isDrawn) this.#terminal.output.write(ERASE);
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
export class PlainProgress implements ProgressView {
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
