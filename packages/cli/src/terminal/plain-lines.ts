import type { Progress } from "@photon/core";
import { oneLine } from "./clean-text.ts";
import type { Terminal } from "./terminal.ts";
import { percentOf, type View } from "./view.ts";

/** Lines for a file, a pipe, another program. */
export class PlainLines implements View {
  readonly #terminal: Terminal;
  #told = "";
  #isMidLine = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  status(message: string): void {
    this.line(message);
  }

  /** A line for every tenth, not for every step: nobody watches this. */
  progress({ value, message }: Progress): void {
    const told = `${Math.floor(value * 10)} ${message ?? ""}`;
    if (told === this.#told) return;
    this.#told = told;
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

  /** Ends a line that was begun. */
  pause(): void {
    if (this.#isMidLine) this.#terminal.output.write("\n");
    this.#isMidLine = false;
  }

  stop(): void {
    this.pause();
  }
}
