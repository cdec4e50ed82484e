/** What happened in a run, in the order it happened. It follows what is new while its end is in sight. */
import type { JSX } from "preact";
import { useCallback } from "preact/hooks";
import type { Entry, Run } from "../../desk/run.ts";
import { Chunks } from "../parts/chunks.tsx";
import { useFollowing } from "../parts/use-following.ts";
import { EntryView } from "./entry-view.tsx";
import { isShown, type LeastLevel } from "./log-levels.ts";

export function Timeline({ run, least }: { readonly run: Run; readonly least: LeastLevel }): JSX.Element {
  const entries = run.timeline.value;
  const shown = least === "debug" ? entries : entries.filter((entry) => isShown(entry, least));
  const draw = useCallback((entry: Entry) => <EntryView entry={entry} run={run} />, [run]);
  const end = useFollowing(entries.length, ".run-panel");
  return (
    <div class="timeline">
      {entries.length === 0 && <p class="nothing">Nothing has happened yet.</p>}
      <Chunks items={shown} draw={draw} by={least} />
      <div ref={end} />
    </div>
  );
}
