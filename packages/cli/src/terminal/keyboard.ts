/**
 * The keys of a terminal, for one prompt.
 *
 *   1. Input that arrived before the prompt is drawn is discarded: nobody typed it in answer to what is asked.
 *   2. A paste is one event, and never keys. The terminal marks it (bracketed paste); where it does not, a line end
 *      in the middle of what was read at once gives it away. Where a program must not answer, so does one at the end.
 *   3. Between prompts the terminal is in its usual mode, so that ctrl+c and ctrl+z work, and nothing is read from it.
 */
import type { Key } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import type { Input, Output } from "../world.ts";

const PASTE_BEGINS = "\u001B[200~";
const PASTE_ENDS = "\u001B[201~";
const MARK_PASTES = "\u001B[?2004h";
const MARK_NO_PASTES = "\u001B[?2004l";
const CTRL_C = "\u0003";
/** All but tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** Input that arrives at shorter intervals than this is one burst: a paste, not a person. In milliseconds. */
const QUIET_MS = 30;
/** A marked paste whose end has not arrived for so long has none. In milliseconds. */
const UNFINISHED_MS = 1000;

interface KeyboardOptions {
  readonly input: Input;
  readonly output: Output;
  /** Whether enter counts only by itself: a person presses it after the text is shown. */
  readonly isEnterAlone: boolean;
  /** Takes a paste. Its line ends are "\n", and it has no control characters but those and tabs. */
  readonly onPaste: (text: string) => void;
}

/** The sequence of a key of our own. By itself it does nothing: clack draws the prompt once more. */
export const REDRAW = "";

/** The keys as a prompt reads them, without the pastes. */
export class KeyStream extends PassThrough {
  /** Whether a key is taken, so that the prompt does not see it. */
  takesKey: (character: string | undefined, key: Key) => boolean = () => false;

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    // readline emits both with it.
    const [character, key] = args as [string | undefined, Key];
    return event === "keypress" && this.takesKey(character, key) ? true : super.emit(event, ...args);
  }
}

export class Keyboard {
  readonly keys: KeyStream = new KeyStream();
  readonly #options: KeyboardOptions;
  readonly #decoder = new StringDecoder("utf8");
  /** How many reads there were. */
  #reads = 0;
  #isDrawn = false;
  #isInterrupted = false;
  /** The beginning of a mark that was cut by the end of a read. */
  #cut = "";
  #paste: { text: string; readonly isMarked: boolean } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyboardOptions) {
    this.#options = options;
  }

  /** Takes the terminal, and discards what was typed so far. Settles when the prompt may be drawn. */
  async open(signal: AbortSignal): Promise<void> {
    const { input, output } = this.#options;
    input.setRawMode?.(true);
    output.write(MARK_PASTES);
    input.on("data", this.#onData);
    input.resume();
    let reads: number;
    do {
      reads = this.#reads;
      await delay(QUIET_MS);
      // A busy process comes here late, before it has read what has arrived since.
      await setImmediate();
    } while (reads !== this.#reads && !signal.aborted && !this.#isInterrupted);
    this.#isDrawn = true;
    if (this.#isInterrupted) this.keys.write(CTRL_C);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    const { input, output } = this.#options;
    clearTimeout(this.#timer);
    input.off("data", this.#onData);
    input.pause();
    output.write(MARK_NO_PASTES);
    input.setRawMode?.(false);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reads += 1;
    const text = this.#decoder.write(chunk);
    if (this.#isDrawn) this.#receive(text);
    else this.#isInterrupted ||= text.includes(CTRL_C);
  };

  #receive(text: string): void {
    if (this.#paste !== undefined) return this.#continuePaste(this.#paste.text + text);
    const all = this.#cut + text;
    const at = all.indexOf(PASTE_BEGINS);
    if (at >= 0) {
      this.#cut = "";
      this.#press(all.slice(0, at));
      this.#paste = { text: "", isMarked: true };
      return this.#continuePaste(all.slice(at + PASTE_BEGINS.length));
    }
    // A lone escape is the key, and what two of its characters begin is nearly always another key.
    this.#cut =
      [5, 4, 3].map((length) => PASTE_BEGINS.slice(0, length)).find((cut) => all.endsWith(cut)) ?? "";
    return this.#press(all.slice(0, all.length - this.#cut.length));
  }

  #press(text: string): void {
    if (text.includes(CTRL_C)) this.keys.write(CTRL_C);
    else if (/[\r\n][^\r\n]/.test(text) || (this.#options.isEnterAlone && /[^\r\n][\r\n]/.test(text))) {
      this.#paste = { text: "", isMarked: false };
      this.#continuePaste(text);
    } else if (text !== "") this.keys.write(text);
  }

  #continuePaste(text: string): void {
    const { isMarked } = this.#paste ?? { isMarked: false };
    this.#paste = { text, isMarked };
    clearTimeout(this.#timer);
    // The last: a text on a clipboard may contain the mark, followed by keys that the person never saw.
    const at = isMarked ? text.lastIndexOf(PASTE_ENDS) : -1;
    if (at >= 0) this.#endPaste(text.slice(0, at), text.slice(at + PASTE_ENDS.length));
    else this.#timer = setTimeout(() => this.#endPaste(text), isMarked ? UNFINISHED_MS : QUIET_MS);
  }

  #endPaste(text: string, keys = ""): void {
    this.#paste = undefined;
    this.#options.onPaste(
      text.replaceAll(/\r\n?/g, "\n").replaceAll(PASTE_ENDS, "").replaceAll(CONTROLS, ""),
    );
    this.#press(keys);
  }
}
