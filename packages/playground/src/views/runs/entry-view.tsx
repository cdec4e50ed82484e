import type { ComponentChildren, JSX } from "preact";
import type { Entry, Run } from "../../desk/run.ts";
import { ResultView } from "../content/result-view.tsx";
import { clip, inLine, pretty, spanOf } from "../parts/clip.ts";
import { Icon, type IconName } from "../parts/icons.tsx";
import { LongText } from "../parts/long-text.tsx";
import { Told } from "../parts/told.tsx";
import { Answered, Asked, isVisit, Withdrawn } from "./question-entries.tsx";

/** What is said in passing is cut sooner than a result. */
const IN_PASSING = 2000;

const STEPS: { readonly [state: string]: string } = { begun: "begun", done: "done", failed: "failed" };

export function EntryView({ entry, run }: { readonly entry: Entry; readonly run: Run }): JSX.Element {
  const row = (icon: IconName, body: ComponentChildren, style: string = entry.kind): JSX.Element => (
    <div class={`entry entry-${style}`}>
      <Icon name={icon} />
      <div class="entry-body">{body}</div>
      <time class="entry-time" dateTime={new Date(entry.at).toISOString()}>
        +{spanOf(entry.at - run.began)}
      </time>
    </div>
  );
  switch (entry.kind) {
    case "status":
    case "note":
      return row(entry.kind, <LongText text={entry.message} first={IN_PASSING} />);
    case "log":
      return row(
        "log",
        <Log entry={entry} />,
        `log level-${LEVELS.has(entry.level) ? entry.level : "other"}`,
      );
    case "step":
      return row(
        entry.state === "failed" ? "failed" : entry.state === "done" ? "done" : "step",
        <>
          Step{" "}
          <strong>
            <Told text={entry.step} />
          </strong>{" "}
          {STEPS[entry.state]}
        </>,
        `step step-${entry.state}`,
      );
    case "asked":
      return row("question", <Asked question={entry.question} />);
    case "answered":
      if (isVisit(entry.question, entry.answer))
        return row("open", <Answered question={entry.question} answer={entry.answer} />, "visited");
      return row(
        entry.answer.action === "accept" ? "done" : "cancelled",
        <Answered question={entry.question} answer={entry.answer} />,
        entry.answer.action === "accept" ? "answered" : "not-answered",
      );
    case "withdrawn":
      return row("cancelled", <Withdrawn question={entry.question} why={entry.why} />);
    case "result":
      return row(
        entry.result.isError ? "failed" : "done",
        <ResultView result={entry.result} />,
        entry.result.isError ? "error" : "result",
      );
    case "error":
      return row("failed", <Failure entry={entry} />);
    default:
      return entry satisfies never;
  }
}

const LEVELS = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);

function Log({ entry }: { readonly entry: Extract<Entry, { kind: "log" }> }): JSX.Element {
  const { level, logger, data } = entry;
  const isText = typeof data === "string";
  return (
    <>
      <span class="level">{clip(level, 20)}</span>{" "}
      {logger !== "" && <span class="logger">{clip(logger, 60)}</span>}
      <LongText text={isText ? data : inLine(data)} mono={!isText} first={IN_PASSING} />
    </>
  );
}

function Failure({ entry }: { readonly entry: Extract<Entry, { kind: "error" }> }): JSX.Element {
  return (
    <>
      <strong>Error{entry.code === undefined ? "" : ` ${entry.code}`}</strong>
      <LongText text={entry.message} />
      {entry.data !== undefined && (
        <details>
          <summary>Data</summary>
          <LongText text={pretty(entry.data)} name="error.json" mono />
        </details>
      )}
    </>
  );
}
