/**
 * One prompt, and what its keys mean.
 *
 *   1. ctrl+d declines. esc and ctrl+c cancel; of ctrl+c the terminal is told as well.
 *   2. A prompt that is closed in any other way was cancelled: its signal, the end of the input.
 *   3. A prompt that came back without an answer says so.
 *   4. A paste never answers by itself. The prompt takes it as one value, or says that it took nothing of it.
 */
import type { Key } from "node:readline";
import type { PassThrough } from "node:stream";
import type { Reply } from "@photon/core";
import { Keyboard, REDRAW, type KeyStream } from "./keyboard.ts";
import type { Scene } from "./scene.ts";
import { ARROW_STEPS, TypedYesNo, type TypedOptions } from "./typed-yes-no.ts";
import type { Words } from "./words.ts";

/** What every prompt of clack's is given. */
interface Streams {
  readonly input: PassThrough;
  readonly output: Scene["terminal"]["output"];
  readonly signal: AbortSignal;
}

/** What clack leaves a prompt at, and does nothing else: at esc, a confirm also turns its answer round. */
const LEAVE = "\u0003";

/** What is typed at a prompt. */
interface Typing {
  /**
   * What it takes of a paste: nothing, where single keys answer it, or a word that a person types; one line; several
   * lines, each line end of which it shows as `LINE_END`; or the text as it is, where it is a box of several lines.
   */
  readonly takes: "keys" | "word" | "line" | "lines" | "box";
  /** Which keys end it for certain. Where what was typed is checked first, none does. */
  readonly settles?: (key: Key) => boolean;
  /** The options of a yes or no, which is typed. */
  readonly yesNo?: TypedOptions;
  /** The options of a list, each with the digit that chooses and sends it. */
  readonly digits?: ListDigits;
}

interface ListDigits extends TypedOptions {
  /** Whether enter sends the first selection. Otherwise it sends nothing before a digit or an arrow was pressed. */
  readonly isChosen: boolean;
}

/** What a line end is shown as in a prompt of one line. No keyboard has it, and a paste that has it is refused. */
export const LINE_END = "↵";

/** Shows a prompt and gives back what was answered, as it was answered. */
export async function hear<Answer>(
  scene: Scene,
  words: Words,
  { takes, settles = () => false, yesNo, digits }: Typing,
  prompt: (streams: Streams) => Promise<Answer | symbol>,
): Promise<Reply> {
  const { clack, terminal, signal } = scene;
  const { input, output } = terminal;
  const keyboard = new Keyboard({
    input,
    output,
    isEnterAlone: takes === "word",
    onPaste: (text) => paste(text, takes, keyboard.keys, words),
    onNote: (sentence) => note(sentence, keyboard.keys, words),
  });
  if (yesNo !== undefined) keyboard.keys.takesKey = new TypedYesNo(yesNo, keyboard.keys, words).takesKey;
  if (digits !== undefined) keyboard.keys.takesKey = chooseByDigit(digits, keyboard.keys, words);
  const keys = new Keys(keyboard.keys, words, settles);
  // One of its own: clack goes on listening when a prompt has long been answered.
  const closing = new AbortController();
  const close = (): void => closing.abort();
  // Before clack's own listeners, so that the words are right when it draws.
  keyboard.keys.on("keypress", keys.hear);
  input.once("end", close);
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    await keyboard.open(closing.signal);
    const answer = await prompt({ input: keyboard.keys, output, signal: closing.signal });
    const isLeft = clack.isCancel(answer) || keys.isInterrupted || keys.isDeclined;
    if (!isLeft) return { action: "accept", value: answer };
  } finally {
    keyboard.close();
    input.off("end", close);
    signal.removeEventListener("abort", close);
  }
  return leave(keys, scene, closing.signal.aborted);
}

/** Above this clack is given a paste as one key: it draws the prompt for each, with all that was pasted so far. */
const MOST_KEYS = 100;

