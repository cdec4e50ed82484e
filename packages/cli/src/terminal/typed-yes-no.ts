/**
 * Yes or no as a word that is typed, in a prompt that knows only keys to move by.
 *
 *   1. What is typed selects an option, and enter sends it: a word of three letters leaves none to the next question.
 *   2. A word that is neither selects what was suggested, and enter does not send that.
 *   3. The arrows work as before. They begin a new word.
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

const STEPS: Readonly<Record<string, number>> = { up: -1, left: -1, down: 1, right: 1 };

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

  /** Whether a key is part of the word, and none of the prompt's. */
  readonly takesKey = (character: string | undefined, key: Key): boolean => {
    const { name = "", ctrl = false, meta = false, sequence } = key;
    // One of those that select.
    if (sequence === REDRAW) return false;
    const step = STEPS[name];
    if (step !== undefined) {
      this.#typed = "";
      this.#selected += step;
      return false;
    }
    if (name === "return") return this.#refuse();
    // Of ctrl+j clack makes another selection.
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

  /** Whether enter is not sent: what was typed is neither. The next one is. */
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
