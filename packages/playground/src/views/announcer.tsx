/** What is said to those who do not see: that somebody is wanted, at once; how a run goes, now and then. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { clip } from "./parts/clip.ts";
import { isOver, STATE_WORDS } from "./runs/state-words.ts";
import { shownRun, useStage } from "./stage.ts";
import { wantedOf, waitingWords } from "./wanted.ts";

const PAUSE = 3000;

export function Announcer(): JSX.Element {
  const stage = useStage();
  const run = shownRun(stage);
  const state = run?.state.value;
  const progress = run?.progress.value?.message ?? "";
  const name = clip(run?.offer.title ?? run?.offer.name ?? "", 60);
  const ended = state !== undefined && isOver(state);
  const said =
    state === undefined ? "" : ended || progress === "" ? `${name}: ${STATE_WORDS[state.state]}` : progress;
  const wanted = wantedOf(stage);
  const newest = wanted.at(-1);
  // One that did not take the focus is behind a button.
  const isAside = newest !== undefined && stage.aside.value.has(newest.id);
  const where = isAside ? ` To answer, press "${waitingWords(wanted.length)}".` : "";
  return (
    <>
      <p class="unseen" role="status">
        {usePaced(clip(said), ended)}
      </p>
      <p class="unseen" role="alert">
        {newest === undefined ? "" : `${clip(`${newest.asker} asks: ${newest.message}`, 300)}${where}`}
      </p>
    </>
  );
}

/** A text that changes at most every few seconds, to the newest there is; at once where it matters. */
function usePaced(text: string, atOnce: boolean): string {
  const [paced, setPaced] = useState({ text: "", at: 0 });
  useEffect(() => {
    if (text === paced.text) return undefined;
    const wait = atOnce ? 0 : Math.max(0, paced.at + PAUSE - Date.now());
    const timer = setTimeout(() => setPaced({ text, at: Date.now() }), wait);
    return () => clearTimeout(timer);
  }, [text, atOnce, paced]);
  return paced.text;
}