function paste(pasted: string, takes: Typing["takes"], keys: PassThrough, words: Words): void {
  // The line end of the last line: what is copied as a whole line has it.
  const text = pasted.replace(/\n$/, "");
  const problem = whyNot(text, takes);
  if (problem !== undefined) {
    note(`${problem}: nothing was taken.`, keys, words);
    return;
  }
  const typed = takes === "lines" ? text.replaceAll("\n", LINE_END) : text;
  // A box moves its cursor by one for each key. The word "escape" as one key is the key, for clack.
  const isKeyByKey = takes === "box" || typed.length <= MOST_KEYS;
  for (const one of isKeyByKey ? typed : [typed]) {
    const isTab = takes === "box" && one === "\t";
    const sequence = isTab ? "\t\t" : one;
    keys.emit("keypress", sequence, { sequence } satisfies Key);
    // A single tab is a key of the box: it leads to its end. Two are text, of which one is deleted.
    if (isTab) keys.emit("keypress", undefined, { name: "delete" } satisfies Key);
  }
}

/** Moves the selection of clack's list to the option of a digit, and sends it. Other characters do nothing. */
function chooseByDigit(
  { options, suggested, isChosen }: ListDigits,
  keys: KeyStream,
  words: Words,
): KeyStream["takesKey"] {
  let selected = suggested;
  let isEnterTaken = isChosen;
  return (character, key) => {
    if (key.sequence === REDRAW) return false;
    const step = ARROW_STEPS[key.name ?? ""] ?? 0;
    selected += step;
    isEnterTaken ||= step !== 0;
    if (!isEnterTaken && isReturn(key)) {
      note("Choose a number of stars first", keys, words);
      return true;
    }
    const isText = key.ctrl !== true && character !== undefined && /^[!-~]$/.test(character);
    const wanted = isText ? options.indexOf(character) : -1;
    if (wanted < 0) return isText;
    isEnterTaken = true;
    for (; (wanted - selected) % options.length !== 0; selected += 1)
      keys.emit("keypress", undefined, { name: "down", sequence: REDRAW } satisfies Key);
    keys.emit("keypress", "\r", { name: "return", sequence: "\r" } satisfies Key);
    return true;
  };
}

/** Shows a sentence below the question, until the next key. */
function note(sentence: string, keys: PassThrough, words: Words): void {
  words.note = sentence;
  keys.emit("keypress", undefined, { sequence: REDRAW } satisfies Key);
}

/** Why a paste is not taken. */
function whyNot(text: string, takes: Typing["takes"]): string | undefined {
  if (takes === "keys") return "Text was pasted, but this is answered by single keys";
  if (takes === "word")
    return "The text was pasted, or arrived together with enter; type the word, then press enter";
  const count = text.split("\n").length;
  if (takes === "line" && count > 1) return `${count} lines were pasted, but one line is wanted`;
  return takes === "lines" && text.includes(LINE_END)
    ? `The text that was pasted has a ${LINE_END}, which stands for a line end here`
    : undefined;
}

/** A prompt was left without an answer. */
function leave(keys: Keys, { terminal }: Scene, isClosed: boolean): Reply {
  const { output, paint, symbols, leaving } = terminal;
  const isDeclined = keys.isDeclined && !keys.isInterrupted;
  const words = isClosed ? "It is asked no longer." : isDeclined ? "Declined." : leaving.said;
  output.write(`${paint.gray(symbols.bar)}  ${paint.dim(words)}\n`);
  if (keys.isInterrupted) terminal.interrupted();
  return { action: isDeclined ? "decline" : "cancel" };
}

/** What was pressed at a prompt, as far as it is ours. */
class Keys {
  isDeclined = false;
  isInterrupted = false;
  readonly hear: (character: string | undefined, key: Key) => void;

  constructor(input: Streams["input"], words: Words, settles: (key: Key) => boolean) {
    this.hear = (_, key) => {
      if (key.sequence !== REDRAW) words.note = undefined;
      const isBreak = key.ctrl === true && key.name === "c";
      const isEscape = key.name === "escape";
      this.isInterrupted ||= isBreak;
      if (isBreak || isEscape || key.sequence === LEAVE || settles(key)) words.isSettled = true;
      if (isEscape) {
        delete key.name;
        key.sequence = LEAVE;
      }
      if (key.ctrl !== true || key.name !== "d" || this.isDeclined) return;
      this.isDeclined = true;
      // clack knows no such key, and readline closes itself at it: once both have seen it, the prompt is left.
      queueMicrotask(() => input.emit("keypress", undefined, { sequence: LEAVE } satisfies Key));
    };
  }
}

/** The keys that end a prompt which takes whatever is chosen. */
export const isReturn = (key: Key): boolean => key.name === "return";
