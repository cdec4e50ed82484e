/**
 * The questions that want an answer, one at a time, in front of everything else.
 *
 *   1. One dialog for all of them: it is closed when none is left, and the focus goes back to where it was.
 *   2. Escape does what Later does.
 *   3. What arrives while somebody answers waits behind it; nothing is taken from under their hands.
 *   4. A question that arrives while a field is in use is set aside: the field keeps the focus and the keys.
 *   5. Nothing is under the finger of somebody who was typing that a key would press: of a yes or no, of a link, and of what
 *      takes the place of a question that was being answered, the words are focused.
 */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Question } from "../../desk/question.ts";
import { isFieldInUse } from "../parts/field-in-use.ts";
import { keepFocus } from "../parts/keep-focus.ts";
import { useStage, type Stage } from "../stage.ts";
import { queueOf, setAside } from "../wanted.ts";
import { QuestionBody, isConfirm } from "./question-body.tsx";
import { QuestionHead } from "./question-head.tsx";

export function QuestionDialog(): JSX.Element {
  const stage = useStage();
  const queue = queueOf(stage);
  const question = queue[0];
  const dialog = useRef<HTMLDialogElement>(null);
  useShown(dialog, question, stage);
  return (
    <dialog
      ref={dialog}
      class={question?.details.dangerous === true ? "question dangerous" : "question"}
      aria-labelledby="question-title"
      onCancel={(event) => {
        event.preventDefault();
        if (question !== undefined) setAside(stage, question);
      }}
      // A browser closes it by itself when Escape is pressed twice: the question that was shown is still in the queue.
      onClose={({ currentTarget }) => {
        const [shown] = queueOf(stage);
        if (shown !== undefined && !currentTarget.open) setAside(stage, shown);
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
  stage: Stage,
): void {
  // Before the field of the question that was shown until now is gone.
  const isBusy = isFieldInUse();
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (question !== undefined && !element.open && isBusy) {
      setAside(stage, question);
      return;
    }
    // Whoever is shown stays shown: a question that is older, or comes back, does not take its place.
    stage.front.value = question?.id;
    if (question === undefined) {
      if (!element.open) return;
      element.close();
      // It may have been brought back by a button that goes with it.
      keepFocus();
      return;
    }
    if (!element.open) element.showModal();
    const first = isBusy || isConfirm(question) ? null : element.querySelector<HTMLElement>(FIELD);
    (first ?? element.querySelector<HTMLElement>("#question-title"))?.focus();
  }, [question?.id]);
}

/** Where a question is answered. */
const FIELD = ".question-form :is(input:checked, input, textarea, select)";
