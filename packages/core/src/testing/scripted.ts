/**
 * What a script says to a question.
 *
 * A plain value is an answer. Everything else is made by a word below.
 */
import { type Duration, milliseconds } from "../util/time.ts";
import type { OpenQuestion, Reply } from "../effects.ts";

/** Something said other than a plain answer. */
export class Scripted {
  readonly say: Saying;

  constructor(say: Saying) {
    this.say = say;
  }
}

type Saying =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "never" }
  | { readonly kind: "later"; readonly wait: number; readonly answer: unknown }
  | { readonly kind: "turns"; readonly turns: readonly unknown[] };

/** A plain value, one of the words below, or a function of the question that gives either. */
export type ScriptedAnswer = unknown;

export const decline = (): Scripted => replying({ action: "decline" });
export const cancel = (): Scripted => replying({ action: "cancel" });
export const timeout = (): Scripted => replying({ action: "timeout" });
export const unsupported = (): Scripted => replying({ action: "unsupported" });
/** Accepts without a value: what a client does that shows a form and sends nothing. */
export const acceptNothing = (): Scripted => replying({ action: "accept" });
/** Says nothing. The question stays open until its time is over. */
export const never = (): Scripted => new Scripted({ kind: "never" });
/** Answers after a while of the test's clock. */
export const later = (wait: Duration, answer: ScriptedAnswer): Scripted =>
  new Scripted({ kind: "later", wait: milliseconds(wait), answer });
/** Says one thing after another, each time it is asked; the last one stays. */
export const inTurn = (...turns: readonly ScriptedAnswer[]): Scripted =>
  new Scripted({ kind: "turns", turns });

function replying(reply: Reply): Scripted {
  return new Scripted({ kind: "reply", reply });
}

/** What is said to a question: a reply after a while, or nothing ever. */
export interface Spoken {
  readonly reply: Reply | undefined;
  readonly wait: number;
}

/** Speaks for one run: remembers whose turn it is. */
export class Speaker {
  readonly #turns = new Map<Scripted, number>();

  async speak(answer: ScriptedAnswer, question: OpenQuestion): Promise<Spoken> {
    if (typeof answer === "function") {
      // A function among the answers is one of the question: that is what the script's type says.
      return this.speak(await (answer as (question: OpenQuestion) => unknown)(question), question);
    }
    if (!(answer instanceof Scripted)) return { reply: { action: "accept", value: answer }, wait: 0 };
    const { say } = answer;
    switch (say.kind) {
      case "reply":
        return { reply: say.reply, wait: 0 };
      case "never":
        return { reply: undefined, wait: 0 };
      case "later": {
        const { reply, wait } = await this.speak(say.answer, question);
        return { reply, wait: wait + say.wait };
      }
      case "turns": {
        const turn = this.#turns.get(answer) ?? 0;
        this.#turns.set(answer, turn + 1);
        return this.speak(say.turns[Math.min(turn, say.turns.length - 1)], question);
      }
      default:
        return say satisfies never;
    }
  }
}
