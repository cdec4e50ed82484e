/**
 * Types a choice in a clack list that only understands arrow keys: a word for yes or no, a digit for a rating.
 *
 *   1. Typing a word selects an option, and enter sends it. So the "es" of "yes" does not go to the next question.
 *   2. A word that is neither selects what was suggested, and enter does not send that.
 *   3. The arrow keys select as well, and clear the typed word.
 *   4. A digit selects an option and sends it.
 */
import type { Key } from "node:readline";
import { isReturn, REDRAW, redraw, type KeyStream } from "./keyboard.ts";
import type { PromptText } from "./run-prompt.ts";
import { cutTo, oneLine } from "./text.ts";

/** The words or digits of the options, in their order. An option may have none. */
export interface TypedOptions {
  readonly options: readonly string[];
  /** The index of the one that is selected first. */
  readonly suggested: number;
}

/** How far the arrow keys move clack's selection. */
const ARROW_STEPS: Readonly<Record<string, number>> = { up: -1, left: -1, down: 1, right: 1 };

export class TypedYesNo {
  readonly #typing: TypedOptions;
  readonly #keys: KeyStream;
  readonly #text: PromptText;
  #selected: number;
  #typed = "";

  constructor(typing: TypedOptions, keys: KeyStream, text: PromptText) {
    this.#typing = typing;
    this.#keys = keys;
    this.#text = text;
    this.#selected = typing.suggested;
  }

  /** Handles a key of the word. Returns false for keys that the prompt handles. */
  readonly handleKey = (character: string | undefined, key: Key): boolean => {
    const { name = "", ctrl = false, meta = false, sequence } = key;
    // Emitted by `#type` to move the selection.
    if (sequence === REDRAW) return false;
    const step = ARROW_STEPS[name];
    if (step !== undefined) {
      this.#typed = "";
      this.#selected += step;
      return false;
    }
    if (name === "return") return this.#refuse();
    // clack would change the selection on ctrl+j.
    if (name === "enter") return true;
    if (name === "backspace") return this.#type(this.#typed.slice(0, -1));
    if (ctrl && name === "u") return this.#type("");
    const isText = !ctrl && !meta && character !== undefined && /^\P{Cc}+$/u.test(character);
    return isText ? this.#type(this.#typed + character) : false;
  };

  #type(text: string): true {
    const { options, suggested } = this.#typing;
    const typed = text.trimStart();
    if (typed === this.#typed) return true;
    this.#typed = typed;
    const at = this.#find();
    const wanted = at === undefined || at < 0 ? suggested : at;
    for (; (wanted - this.#selected) % options.length !== 0; this.#selected += 1)
      this.#keys.emit("keypress", undefined, { name: "down", sequence: REDRAW } satisfies Key);
    const word = JSON.stringify(cutTo(40, oneLine(typed)));
    return this.#note(at === -1 ? `${word} is neither yes nor no.` : undefined);
  }

  #note(note: string | undefined): true {
    this.#text.note = note;
    redraw(this.#keys);
    return true;
  }

  /** Whether this enter is refused, because the word is neither yes nor no. Clears the word, so the next enter is sent. */
  #refuse(): boolean {
    if (this.#find() !== -1) return false;
    this.#typed = "";
    return this.#note("Nothing was sent: type yes or no.");
  }

  /** The index of the option that the word begins: -1 for none, undefined if no word was typed. */
  #find(): number | undefined {
    const word = this.#typed.trim().toLowerCase();
    return word === "" ? undefined : this.#typing.options.findIndex((option) => option.startsWith(word));
  }
}

export interface ListDigits extends TypedOptions {
  /** Whether enter sends the first selection. Otherwise a digit or an arrow must be pressed before it. */
  readonly isChosen: boolean;
}

/** Moves the selection to the option of a digit, and sends it. Other characters do nothing. */
export function chooseByDigit(
  { options, suggested, isChosen }: ListDigits,
  keys: KeyStream,
  text: PromptText,
): KeyStream["handleKey"] {
  let selected = suggested;
  let canSend = isChosen;
  return (character, key) => {
    if (key.sequence === REDRAW) return false;
    const step = ARROW_STEPS[key.name ?? ""] ?? 0;
    selected += step;
    canSend ||= step !== 0;
    if (!canSend && isReturn(key)) {
      text.note = "Choose a number of stars first";
      redraw(keys);
      return true;
    }
    const isText = key.ctrl !== true && character !== undefined && /^[!-~]$/.test(character);
    const wanted = isText ? options.indexOf(character) : -1;
    if (wanted < 0) return isText;
    canSend = true;
    for (; (wanted - selected) % options.length !== 0; selected += 1)
      keys.emit("keypress", undefined, { name: "down", sequence: REDRAW } satisfies Key);
    keys.emit("keypress", "\r", { name: "return", sequence: "\r" } satisfies Key);
    return true;
  };
}
