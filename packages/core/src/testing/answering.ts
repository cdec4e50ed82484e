/** What a script says to which question. */
import { messageOf, type OpenQuestion, type Reply } from "../effects.ts";
import { InvalidInput, UnyieldedEffect } from "../errors.ts";
import { Speaker, type ScriptedAnswer, type Spoken } from "./scripted.ts";

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
export class Answering {
  readonly #answerTo: (question: OpenQuestion) => ScriptedAnswer;
  readonly #speaker = new Speaker();
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
