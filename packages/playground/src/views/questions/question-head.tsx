import type { JSX } from "preact";
import type { Question } from "../../desk/question.ts";
import { Icon } from "../parts/icons.tsx";
import { Told } from "../parts/told.tsx";
import { LongText } from "../parts/long-text.tsx";
import { useStage } from "../stage.ts";
import { bringBack } from "../wanted.ts";
import { AboutCall } from "./about-call.tsx";
import { TimeLeft } from "./time-left.tsx";

/** Looked up by what a server says. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["secret", "a secret"],
  ["file", "a file"],
  ["url", "a visit to a page"],
]);

export function QuestionHead({
  question,
  others,
}: {
  readonly question: Question;
  readonly others: readonly Question[];
}): JSX.Element {
  const { asker, about, details, message, wanted, place, places } = question;
  const wants = wanted.by === "sample" ? "words from a model" : KINDS.get(details.ask ?? "");
  return (
    <header class="question-head">
      <p class="question-facts">
        <span class="asker">
          <Icon name={details.dangerous === true ? "failed" : "question"} /> <Told text={asker} most={80} />{" "}
          asks
          {wants !== undefined && ` for ${wants}`}
          {places > 1 && ` (${place} of ${places})`}
        </span>
        {details.deadline !== undefined && <TimeLeft deadline={details.deadline} />}
      </p>
      <Queue question={question} others={others} />
      <div id="question-title" role="heading" aria-level={2} tabIndex={-1}>
        <LongText text={message === "" ? "The tool wants a model to speak" : message} first={2000} />
      </div>
      {about !== undefined && <AboutCall about={about} most={1000} />}
      {details.hint !== undefined && (
        <p class="hint" role="alert">
          The last answer <Told text={details.hint} most={1000} />.
        </p>
      )}
    </header>
  );
}

/** Who waits behind this question. */
function Queue({
  question,
  others,
}: {
  readonly question: Question;
  readonly others: readonly Question[];
}): JSX.Element {
  const stage = useStage();
  // Where all of them are of one round, the head says which this is.
  const isMixed = others.some(({ runId }) => runId !== question.runId);
  const count = isMixed ? `1 of ${others.length + 1} questions. ` : "";
  return (
    <div class="queue">
      <p role="status">{others.length > 0 && `${count}Also waiting:`}</p>
      {others.length > 0 && (
        <ul>
          {others.slice(0, 5).map((other) => (
            <li key={other.id}>
              <button type="button" class="quiet" onClick={() => bringBack(stage, other)}>
                <span>
                  {/* Who asks is above already, for those who see it. */}
                  <span class={other.runId === question.runId ? "unseen" : undefined}>
                    <Told text={other.asker} most={40} />
                    {other.runId === question.runId && ", "}
                  </span>
                  {other.runId === question.runId && <Told text={other.key} most={30} />}
                </span>
              </button>
            </li>
          ))}
          {others.length > 5 && <li>and {others.length - 5} more</li>}
        </ul>
      )}
    </div>
  );
}
