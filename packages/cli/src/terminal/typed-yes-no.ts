/**
 * Lets a person type yes or no in a clack prompt that only understands arrow keys.
 *
 *   1. Typing selects an option, and enter sends it. So the "es" of "yes" does not go to the next question.
 *   2. A word that is neither selects what was suggested, and enter does not send that.
 *   3. The arrow keys select as well, and clear the typed word.
 */
import type { Key } from "node:readline";
import { oneLine } from "./clean-text.ts";
import { cutTo } from "./fit-text.ts";
import { REDRAW, type KeyStream } from "./keyboard.ts";
import type { Words } from "./words.ts";

/** The options of the prompt, in their order: "yes", "no", and what no word stands for. */
export interface TypedOptions {
  readonly options: readonly string[];
  /** Which of them is suggested. */
  readonly suggested: number;
}

/** How far the arrow keys move clack's selection. */
export const ARROW_STEPS: Readonly<Record<string, number>> = { up: -1, left: -1, down: 1, right: 1 };

export class TypedYesNo {
  readonly #typing: TypedOptions;
  readonly #keys: KeyStream;
  readonly #words: Words;
  #selected: number;
  #typed = "";

  constructor(typing: TypedOptions, keys: KeyStream, words: Words) {
    this.#typing = typing;
    this.#keys = keys;
    this.#words = words;
    this.#selected = typing.suggested;
  }

  /** Handles a key of the word. Returns false for keys that the prompt handles. */
  readonly takesKey = (character: string | undefined, key: Key): boolean => {
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
    this.#words.note = note;
    this.#keys.emit("keypress", undefined, { sequence: REDRAW } satisfies Key);
    return true;
  }

  /** Whether this enter is refused, because the word is neither yes nor no. Clears the word, so the next enter is sent. */
  #refuse(): boolean {
    if (this.#find() !== -1) return false;
    this.#typed = "";
    return this.#note("Nothing was sent: type yes or no.");
  }

  /** The option that the word stands for: -1 for none, nothing where no word was typed. */
  #find(): number | undefined {
    const word = this.#typed.trim().toLowerCase();
    return word === "" ? undefined : this.#typing.options.findIndex((option) => option.startsWith(word));
  }
}
