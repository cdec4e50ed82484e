/**
 * What a script says to a question.
 *
 * A plain value is an answer. Everything else is made by a word below.
 */
import { type Duration, milliseconds } from "../util/time.ts";
import { messageOf, type OpenQuestion, type Reply } from "../effects.ts";
import { InvalidInput, UnyieldedEffect } from "../errors.ts";

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
export const acceptEmpty = (): Scripted => replying({ action: "accept" });
/** Says nothing. The question stays open until its time is over. */
export const never = (): Scripted => new Scripted({ kind: "never" });
/** Answers after a while of the test's clock. */
export const later = (wait: Duration, answer: ScriptedAnswer): Scripted =>
  new Scripted({ kind: "later", wait: milliseconds(wait), answer });
/** Says one thing after another, each time it is asked; the last one stays. */
export const sequence = (...turns: readonly ScriptedAnswer[]): Scripted =>
  new Scripted({ kind: "turns", turns });

function replying(reply: Reply): Scripted {
  return new Scripted({ kind: "reply", reply });
}

/** What is said to a question: a reply after a while, or nothing ever. */
interface Spoken {
  readonly reply: Reply | undefined;
  readonly wait: number;
}

/** Speaks for one run: remembers whose turn it is. */
class AnswerSource {
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

/** What a script says to which question. */

/** By key or message, in the order the questions come, or by a function of the question. */
export type ScriptedAnswers =
  | { readonly [question: string]: ScriptedAnswer }
  | readonly ScriptedAnswer[]
  | ((question: OpenQuestion) => ScriptedAnswer);

/** A question came that nothing was scripted for. */
export class Unscripted extends Error {
  override readonly name = "Unscripted";

  constructor(question: OpenQuestion) {
    super(
      `Nothing is scripted for ${JSON.stringify(question.key)} (${JSON.stringify(messageOf(question))}).`,
    );
  }
}

/** A tool goes on asking. */
class AsksForever extends Error {
  override readonly name = "AsksForever";
}

const MOST = 1000;

/** What scripts have thrown: no end of the tool that was tested, however it came through it. */
const scriptErrors = new WeakSet<Error>();

/** Whether an error fails the test, rather than being one of the ways in which a tool may end. */
export const isTestError = (error: unknown): error is Error =>
  error instanceof InvalidInput ||
  error instanceof UnyieldedEffect ||
  (error instanceof Error && scriptErrors.has(error));

/** Answers the questions of one run as scripted. */
export class ScriptedResponder {
  readonly #answerTo: (question: OpenQuestion) => ScriptedAnswer;
  readonly #speaker = new AnswerSource();
  #count = 0;

  constructor(answers: ScriptedAnswers) {
    this.#answerTo = finding(answers);
  }

  async speak(question: OpenQuestion): Promise<Spoken> {
    try {
      this.#count += 1;
      if (this.#count > MOST) throw new AsksForever(`The tool asks more than ${MOST} questions.`);
      return await this.#speaker.speak(this.#answerTo(question), question);
    } catch (error) {
      if (error instanceof Error) scriptErrors.add(error);
      throw error;
    }
  }

  /** Replies while no time passes: what comes too late, or never, is a timeout at once. */
  async hurry(question: OpenQuestion): Promise<Reply> {
    const { reply, wait } = await this.speak(question);
    return reply === undefined || wait >= (question.wait ?? Number.POSITIVE_INFINITY)
      ? { action: "timeout" }
      : reply;
  }
}

/** Finds what was scripted for a question: by its key, by its message, or the next in order. */
function finding(answers: ScriptedAnswers): (question: OpenQuestion) => ScriptedAnswer {
  if (typeof answers === "function") return answers;
  if (Array.isArray(answers)) {
    const inOrder = (answers as readonly ScriptedAnswer[]).values();
    return (question) => {
      const next = inOrder.next();
      if (next.done === true) throw new Unscripted(question);
      return next.value;
    };
  }
  // Neither a function nor a list, so a record.
  return (question) => foundIn(answers as { readonly [name: string]: ScriptedAnswer }, question);
}

/** What a record has for a question, by its key or its message. */
export function foundIn<T>(byName: { readonly [name: string]: T }, question: OpenQuestion): T {
  const name = [question.key, messageOf(question)].find((one) => Object.hasOwn(byName, one));
  if (name === undefined) throw new Unscripted(question);
  // Just looked for, and there.
  return byName[name] as T;
}
