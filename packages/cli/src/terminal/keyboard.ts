/**
 * The keys of a terminal, for one prompt.
 *
 *   1. Input that arrived before the prompt is drawn is discarded: it cannot be an answer to the question.
 *   2. A paste is one event, and never keys. The terminal marks it (bracketed paste); where it does not, a line end
 *      in the middle of what was read at once gives it away. With `isEnterAlone`, a line end after other text does so too.
 *   3. A marked paste ends at an end mark that nothing follows: a text on a clipboard may contain the mark as well.
 *   4. ctrl+c, esc and ctrl+d leave the prompt. If several are read together, ctrl+c wins over esc, and esc over ctrl+d.
 *      Other keys of the same read are dropped.
 *   5. With `isEnterAlone`, enter counts only in a read of its own, ENTER_PAUSE_MS after the last key, and if no key came
 *      within READING_MS of the question.
 *   6. Between prompts the terminal is in its usual mode, so that ctrl+c and ctrl+z work, and nothing is read from it.
 */
import type { Key } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as immediate, setTimeout as delay } from "node:timers/promises";
import type { Input, Output } from "../io.ts";

const PASTE_BEGINS = "\u001B[200~";
const PASTE_ENDS = "\u001B[201~";
const MARK_PASTES = "\u001B[?2004h";
const MARK_NO_PASTES = "\u001B[?2004l";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ESCAPE = "\u001B";
/** An escape that begins no sequence of a key: esc. With a letter or a return after it, a terminal may mean alt. */
const LONE_ESCAPE = new RegExp(String.raw`${ESCAPE}(?![[O])`);
/** A sequence whose end is in the next read, or esc. */
const UNFINISHED_KEY = new RegExp(String.raw`${ESCAPE}(?:[[O][\d;]{0,16})?$`);
/** All but tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** Input that arrives at shorter intervals than this is one burst: a paste, a sequence, not a person. In milliseconds. */
const QUIET_MS = 50;
/** A marked paste of which nothing has arrived for so long was interrupted. In milliseconds. */
const INTERRUPTED_PASTE_MS = 1000;
/** Minimum time between the last key and an enter that a person must press. */
const ENTER_PAUSE_MS = 100;
/** Keys that arrive sooner after the question, or a sentence about it, are of a person who has not read it. In milliseconds. */
const READING_MS = 300;

interface KeyboardOptions {
  readonly input: Input;
  readonly output: Output;
  /** Whether enter counts only by itself: a person presses it after the text is shown. */
  readonly isEnterAlone: boolean;
  /** Takes a paste. Its line ends are "\n", and it has no control characters but those and tabs. */
  readonly onPaste: (text: string) => void;
  /** Shows a sentence about what was pressed. */
  readonly onNote: (sentence: string) => void;
}

/** The sequence of keys that no person pressed. By itself, such a key only makes clack draw the prompt again. */
export const REDRAW = "";

export function redraw(keys: KeyStream): void {
  keys.emit("keypress", undefined, { sequence: REDRAW } satisfies Key);
}

export const isReturn = (key: Key): boolean => key.name === "return";

