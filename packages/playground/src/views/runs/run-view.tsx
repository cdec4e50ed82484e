import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Progress, Run } from "../../desk/run.ts";
import { linkTo } from "../address.ts";
import { clip, pretty, spanOf } from "../parts/clip.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icons.tsx";
import { keepFocus } from "../parts/keep-focus.ts";
import { LongText } from "../parts/long-text.tsx";
import { Told } from "../parts/told.tsx";
import { choose, useStage } from "../stage.ts";
import { bringBack } from "../wanted.ts";
import { isOver, STATE_ICONS, STATE_WORDS } from "./state-words.ts";
import { Timeline } from "./timeline.tsx";
import { LOG_LEVELS, type LeastLevel } from "./log-levels.ts";

export function RunView({ run }: { readonly run: Run }): JSX.Element {
  const least = useSignal<LeastLevel>("debug");
  const progress = run.progress.value;
  return (
    <>
      <RunHead run={run} />
      {progress !== undefined && !isOver(run.state.value) && <ProgressBar progress={progress} />}
      {Object.keys(run.given).length > 0 && (
        <details class="given">
          <summary>Input</summary>
          <LongText text={pretty(run.given)} name="input.json" mono />
        </details>
      )}
      <LevelFilter run={run} value={least.value} onChange={(level) => (least.value = level)} />
      <Timeline run={run} least={least.value} />
    </>
  );
}

function RunHead({ run }: { readonly run: Run }): JSX.Element {
  const stage = useStage();
  const state = run.state.value;
  return (
    <header class="run-head">
      <h2>
        <span class={`run-state state-${state.state}`}>
          <Icon name={STATE_ICONS[state.state]} /> {STATE_WORDS[state.state]}
        </span>{" "}
        <span class="run-facts">
          <Told text={run.offer.name} most={80} /> · <span>{new Date(run.began).toLocaleTimeString()}</span>
          {isOver(state) && (
            <>
              {" · "}
              <span>{spanOf(state.ended - run.began)}</span>
            </>
          )}
          {" · "}
          <span>{run.isTakenUp ? "from the inbox" : run.revision}</span>
        </span>
      </h2>
      <div class="run-actions">
        {state.state === "asking" && <AnswerButton run={run} />}
        {!isOver(state) && (
          <button type="button" class="quiet" onClick={() => goOnAfter(() => stage.desk.cancel(run))}>
            <Icon name="stop" /> {run.isTakenUp ? "Leave it" : "Cancel"}
          </button>
        )}
        {!run.isTakenUp && <RepeatButtons run={run} />}
        {isOver(state) && (
          <button type="button" class="quiet" onClick={() => goOnAfter(() => stage.desk.forget(run))}>
            <Icon name="close" /> Forget
          </button>
        )}
      </div>
    </header>
  );
}

/** To call the same once more, as it was or otherwise. */
function RepeatButtons({ run }: { readonly run: Run }): JSX.Element {
  const stage = useStage();
  return (
    <>
      <button type="button" class="quiet" onClick={() => (stage.runId.value = stage.desk.again(run).id)}>
        <Icon name="again" /> Run again
      </button>
      <button type="button" class="quiet" onClick={() => choose(stage, run.offer, run.given)}>
        Edit input
      </button>
      <CopyButton label="Copy link" icon="link" text={() => linkTo(run.offer, run.given)} />
    </>
  );
}

/** Does what takes away the button that does it. */
function goOnAfter(act: () => void): void {
  act();
  keepFocus();
}

/** Back to a question that was set aside. */
function AnswerButton({ run }: { readonly run: Run }): JSX.Element | null {
  const stage = useStage();
  const question = stage.desk.questions.value.find(
    ({ runId, waitsFor }) => runId === run.id && waitsFor !== "server",
  );
  if (question === undefined) return null;
  return (
    <button type="button" class="primary" onClick={() => bringBack(stage, question)}>
      <Icon name="question" /> Answer
    </button>
  );
}

function ProgressBar({ progress: { part, message } }: { readonly progress: Progress }): JSX.Element {
  const percent = part === undefined ? undefined : Math.round(part * 100);
  return (
    <div class="progress">
      <progress aria-label="Progress" max={1} value={part} />
      <span class="progress-words">
        {[percent === undefined ? "" : `${percent} %`, clip(message, 200)].filter(Boolean).join(" · ")}
      </span>
    </div>
  );
}

function LevelFilter({
  run,
  value,
  onChange,
}: {
  readonly run: Run;
  readonly value: LeastLevel;
  readonly onChange: (level: LeastLevel) => void;
}): JSX.Element | null {
  if (!run.timeline.value.some(({ kind }) => kind === "log")) return null;
  return (
    <label class="level-filter">
      Logs{" "}
      <select
        value={value}
        onChange={({ currentTarget }) =>
          onChange(LOG_LEVELS.find(({ level }) => level === currentTarget.value)?.level ?? "debug")
        }
      >
        {LOG_LEVELS.map(({ level, words }) => (
          <option key={level} value={level}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
