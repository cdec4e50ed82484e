/**
 * One prompt, and what its keys mean.
 *
 *   1. ctrl+d declines. esc and ctrl+c cancel; of ctrl+c the terminal is told as well.
 *   2. A prompt that is closed in any other way was cancelled: its signal, the end of the input.
 *   3. A prompt that came back without an answer says so.
 */
import type { Key } from "node:readline";
import type { Reply } from "@photon/core";
import type { Scene } from "./scene.ts";
import type { Words } from "./words.ts";

/** What every prompt of clack's is given. */
interface Streams {
  readonly input: Scene["terminal"]["input"];
  readonly output: Scene["terminal"]["output"];
  readonly signal: AbortSignal;
}

/** What clack leaves a prompt at, and does nothing else: at esc, a confirm also turns its answer round. */
const LEAVE = "\u0003";

/** Shows a prompt and gives back what was answered, as it was answered. `settles` says which keys end it for certain. */
export async function hear<Answer>(
  scene: Scene,
  words: Words,
  settles: (key: Key) => boolean,
  prompt: (streams: Streams) => Promise<Answer | symbol>,
): Promise<Reply> {
  const { clack, terminal, signal } = scene;
  const { input, output } = terminal;
  const keys = new Keys(input, words, settles);
  // One of its own: clack goes on listening when a prompt has long been answered.
  const closing = new AbortController();
  const close = (): void => closing.abort();
  // Before clack's own listeners, so that the words are right when it draws.
  input.on("keypress", keys.hear);
  input.once("end", close);
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    const answer = await prompt({ input, output, signal: closing.signal });
    if (!clack.isCancel(answer) && !keys.isInterrupted) return { action: "accept", value: answer };
  } finally {
    input.off("keypress", keys.hear);
    input.off("end", close);
    signal.removeEventListener("abort", close);
  }
  return leave(keys, scene, closing.signal.aborted);
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

/** For prompts that check what was typed: no key ends them for certain. */
export const none = (): boolean => false;
