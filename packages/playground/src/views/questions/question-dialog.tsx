/**
 * The questions that want an answer, one at a time, in front of everything else.
 *
 *   1. One dialog for all of them: it is closed when none is left, and the focus goes back to where it was.
 *   2. Escape does what Cancel does.
 *   3. What arrives while somebody answers waits behind it; nothing is taken from under their hands.
 *   4. A yes or no has no button under the finger of somebody who was typing: the words are focused, not a button.
 */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Question } from "../../desk/question.ts";
import { keepFocus } from "../parts/keep-focus.ts";
import { useStage, type Stage } from "../stage.ts";
import { queueOf } from "../wanted.ts";
import { QuestionBody, isConfirm } from "./question-body.tsx";
import { QuestionHead } from "./question-head.tsx";

export function QuestionDialog(): JSX.Element {
  const stage = useStage();
  const queue = queueOf(stage);
  const question = queue[0];
  const dialog = useRef<HTMLDialogElement>(null);
  useShown(dialog, question, stage.front);
  return (
    <dialog
      ref={dialog}
      class={question?.details.dangerous === true ? "question dangerous" : "question"}
      aria-labelledby="question-title"
      onCancel={(event) => {
        event.preventDefault();
        if (question !== undefined) stage.desk.answer(question, { action: "cancel" });
      }}
      // A browser closes it by itself when Escape is pressed twice; another question may be there by then.
      onClose={({ currentTarget }) => {
        const [next] = queueOf(stage);
        if (next !== undefined) show(currentTarget, next);
      }}
    >
      {question !== undefined && (
        <div key={question.id}>
          <QuestionHead question={question} others={queue.slice(1)} />
          <QuestionBody question={question} />
        </div>
      )}
    </dialog>
  );
}

function useShown(
  dialog: { readonly current: HTMLDialogElement | null },
  question: Question | undefined,
  front: Stage["front"],
): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    // Whoever is shown stays shown: a question that is older, or comes back, does not take its place.
    front.value = question?.id;
    if (question === undefined) {
      if (!element.open) return;
      element.close();
      // It may have been brought back by a button that goes with it.
      keepFocus();
      return;
    }
    show(element, question);
  }, [question?.id]);
}

/** Opens the dialog where it is not, and has somebody begin where the question is answered. */
function show(dialog: HTMLDialogElement, question: Question): void {
  if (!dialog.open) dialog.showModal();
  const first = isConfirm(question)
    ? null
    : dialog.querySelector<HTMLElement>(
        ".question-form :is(input:checked, input, textarea, select, a.button)",
      );
  (first ?? dialog.querySelector<HTMLElement>("#question-title"))?.focus();
}
