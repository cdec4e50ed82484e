/** The middle, below: the runs, and what happened in the one that is looked at. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { shownRun, useStage } from "../stage.ts";
import { RunTabs, tabId } from "./run-tabs.tsx";
import { RunView } from "./run-view.tsx";

export function RunsPane(): JSX.Element | null {
  const stage = useStage();
  const run = shownRun(stage);
  const pane = useRef<HTMLElement>(null);
  const newest = stage.desk.runs.value[0]?.id;
  const before = useRef(newest);
  useEffect(() => {
    // On a narrow screen what was begun is below the form. What a reload brought back is no reason to go there.
    if (newest !== undefined && newest !== before.current) pane.current?.scrollIntoView({ block: "start" });
    before.current = newest;
  }, [newest]);
  if (run === undefined) return null;
  return (
    <section class="runs" aria-label="Runs" ref={pane}>
      <RunTabs />
      <div id="run-panel" class="run-panel" role="tabpanel" aria-labelledby={tabId(run)} tabIndex={-1}>
        <RunView key={run.id} run={run} />
      </div>
    </section>
  );
}
