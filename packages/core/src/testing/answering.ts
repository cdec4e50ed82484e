import type { OpenQuestion, Reply } from "../effects.ts";
import { speak, type ScriptedAnswer } from "./scripted.ts";

/** By key or message, in the order the questions come, or by a function of the question. */
export type ScriptedAnswers =
  | { readonly [question: string]: ScriptedAnswer }
  | readonly ScriptedAnswer[]
  | ((question: OpenQuestion) => ScriptedAnswer);

/** A question came that nothing was scripted for. */
export class Unscripted extends Error {
  override readonly name = "Unscripted";

  constructor({ key, ...question }: OpenQuestion) {
    const message = question.emit === "ask" ? question.message : question.emit;
    super(`Nothing is scripted for ${JSON.stringify(key)} (${JSON.stringify(message)}).`);
  }
}

/** Finds what was scripted for a question: by its key, by its message, or the next in order. */
export function answering(answers: ScriptedAnswers): (question: OpenQuestion) => ScriptedAnswer {
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
  const byName = answers as { readonly [question: string]: ScriptedAnswer };
  return (question) => {
    const names = [question.key, question.emit === "ask" ? question.message : question.emit];
    const name = names.find((one) => Object.hasOwn(byName, one));
    if (name === undefined) throw new Unscripted(question);
    return byName[name];
  };
}

/** Replies as scripted, while no time passes: what comes too late, or never, is a timeout at once. */
export async function hurriedReply(answer: ScriptedAnswer, question: OpenQuestion): Promise<Reply> {
  const { reply, wait } = await speak(answer, question);
  return reply === undefined || wait >= (question.wait ?? Infinity) ? { action: "timeout" } : reply;
}
