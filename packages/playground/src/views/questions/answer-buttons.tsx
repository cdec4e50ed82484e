/** The ways to answer. What says yes comes first, and is given by the question's kind; the ways not to are always there. */
import type { ComponentChildren, JSX } from "preact";
import type { Question } from "../../desk/question.ts";
import { useStage } from "../stage.ts";
import { setAside } from "../wanted.ts";

export function AnswerButtons({
  question,
  explains = "Decline says no to the question. Cancel leaves it without an answer. Later, or Escape, keeps it waiting.",
  children,
}: {
  readonly question: Question;
  readonly explains?: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const stage = useStage();
  return (
    <div class="answer">
      <div class="answer-buttons">
        {children}
        <button type="button" onClick={() => stage.desk.answer(question, { action: "decline" })}>
          Decline
        </button>
        <button type="button" onClick={() => stage.desk.answer(question, { action: "cancel" })}>
          Cancel
        </button>
        <button type="button" class="quiet later" onClick={() => setAside(stage, question)}>
          Later
        </button>
      </div>
      <p class="explains">{explains}</p>
    </div>
  );
}
