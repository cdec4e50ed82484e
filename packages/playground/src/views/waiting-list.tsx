/** What the server keeps for whoever is here, and was asked elsewhere: to be answered here. */
import { Fragment, type JSX } from "preact";
import type { WaitingRun } from "../client/waiting.ts";
import { Icon } from "./parts/icons.tsx";
import { Told } from "./parts/told.tsx";
import { useStage } from "./stage.ts";

/** So many questions of a run are named; it may have asked any number at once. */
const FIRST = 5;

export function WaitingList(): JSX.Element {
  const waiting = useStage().desk.waiting.value;
  const count = waiting.length;
  const words = count === 1 ? "1 run waits for an answer" : `${count} runs wait for an answer`;
  return (
    <>
      <p class="unseen" role="status">
        {count > 0 && words}
      </p>
      {count > 0 && (
        <section class="waiting" aria-label="Waiting">
          <details open>
            <summary>
              Waiting <span class="count">{count}</span>
            </summary>
            <ul>
              {waiting.map((one) => (
                <WaitingItem key={one.run} waiting={one} />
              ))}
            </ul>
          </details>
        </section>
      )}
    </>
  );
}

function WaitingItem({ waiting }: { readonly waiting: WaitingRun }): JSX.Element {
  const stage = useStage();
  const { run, tool, since, questions } = waiting;
  const expires = Math.min(...questions.flatMap(({ details: { deadline } }) => deadline ?? []));
  const takeUp = (): void => {
    stage.runId.value = stage.desk.takeUp(waiting).id;
    stage.pane.value = "call";
  };
  const id = `waiting-${run}`;
  return (
    <li>
      <div id={id} class="waiting-words">
        <strong>
          <Told text={tool} most={80} />
        </strong>{" "}
        asks:{" "}
        {questions.slice(0, FIRST).map(({ key, message }) => (
          <Fragment key={key}>
            <Told text={message} most={200} />{" "}
          </Fragment>
        ))}
        {questions.length > FIRST && `and ${questions.length - FIRST} more `}
        <span class="waiting-facts">
          since {momentOf(since)}
          {Number.isFinite(expires) && `, until ${momentOf(expires)}`}
        </span>
      </div>
      <button type="button" aria-describedby={id} onClick={takeUp}>
        <Icon name="question" /> Answer
      </button>
    </li>
  );
}

const momentOf = (time: number): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
