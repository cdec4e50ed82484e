/** What the server keeps for whoever is here, and was asked elsewhere: to be answered here, page by page. */
import { Fragment, type JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { WaitingRun } from "../client/waiting.ts";
import type { InboxView } from "../desk/inbox.ts";
import { Icon } from "./parts/icons.tsx";
import { Told } from "./parts/told.tsx";
import { AboutCall } from "./questions/about-call.tsx";
import { pageWords } from "./questions/page-words.ts";
import { useStage } from "./stage.ts";

/** So many questions of a run are named; it may have asked any number at once. */
const FIRST = 5;

export function WaitingList(): JSX.Element {
  const waiting = useStage().desk.waiting.value;
  const { runs, number, isMore } = waiting;
  const count = runs.length;
  const isPaged = isMore || number > 1;
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => list.current?.scrollTo(0, 0), [number]);
  return (
    <>
      <p class="unseen" role="status">
        {(count > 0 || isPaged) && inWords(waiting)}
      </p>
      {(count > 0 || isPaged) && (
        <section class="waiting" aria-label="Waiting">
          <details open>
            <summary>
              Waiting <span class="count">{isPaged ? inShort(waiting) : count}</span>
            </summary>
            <ul ref={list}>
              {runs.map((one) => (
                <WaitingItem key={one.run} waiting={one} />
              ))}
            </ul>
            {isPaged && <Turning waiting={waiting} />}
          </details>
        </section>
      )}
    </>
  );
}

const inShort = ({ runs, number, isMore }: InboxView): string =>
  number === 1 ? `${runs.length} and more` : `${runs.length} on page ${number}${isMore ? ", and more" : ""}`;

function inWords({ runs, number, isMore }: InboxView): string {
  const count = runs.length === 1 ? "1 run waits" : `${runs.length} runs wait`;
  const page = isMore || number > 1 ? `Page ${number}: ` : "";
  return `${page}${count} for an answer${isMore ? ", and there are more" : ""}`;
}

/** A button that leads nowhere is there all the same: whoever is at it with the keyboard stays where they are. */
function Turning({ waiting: { number, isMore, isTurning } }: { readonly waiting: InboxView }): JSX.Element {
  const { desk } = useStage();
  return (
    <nav class="waiting-pages" aria-label="Pages of what waits">
      <button type="button" aria-disabled={number === 1} onClick={() => desk.turnWaiting("previous")}>
        Previous
      </button>
      <span>{isTurning ? "Looking…" : `Page ${number}`}</span>
      <button type="button" aria-disabled={!isMore} onClick={() => desk.turnWaiting("next")}>
        Next
      </button>
    </nav>
  );
}

function WaitingItem({ waiting }: { readonly waiting: WaitingRun }): JSX.Element {
  const stage = useStage();
  const { run, tool, title, about, since, questions } = waiting;
  const expires = Math.min(...questions.flatMap(({ details: { deadline } }) => deadline ?? []));
  const elsewhere = questions.filter(({ wanted }) => wanted.by === "page");
  const isElsewhere = elsewhere.length === questions.length;
  const takeUp = (): void => {
    stage.runId.value = stage.desk.takeUp(waiting).id;
    stage.pane.value = "call";
  };
  const id = `waiting-${run}`;
  return (
    <li>
      <div id={id} class="waiting-words">
        <strong>
          <Told text={title ?? tool} most={80} />
        </strong>{" "}
        {title !== undefined && (
          <>
            (<Told text={tool} most={80} />){" "}
          </>
        )}
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
        {about !== undefined && <AboutCall about={about} most={300} />}
        {[...new Set(elsewhere.map(({ details }) => pageWords(details.ask)))].map((words) => (
          <div key={words}>{words}</div>
        ))}
      </div>
      <button type="button" aria-describedby={id} onClick={takeUp}>
        <Icon name="question" /> {isElsewhere ? "Refuse" : "Answer"}
      </button>
    </li>
  );
}

const momentOf = (time: number): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
