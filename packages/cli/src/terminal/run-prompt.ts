/**
 * One prompt: its text, its keys, its reply.
 *
 *   1. ctrl+d declines. esc and ctrl+c cancel; ctrl+c is also reported to the terminal.
 *   2. A prompt that closes in another way is cancelled: its signal, the end of the input.
 *   3. A prompt that closes without an answer prints why.
 *   4. A paste never answers by itself. The prompt takes it as one value, or shows why it was not taken.
 *   5. In the last hour before the deadline, the time left is shown and updated, except while clack shows a problem of the answer: clack
 *      removes it at the next key, and drawing the prompt again counts as a key.
 */
import type { Key } from "node:readline";
import type { PassThrough } from "node:stream";
import type * as clack from "@clack/prompts";
import type { Reply } from "@photon/core";
import { Keyboard, REDRAW, redraw, type KeyStream } from "./keyboard.ts";
import type { Terminal } from "./terminal.ts";
import { cleanText, foldTo, oneLine } from "./text.ts";
import { chooseByDigit, TypedYesNo, type ListDigits, type TypedOptions } from "./typed-choice.ts";

/** What every prompt of a question needs. */
export interface PromptContext {
  /** Loaded with the first prompt. */
  readonly clack: typeof clack;
  readonly terminal: Terminal;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** When the question times out, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
}

/** What is wrong with an answer, as a sentence; undefined if it fits. */
export type Check = (value: unknown) => Promise<string | undefined>;

/** A value that is prompted for. */
export interface PromptOptions {
  readonly context: PromptContext;
  readonly check: Check;
  readonly isOptional: boolean;
}

export interface PromptMessage {
  readonly message: string;
  readonly description?: string;
  /** The expected answer: "a whole number from 1 to 30". */
  readonly expected?: string;
  /** A line before the message. It is not cleaned. */
  readonly warning?: string;
  /** Replaces the help for the keys. */
  readonly keys?: string;
}

/** The text above a prompt. While the prompt is open all of it is shown; once it is answered, only the question. */
export class PromptText {
  isAnswered = false;
  /** Whether clack shows what is wrong with the answer. */
  hasProblem = false;
  /** A note about the last key, until the next key. */
  note: string | undefined;
  readonly #full: string;
  readonly #question: string;
  readonly #deadline: number | undefined;
  readonly #lines: (text: string | undefined, style: "dim" | "yellow") => string;

  /** `guided`: clack draws the bar at the left of the first row only, so the text contains it for the others. */
  constructor(
    { message, description, expected, warning, keys }: PromptMessage,
    { terminal, deadline }: PromptContext,
    { guided }: { readonly guided: boolean },
  ) {
    const { colors, columns, symbols, cancelLabels } = terminal;
    const usualKeys = `ctrl+d declines, esc ${cancelLabels.key}`;
    const fold = (text: string): readonly string[] =>
      guided ? foldTo(Math.max(columns - 4, 10), text) : [text];
    const join = (lines: readonly string[]): string =>
      lines.join(guided ? `\n${colors.gray(symbols.bar)}  ` : "\n");
    const question = [
      ...(warning === undefined ? [] : fold(warning).map((line) => colors.bold(colors.red(line)))),
      ...fold(cleanText(message)),
    ];
    const about = [
      ...(description === undefined ? [] : fold(cleanText(description))),
      ...fold([oneLine(expected ?? ""), keys ?? usualKeys].filter((part) => part !== "").join(" · ")),
    ];
    this.#question = join(question);
    this.#full = join([...question, ...about.map((line) => colors.dim(line))]);
    this.#deadline = deadline;
    this.#lines = (text, style) =>
      text === undefined ? "" : join(["", ...fold(text).map((line) => colors[style](line))]);
  }

  get current(): string {
    if (this.isAnswered) return this.#question;
    const time = this.#deadline === undefined ? undefined : timeLeft(this.#deadline);
    return this.#full + this.#lines(time, "dim") + this.#lines(this.note, "yellow");
  }

