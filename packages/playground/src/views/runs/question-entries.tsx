/** Questions in the timeline: that they were asked, and what came of them. */
import type { JSX } from "preact";
import { isForPage } from "../../desk/driver.ts";
import type { Answer, Question } from "../../desk/question.ts";
import { inLine } from "../parts/clip.ts";
import { LongText } from "../parts/long-text.tsx";
import { Told } from "../parts/told.tsx";
import { useStage } from "../stage.ts";
import { bringBack, wantedOf } from "../wanted.ts";

export function Asked({ question }: { readonly question: Question }): JSX.Element {
  const stage = useStage();
  const isAside = stage.aside.value.has(question.id);
  const isOpen = wantedOf(stage).some(({ id }) => id === question.id);
  const { attempt } = question.details;
  return (
    <>
      <LongText text={question.message} first={2000} />
      <span class={isOpen ? "entry-facts still-open" : "entry-facts"}>
        asked as <Told text={question.key} most={80} />
        {attempt !== undefined && attempt > 1 && `, attempt ${attempt}`}
      </span>
      {isOpen && isAside && (
        <button type="button" class="quiet" onClick={() => bringBack(stage, question)}>
          Answer it
        </button>
      )}
    </>
  );
}

const ACTIONS = { accept: "Answered", decline: "Declined", cancel: "Cancelled" };

/** Whether an answer says only that the page of the question was opened: whether it is answered there is not known here. */
export const isVisit = (question: Question, { action }: Answer): boolean =>
  action === "accept" && isForPage(question);

export function Answered({
  question,
  answer,
}: {
  readonly question: Question;
  readonly answer: Answer;
}): JSX.Element {
  const said = answer.action === "accept" ? saidIn(answer.content) : undefined;
  return (
    <>
      <strong>{isVisit(question, answer) ? "Opened the page" : ACTIONS[answer.action]}</strong>{" "}
      <span class="entry-facts">
        <Told text={question.key} most={80} />
      </span>
      {said !== undefined && <LongText text={said} mono first={2000} name="answer.json" />}
    </>
  );
}

/** A question of one value is answered with that value; whatever else was said is shown as it was sent. */
function saidIn(content: { readonly [field: string]: unknown } | undefined): string | undefined {
  if (content === undefined) return undefined;
  const [only, ...others] = Object.entries(content);
  if (only === undefined || others.length > 0 || (only[0] !== "value" && only[0] !== "text"))
    return inLine(content);
  return typeof only[1] === "string" ? only[1] : inLine(only[1]);
}

export function Withdrawn({
  question,
  why,
}: {
  readonly question: Question;
  readonly why: string;
}): JSX.Element {
  return (
    <>
      <strong>Taken back</strong>{" "}
      <span class="entry-facts">
        <Told text={question.key} most={80} />
      </span>
      <LongText text={why} first={2000} />
    </>
  );
}
