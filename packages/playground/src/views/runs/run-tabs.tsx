/** All runs, the newest first, each with its state; a badge where one asks. */
import type { JSX, TargetedKeyboardEvent } from "preact";
import type { Run } from "../../desk/run.ts";
import { clip } from "../parts/clip.ts";
import { Icon } from "../parts/icons.tsx";
import { shownRun, useStage } from "../stage.ts";
import { STATE_ICONS, STATE_WORDS } from "./state-words.ts";

export function RunTabs(): JSX.Element {
  const stage = useStage();
  const runs = stage.desk.runs.value;
  const shown = shownRun(stage);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const at = runs.findIndex((run) => run === shown);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: runs.length - 1 }[event.key];
    const run = next === undefined ? undefined : runs[next];
    if (run === undefined) return;
    event.preventDefault();
    stage.runId.value = run.id;
    document.querySelector<HTMLElement>(`#${CSS.escape(tabId(run))}`)?.focus();
  };
  return (
    <div class="run-tabs" role="tablist" aria-label="Runs" onKeyDown={onKeyDown}>
      {runs.map((run) => (
        <RunTab key={run.id} run={run} isShown={run === shown} onShow={() => (stage.runId.value = run.id)} />
      ))}
    </div>
  );
}

export const tabId = (run: Run): string => `run-tab-${run.id}`;

function RunTab({
  run,
  isShown,
  onShow,
}: {
  readonly run: Run;
  readonly isShown: boolean;
  readonly onShow: () => void;
}): JSX.Element {
  const { state } = run.state.value;
  return (
    <button
      type="button"
      role="tab"
      id={tabId(run)}
      class={`run-tab state-${state}`}
      aria-selected={isShown}
      aria-controls={isShown ? "run-panel" : undefined}
      tabIndex={isShown ? 0 : -1}
      title={`${clip(run.offer.name)}, begun ${new Date(run.began).toLocaleTimeString()}`}
      onClick={onShow}
    >
      <Icon name={STATE_ICONS[state]} />
      <span>{clip(run.offer.title ?? run.offer.name, 40)}</span>
      <span class="unseen">, {STATE_WORDS[state]}</span>
    </button>
  );
}