  /** Notes what the check of an answer has found, and returns it for clack. */
  checked(problem: string | undefined): string | undefined {
    this.isAnswered = problem === undefined;
    this.hasProblem = problem !== undefined;
    return problem;
  }

  /** For `clack.path`, which copies its message: a getter would be read once. */
  toString(): string {
    return this.current;
  }
}

const HOUR_MS = 3_600_000;

/** "5 minutes left", in the last minute "59 seconds left". Undefined before the last hour: a deadline in days needs no countdown. */
function timeLeft(deadline: number): string | undefined {
  const left = Math.max(deadline - Date.now(), 0);
  if (left > HOUR_MS) return undefined;
  const seconds = Math.ceil(left / 1000);
  if (seconds > 60) return `${Math.ceil(seconds / 60)} minutes left`;
  return `${seconds} second${seconds === 1 ? "" : "s"} left`;
}

/** The streams that every prompt of clack takes. */
interface Streams {
  readonly input: PassThrough;
  readonly output: Terminal["output"];
  readonly signal: AbortSignal;
}

/** The key at which clack only leaves the prompt. At esc, a confirm would also invert its answer. */
const LEAVE = "\u0003";

/** How a prompt is answered from the keyboard. */
interface PromptKeys {
  /**
   * What it takes of a paste: nothing, if it is answered by single keys, or by a word that a person types; one line;
   * several lines, with each line end shown as `LINE_END`; or the text unchanged, in a box of several lines.
   */
  readonly accepts: "keys" | "word" | "line" | "lines" | "box";
  /** Whether a key ends the prompt. Without it, a check decides. */
  readonly ends?: (key: Key) => boolean;
  /** The options of a yes or no that is typed. */
  readonly yesNo?: TypedOptions;
  /** The options of a list, each with the digit that chooses and sends it. */
  readonly digits?: ListDigits;
}

/** A line end in a prompt of one line. No keyboard has it, and a paste that contains it is refused. */
export const LINE_END = "↵";

const TICK_MS = 1000;

/** Shows a prompt, and returns the reply. */
export async function runPrompt<Answer>(
  context: PromptContext,
  text: PromptText,
  { accepts, ends = () => false, yesNo, digits }: PromptKeys,
  prompt: (streams: Streams) => Promise<Answer | symbol>,
): Promise<Reply> {
  const { terminal, signal, deadline } = context;
  const { input, output } = terminal;
  const keyboard = new Keyboard({
    input,
    output,
    isEnterAlone: accepts === "word",
    onPaste: (pasted) => paste(pasted, accepts, keyboard.keys, text),
    onNote: (sentence) => showNote(sentence, keyboard.keys, text),
  });
  if (yesNo !== undefined) keyboard.keys.handleKey = new TypedYesNo(yesNo, keyboard.keys, text).handleKey;
  if (digits !== undefined) keyboard.keys.handleKey = chooseByDigit(digits, keyboard.keys, text);
  const leaving = new LeaveKeys(keyboard.keys, text, ends);
  // A signal of its own: clack keeps listening to it after the prompt was answered.
  const closing = new AbortController();
  const close = (): void => closing.abort();
  // Before the listeners of clack, so that the text is up to date when it draws.
  keyboard.keys.on("keypress", leaving.onKeypress);
  input.once("end", close);
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  let ticking: NodeJS.Timeout | undefined;
  try {
    await keyboard.open(closing.signal);
    if (deadline !== undefined)
      ticking = setInterval(() => {
        if (!text.hasProblem) redraw(keyboard.keys);
      }, TICK_MS);
    const answer = await prompt({ input: keyboard.keys, output, signal: closing.signal });
    const isLeft = context.clack.isCancel(answer) || leaving.isInterrupted || leaving.isDeclined;
    if (!isLeft) return { action: "accept", value: answer };
  } finally {
    clearInterval(ticking);
    keyboard.close();
    input.off("end", close);
    signal.removeEventListener("abort", close);
  }
  return replyOfLeaving(leaving, terminal, closing.signal.aborted);
}

