/** A question that is answered on a page of the server's own, to which its client sends somebody: nothing is typed here. */
import type { JSX } from "preact";
import type { Question } from "../../desk/question.ts";
import { AnswerButtons } from "./answer-buttons.tsx";

export function PageQuestion({ question }: { readonly question: Question }): JSX.Element {
  return (
    <div class="question-form">
      <p>
        This is answered on a page of the server that its own client opens, so that nobody else sees it. Here
        it can be refused.
      </p>
      <AnswerButtons question={question} />
    </div>
  );
}
