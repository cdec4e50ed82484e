import type { RunOptions } from "../runtime/run.ts";

/** What would differ from run to run, made the same in every test: the run's id, chance, UUIDs. */
export function sameEveryTime(): Pick<Required<RunOptions>, "runId" | "random" | "uuid"> {
  let uuids = 0;
  return {
    runId: "test-run",
    random: () => 0.5,
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}`,
  };
}
