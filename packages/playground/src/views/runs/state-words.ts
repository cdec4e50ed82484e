import type { RunState } from "../../desk/run.ts";
import type { IconName } from "../parts/icons.tsx";

export const STATE_WORDS: { readonly [state in RunState["state"]]: string } = {
  running: "running",
  asking: "asks something",
  waiting: "waits for the connection",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

export const STATE_ICONS: { readonly [state in RunState["state"]]: IconName } = {
  running: "running",
  asking: "question",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

export const isOver = (state: RunState): state is Extract<RunState, { readonly ended: number }> =>
  "ended" in state;
