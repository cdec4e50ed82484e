/** A question that is answered on a page of the server's own, to which its client sends somebody: nothing is typed here. */
import type { JSX } from "preact";
import type { Question } from "../../desk/question.ts";
import { AnswerButtons } from "./answer-buttons.tsx";
import { pageWords } from "./page-words.ts";

export function PageQuestion({ question }: { readonly question: Question }): JSX.Element {
  return (
    <div class="question-form">
      <p>
        {pageWords(question.details.ask)} Go back to that client, and open its link. Here it can only be
        declined or cancelled.
      </p>
      <AnswerButtons question={question} />
    </div>
  );
}
