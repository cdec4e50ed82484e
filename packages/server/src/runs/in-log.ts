/** What is read from the records of a run. */
import type { Entry, Round } from "@photon/core";
import type { Ending, LogRecord } from "./records.ts";

/** The journal in a log: since the body last began from the start. */
export function entriesIn(records: readonly LogRecord[]): readonly Entry[] {
  const from = records.findLastIndex((record) => "again" in record) + 1;
  return records.slice(from).filter(isEntry);
}

const isEntry = (record: LogRecord): record is Entry =>
  !("head" in record || "taken" in record || "again" in record || "handed" in record || "ending" in record);

/** What of a round was given before, and is asked for again because nobody knows it any more. */
export function goneIn(round: Round, entries: readonly Entry[]): readonly string[] {
  const given = entries.flatMap((entry) => ("secret" in entry ? [entry.key] : []));
  return Object.values(round).flatMap(({ key, attempt }) =>
    given.filter((other) => other === key).length >= attempt ? [key] : [],
  );
}

export function endingIn(records: readonly LogRecord[]): Ending | undefined {
  const last = records.at(-1);
  return last !== undefined && "ending" in last ? last.ending : undefined;
}
