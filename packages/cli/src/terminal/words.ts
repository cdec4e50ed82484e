/**
 * What stands above a prompt: the question, what is known of it, and the keys.
 *
 * While the prompt is open all of it is shown; once it is settled, the question alone.
 */
import { cleanText, oneLine } from "./clean-text.ts";
import { foldTo } from "./fit-text.ts";
import type { Scene } from "./scene.ts";

export interface Wording {
  readonly message: string;
  readonly description?: string;
  /** What kind of answer is wanted: "a whole number from 1 to 30". */
  readonly wanted?: string;
  /** What stands before the message, as it is: a warning. */
  readonly warning?: string;
  /** What the keys are, where they are others. */
  readonly keys?: string;
}

export class Words {
  readonly #full: string;
  readonly #brief: string;
  isSettled = false;
  readonly #noted: (note: string) => string;
  /** What is to be said of the last thing that was done, until the next key. */
  note: string | undefined;

  /** `guided`: the prompt draws its line beside one row only, so the other rows bring it with them. */
  constructor(
    { message, description, wanted, warning, keys }: Wording,
    { terminal }: Scene,
    { guided }: { readonly guided: boolean },
  ) {
    const { paint, columns, symbols, leaving } = terminal;
    // How to say no, and how to leave: the same at every prompt.
    const usual = `ctrl+d declines, esc ${leaving.key}`;
    const fold = (text: string): readonly string[] =>
      guided ? foldTo(Math.max(columns - 4, 10), text) : [text];
    const join = (lines: readonly string[]): string =>
      lines.join(guided ? `\n${paint.gray(symbols.bar)}  ` : "\n");
    const question = [
      ...(warning === undefined ? [] : fold(warning).map((line) => paint.bold(paint.red(line)))),
      ...fold(cleanText(message)),
    ];
    const about = [
      ...(description === undefined ? [] : fold(cleanText(description))),
      ...fold([oneLine(wanted ?? ""), keys ?? usual].filter((part) => part !== "").join(" · ")),
    ];
    this.#brief = join(question);
    this.#full = join([...question, ...about.map((line) => paint.dim(line))]);
    this.#noted = (note) => join([this.#full, ...fold(note).map((line) => paint.yellow(line))]);
  }

  get now(): string {
    if (this.isSettled) return this.#brief;
    return this.note === undefined ? this.#full : this.#noted(this.note);
  }

  /** For a prompt that copies its message, and so would read a getter once. */
  toString(): string {
    return this.now;
  }
}
