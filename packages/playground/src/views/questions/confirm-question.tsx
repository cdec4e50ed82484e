/** A question of yes or no. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Question } from "../../desk/question.ts";
import { useStage } from "../stage.ts";
import { AnswerButtons } from "./answer-buttons.tsx";
import { LongText } from "../parts/long-text.tsx";
import { useSettled } from "../parts/use-settled.ts";

export function ConfirmQuestion({
  question,
  name,
  description,
}: {
  readonly question: Question;
  /** The field that says it. */
  readonly name: string;
  readonly description: string | undefined;
}): JSX.Element {
  const { desk } = useStage();
  const say = (value: boolean) => () =>
    desk.answer(question, { action: "accept", content: { [name]: value } });
  const isDangerous = question.details.dangerous === true;
  const no = (
    <button type="button" onClick={say(false)}>
      No
    </button>
  );
  return (
    <div class="question-form">
      {description !== undefined && <LongText text={description} first={1000} />}
      {isDangerous && (
        <p class="danger-note">
          <strong>This is dangerous.</strong> Say yes only if you mean it.
        </p>
      )}
      <AnswerButtons
        question={question}
        explains="No is an answer. Decline refuses to give one, Cancel leaves the question without one. Later, or Escape, keeps it waiting."
      >
        {/* Tab and Enter, which fill in a form, do not say yes to what is dangerous. */}
        {isDangerous && no}
        {isDangerous ? (
          <DangerousYes onYes={say(true)} />
        ) : (
          <button type="button" class="primary" onClick={say(true)}>
            Yes
          </button>
        )}
        {!isDangerous && no}
      </AnswerButtons>
    </div>
  );
}

function DangerousYes({ onYes }: { readonly onYes: () => void }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  const { isSettled, press } = useSettled(button);
  return (
    <button
      type="button"
      class="danger"
      ref={button}
      // It keeps the focus of somebody who is at it with the keyboard.
      aria-disabled={!isSettled}
      onPointerDown={press}
      onClick={() => {
        if (press()) onYes();
      }}
    >
      Yes
    </button>
  );
}