/** The keys as a prompt reads them, without the pastes. */
export class KeyStream extends PassThrough {
  /** Whether a key is taken, so that the prompt does not see it. */
  handleKey: (character: string | undefined, key: Key) => boolean = () => false;

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== "keypress") return super.emit(event, ...args);
    // readline emits both with it.
    const [character, key] = args as [string | undefined, Key];
    // alt+enter, or esc and enter that a program on the way has joined.
    if (key.name === "return" && key.meta === true) return true;
    return this.handleKey(character, key) ? true : super.emit(event, ...args);
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
  /** What was read and waits for what follows it: a paste, or a sequence that was cut by the end of a read. */
  #held = "";
  #lastRead = "";
  #lastReadAt = 0;
  /** How long nothing was read before the last read. */
  #pause = 0;
  /** When the question was drawn, or a sentence about an enter that did not count. */
  #shownAt = 0;
  /** Whether a key was pressed before what was shown could be read. */
  #isTooSoon = false;

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
      await immediate();
    } while (reads !== this.#reads && !signal.aborted && !this.#isInterrupted);
    this.#isDrawn = true;
    this.#shownAt = performance.now();
    if (this.#isInterrupted) this.keys.write(CTRL_C);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    const { input, output } = this.#options;
    // Nothing waits for quiet any more.
    this.#reads += 1;
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
    const now = performance.now();
    this.#pause = now - this.#lastReadAt;
    this.#lastReadAt = now;
    this.#lastRead = text;
    this.#isTooSoon ||= now - this.#shownAt < READING_MS;
    const isBurst = this.#held !== "" || this.#isPaste(text);
    this.#held += text;
    // By itself it is a key, also while a paste does not end.
    if (text === CTRL_C) this.#leave(CTRL_C);
    else if (isBurst || text.includes(PASTE_BEGINS) || UNFINISHED_KEY.test(text))
      this.#afterQuiet(QUIET_MS, this.#endBurst);
    else this.#press(text);
  }

  /** Calls `then` if nothing is read for `ms` milliseconds. */
  #afterQuiet(ms: number, then: () => void): void {
    const reads = this.#reads;
    // The timer of a busy process is late: what has arrived since is read before it counts.
    setTimeout(() => setImmediate(() => reads === this.#reads && then()), ms).unref();
  }

  readonly #endBurst = (): void => {
    const text = this.#held;
    const at = text.indexOf(PASTE_BEGINS);
    if (at < 0) this.#press(text);
    else if (text.endsWith(PASTE_ENDS)) this.#endMarkedPaste(at, text.length);
    else if (this.#lastRead === ESCAPE) this.#leave(ESCAPE);
    else this.#afterQuiet(INTERRUPTED_PASTE_MS, () => this.#endInterruptedPaste(at));
  };

  /** The keys after an end mark are dropped: they may be of the clipboard. */
  #endInterruptedPaste(begin: number): void {
    const end = this.#held.lastIndexOf(PASTE_ENDS);
    if (end > begin) this.#endMarkedPaste(begin, end);
    else this.#options.onNote("The rest of a paste has not arrived. Esc leaves the prompt.");
  }

  #endMarkedPaste(begin: number, end: number): void {
    const text = this.#held.slice(begin, end);
    this.#press(this.#held.slice(0, begin));
    this.#paste(text);
  }

  /** Handles everything that was read since the last key or paste. */
  #press(text: string): void {
    this.#held = "";
    if (text.includes(CTRL_C)) this.#leave(CTRL_C);
    else if (LONE_ESCAPE.test(text)) this.#leave(ESCAPE);
    else if (text.includes(CTRL_D)) this.#leave(CTRL_D);
    else if (this.#isPaste(text)) this.#paste(text);
    else if (this.#options.isEnterAlone && /[\r\n]/.test(text)) this.#enter(text);
    else if (text !== "") this.keys.write(text);
  }

  /** Whether a text without marks was pasted: no person types so much at once. */
  #isPaste(text: string): boolean {
    return /[\r\n][^\r\n]/.test(text) || (this.#options.isEnterAlone && /[^\r\n][\r\n]/.test(text));
  }

  #paste(text: string): void {
    const own = text.replaceAll(PASTE_BEGINS, "").replaceAll(PASTE_ENDS, "");
    this.#options.onPaste(own.replaceAll(/\r\n?/g, "\n").replaceAll(CONTROLS, ""));
  }

  #enter(text: string): void {
    if (text.length === 1 && !this.#isTooSoon && this.#pause >= ENTER_PAUSE_MS) {
      this.keys.write(text);
      return;
    }
    this.#isTooSoon = false;
    this.#shownAt = this.#lastReadAt;
    this.#options.onNote("Enter came too soon: read the question, then press enter again.");
  }

  #leave(key: string): void {
    this.#held = "";
    // readline would wait for what follows it.
    if (key === ESCAPE)
      this.keys.emit("keypress", undefined, { name: "escape", sequence: key } satisfies Key);
    else this.keys.write(key);
  }
}