/** Shows a sentence below the question, until the next key. */
function showNote(sentence: string, keys: KeyStream, text: PromptText): void {
  text.note = sentence;
  redraw(keys);
}

/** A longer paste is given to clack as one key: for each key it draws the prompt with all of the text. */
const MAX_KEYS = 100;

function paste(pasted: string, accepts: PromptKeys["accepts"], keys: KeyStream, text: PromptText): void {
  // Copying a whole line includes its line end.
  const content = pasted.replace(/\n$/, "");
  const problem = pasteProblem(content, accepts);
  if (problem !== undefined) {
    showNote(`${problem}: nothing was taken.`, keys, text);
    return;
  }
  const typed = accepts === "lines" ? content.replaceAll("\n", LINE_END) : content;
  // A box moves its cursor by one for each key. clack reads the word "escape" as the key if it comes at once.
  const isKeyByKey = accepts === "box" || typed.length <= MAX_KEYS;
  for (const one of isKeyByKey ? typed : [typed]) {
    const isTab = accepts === "box" && one === "\t";
    const sequence = isTab ? "\t\t" : one;
    keys.emit("keypress", sequence, { sequence } satisfies Key);
    // A single tab leaves the box. Two are text, of which one is deleted.
    if (isTab) keys.emit("keypress", undefined, { name: "delete" } satisfies Key);
  }
}

/** Why a paste is not taken. */
function pasteProblem(content: string, accepts: PromptKeys["accepts"]): string | undefined {
  if (accepts === "keys") return "Text was pasted, but this prompt takes single keys";
  if (accepts === "word")
    return "The text was pasted, or arrived together with enter; type the word, then press enter";
  const count = content.split("\n").length;
  if (accepts === "line" && count > 1) return `${count} lines were pasted, but this prompt takes one line`;
  return accepts === "lines" && content.includes(LINE_END)
    ? `The pasted text contains a ${LINE_END}, which stands for a line end here`
    : undefined;
}

/** Prints why the prompt has no answer. */
function replyOfLeaving(leaving: LeaveKeys, terminal: Terminal, isClosed: boolean): Reply {
  const { output, colors, symbols, cancelLabels } = terminal;
  const isDeclined = leaving.isDeclined && !leaving.isInterrupted;
  const message = isClosed ? "No longer asked." : isDeclined ? "Declined." : cancelLabels.done;
  output.write(`${colors.gray(symbols.bar)}  ${colors.dim(message)}\n`);
  if (leaving.isInterrupted) terminal.onInterrupt();
  return { action: isDeclined ? "decline" : "cancel" };
}

/** The keys that leave a prompt. */
class LeaveKeys {
  isDeclined = false;
  isInterrupted = false;
  readonly onKeypress: (character: string | undefined, key: Key) => void;

  constructor(input: PassThrough, text: PromptText, ends: (key: Key) => boolean) {
    this.onKeypress = (_, key) => {
      if (key.sequence !== REDRAW) {
        text.note = undefined;
        text.hasProblem = false;
      }
      const isBreak = key.ctrl === true && key.name === "c";
      const isEscape = key.name === "escape";
      this.isInterrupted ||= isBreak;
      if (isBreak || isEscape || key.sequence === LEAVE || ends(key)) text.isAnswered = true;
      if (isEscape) {
        delete key.name;
        key.sequence = LEAVE;
      }
      if (key.ctrl !== true || key.name !== "d" || this.isDeclined) return;
      this.isDeclined = true;
      // clack does not handle ctrl+d, and readline closes at it: the prompt is left after both have seen it.
      queueMicrotask(() => input.emit("keypress", undefined, { sequence: LEAVE } satisfies Key));
    };
  }
}
