/**
 * Scripted answers: `decline()`, `later("5m", "Ada")`, `sequence("a", "b")`, …; and the responder that finds them.
 *
 * A plain value is an answer.
 */
import { type Duration, milliseconds } from "../util/time.ts";
import { messageOf, type OpenQuestion, type Reply } from "../effects.ts";
import { InvalidInput, UnyieldedEffect } from "../errors.ts";

/** An instruction other than a plain answer. */
export class Scripted {
  readonly instruction: Instruction;

  constructor(instruction: Instruction) {
    this.instruction = instruction;
  }
}

type Instruction =
  /** Undefined: never. */
  | { readonly kind: "reply"; readonly reply: Reply | undefined }
  | { readonly kind: "later"; readonly wait: number; readonly answer: unknown }
  | { readonly kind: "turns"; readonly turns: readonly unknown[] };

/** A plain value, a `Scripted`, or a function of the question that returns either. */
export type ScriptedAnswer = unknown;

/** The user declines. */
export const decline = (): Scripted => scriptedReply({ action: "decline" });
/** The user dismisses the question. */
export const cancel = (): Scripted => scriptedReply({ action: "cancel" });
/** No answer arrives in time. */
export const timeout = (): Scripted => scriptedReply({ action: "timeout" });
/** The client cannot show the question. */
export const unsupported = (): Scripted => scriptedReply({ action: "unsupported" });
/** Accepts without a value, like a client that shows a form and sends nothing. */
export const acceptEmpty = (): Scripted => scriptedReply({ action: "accept" });
/** Does not answer. The question is open until its deadline. */
export const never = (): Scripted => scriptedReply(undefined);
/** Answers after a delay of the test's clock. */
export const later = (wait: Duration, answer: ScriptedAnswer): Scripted =>
  new Scripted({ kind: "later", wait: milliseconds(wait), answer });
/** Answers with the next value each time it is asked; the last one repeats. */
export const sequence = (...turns: readonly ScriptedAnswer[]): Scripted =>
  new Scripted({ kind: "turns", turns });

function scriptedReply(reply: Reply | undefined): Scripted {
  return new Scripted({ kind: "reply", reply });
}

/** A reply after `wait` milliseconds; undefined: never. */
interface DelayedReply {
  readonly reply: Reply | undefined;
  readonly wait: number;
}

/** By key or message, in the order the questions come, or by a function of the question. */
export type ScriptedAnswers =
  | { readonly [question: string]: ScriptedAnswer }
  | readonly ScriptedAnswer[]
  | ((question: OpenQuestion) => ScriptedAnswer);

/** A question has no scripted answer. */
export class Unscripted extends Error {
  override readonly name = "Unscripted";

  /** `unused`: the names of answers that no question has taken. */
  constructor(question: OpenQuestion, unused: readonly string[] = []) {
    const names = unused.map((name) => JSON.stringify(name)).join(", ");
    super(
      `The script has no answer to ${JSON.stringify(question.key)} (${JSON.stringify(messageOf(question))}).${names === "" ? "" : ` No question has taken its answers to ${names}.`}`,
    );
  }
}

class AsksForever extends Error {
  override readonly name = "AsksForever";
}

const MAX_QUESTIONS = 1000;

/** Errors that scripts have thrown: not outcomes of the tool, even if they passed through it. */
const scriptErrors = new WeakSet<Error>();

/** Whether an error fails the test, rather than being an outcome of the tool. */
export const isTestError = (error: unknown): error is Error =>
  error instanceof InvalidInput ||
  error instanceof UnyieldedEffect ||
  (error instanceof Error && scriptErrors.has(error));

export class ScriptedResponder {
  readonly #find: (question: OpenQuestion) => ScriptedAnswer;
  /** How often each `sequence` was used. */
  readonly #turns = new Map<Scripted, number>();
  #count = 0;

  constructor(answers: ScriptedAnswers) {
    this.#find = answerFinder(answers);
  }

  async reply(question: OpenQuestion): Promise<DelayedReply> {
    try {
      this.#count += 1;
      if (this.#count > MAX_QUESTIONS)
        throw new AsksForever(`The tool asks more than ${MAX_QUESTIONS} questions.`);
      return await this.#evaluate(this.#find(question), question);
    } catch (error) {
      if (error instanceof Error) scriptErrors.add(error);
      throw error;
    }
  }

  /** Replies without a delay: an answer that would come too late, or never, is a timeout. */
  async replyInstantly(question: OpenQuestion): Promise<Reply> {
    const { reply, wait } = await this.reply(question);
    return reply === undefined || wait >= (question.wait ?? Number.POSITIVE_INFINITY)
      ? { action: "timeout" }
      : reply;
  }

  async #evaluate(answer: ScriptedAnswer, question: OpenQuestion): Promise<DelayedReply> {
    if (typeof answer === "function") {
      // By the type of a script, a function takes the question.
      return this.#evaluate(await (answer as (question: OpenQuestion) => unknown)(question), question);
    }
    if (!(answer instanceof Scripted)) return { reply: { action: "accept", value: answer }, wait: 0 };
    const { instruction } = answer;
    switch (instruction.kind) {
      case "reply":
        return { reply: instruction.reply, wait: 0 };
      case "later": {
        const { reply, wait } = await this.#evaluate(instruction.answer, question);
        return { reply, wait: wait + instruction.wait };
      }
      case "turns": {
        const { turns } = instruction;
        const turn = this.#turns.get(answer) ?? 0;
        this.#turns.set(answer, turn + 1);
        return this.#evaluate(turns[Math.min(turn, turns.length - 1)], question);
      }
      default:
        return instruction satisfies never;
    }
  }
}

function answerFinder(answers: ScriptedAnswers): (question: OpenQuestion) => ScriptedAnswer {
  if (typeof answers === "function") return answers;
  if (Array.isArray(answers)) {
    const inOrder = (answers as readonly ScriptedAnswer[]).values();
    return (question) => {
      const next = inOrder.next();
      if (next.done === true) throw new Unscripted(question);
      return next.value;
    };
  }
  const unused = new Set(Object.keys(answers));
  return (question) => findByName(answers as { readonly [name: string]: ScriptedAnswer }, question, unused);
}

/** By the key or the message of the question. */
export function findByName<T>(
  byName: { readonly [name: string]: T },
  question: OpenQuestion,
  unused: Set<string> = new Set(),
): T {
  const name = [question.key, messageOf(question)].find((one) => Object.hasOwn(byName, one));
  if (name === undefined) throw new Unscripted(question, [...unused]);
  unused.delete(name);
  // `name` is one of its keys.
  return byName[name] as T;
}
