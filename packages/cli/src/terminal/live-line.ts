/**
 * The last line of the screen, while a tool works: what it does, or how far it is.
 *
 *   1. It is one row, whatever is told: cut to the width, and drawn over itself.
 *   2. Everything else is written above it.
 *   3. Before a prompt, and at the end, what it said last stays as an ordinary line.
 */
import type { Progress } from "@photon/core";
import { oneLine } from "./clean-text.ts";
import { cutTo, foldTo } from "./fit-text.ts";
import { percentOf, type Tone, type View } from "./view.ts";
import type { Terminal } from "./terminal.ts";

const MILLISECONDS_A_FRAME = 80;
const ERASE = "\r\u001B[2K";
/** Below this width a bar says less than its number. */
const LEAST_FOR_A_BAR = 50;
const BAR = 24;

export class LiveLine implements View {
  readonly #terminal: Terminal;
  /** What is told, drawn anew for every frame. */
  #told: ((columns: number) => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #isDrawn = false;
  #isMidLine = false;
  /** Whether a column was begun, which then has an end. */
  #isUsed = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  status(message: string): void {
    this.#tell((columns) => cutTo(columns, message));
  }

  progress({ value, message = "" }: Progress): void {
    const { paint, symbols } = this.#terminal;
    const words = oneLine(message);
    this.#tell((columns) => {
      const percent = percentOf(value).padStart(4);
      if (columns < LEAST_FOR_A_BAR) return cutTo(columns, `${percent} ${words}`);
      const done = Math.round(Math.min(Math.max(value, 0), 1) * BAR);
      const bar = `${paint.green(symbols.full.repeat(done))}${paint.dim(symbols.empty.repeat(BAR - done))}`;
      return `${bar} ${cutTo(columns - BAR - 1, `${percent} ${words}`.trimEnd())}`;
    });
  }

  line(text: string, tone: Tone): void {
    const { paint, output, symbols, columns } = this.#terminal;
    const painted = tone === "plain" ? (line: string): string => line : paint[tone];
    this.#isUsed = true;
    this.#clear();
    for (const line of foldTo(Math.max(columns - 4, 10), text))
      output.write(`${paint.gray(symbols.bar)}  ${painted(line)}\n`);
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
    const { output, paint, symbols } = this.#terminal;
    this.#keep();
    if (this.#isUsed) output.write(`${paint.gray(symbols.end)}\n`);
    this.#isUsed = false;
  }

  #tell(told: (columns: number) => string): void {
    this.#told = told;
    this.#isUsed = true;
    this.#endLine();
    this.#draw();
    // A tool that nothing can wake any more is not kept alive by being watched.
    this.#timer ??= setInterval(() => this.#draw(), MILLISECONDS_A_FRAME).unref();
  }

  #draw(): void {
    if (this.#told === undefined || this.#isMidLine) return;
    const { output, paint, columns, symbols } = this.#terminal;
    const frame = symbols.frames[this.#frame++ % symbols.frames.length] ?? "";
    output.write(`${ERASE}${paint.magenta(frame)}  ${this.#told(columns - 4)}`);
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

  /** Leaves what was said last above, and says nothing more. */
  #keep(): void {
    const { output, paint, columns, symbols } = this.#terminal;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
    if (this.#told !== undefined) output.write(`${paint.green(symbols.done)}  ${this.#told(columns - 4)}\n`);
    this.#told = undefined;
  }
}
