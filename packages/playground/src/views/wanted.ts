/** Which questions want somebody, and which of them is shown. */
import type { Question } from "../desk/question.ts";
import type { Stage } from "./stage.ts";

/** Those that a person can do something about, the oldest first. */
export function wantedOf({ desk }: Stage): readonly Question[] {
  return desk.questions.value.filter(({ waitsFor }) => waitsFor !== "server");
}

/** What the button says that brings them back. */
export const waitingWords = (count: number): string =>
  count === 1 ? "1 question waits" : `${count} questions wait`;

/** Those that are not set aside, the one that somebody asked for first. */
export function queueOf(stage: Stage): readonly Question[] {
  const queue = wantedOf(stage).filter(({ id }) => !stage.aside.value.has(id));
  const first = queue.filter(({ id }) => id === stage.front.value);
  return [...first, ...queue.filter((question) => !first.includes(question))];
}

/** Sets aside a question, and what its run asks together with it: whoever has no time now has none for those either. */
export function setAside(stage: Stage, question: Question): void {
  stage.aside.value = new Set([...stage.aside.value, ...askedWith(stage, question)]);
}

/** Brings back a question with what is asked together with it, or everything. */
export function bringBack(stage: Stage, question?: Question): void {
  if (question === undefined) stage.aside.value = new Set();
  else {
    const back = new Set(askedWith(stage, question));
    stage.front.value = question.id;
    stage.aside.value = new Set([...stage.aside.value].filter((id) => !back.has(id)));
  }
}

function askedWith({ desk }: Stage, { runId }: Question): readonly string[] {
  return desk.questions.value.filter((one) => one.runId === runId).map(({ id }) => id);
}
