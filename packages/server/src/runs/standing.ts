import type { LogRecord } from "./records.ts";

/** What has become of a run since somebody was asked. */
export interface Standing {
  /** Whether nothing has. */
  readonly isUntouched: boolean;
  /** The digest of the answers that were brought first, if they came through a client. */
  readonly taken: string | undefined;
  /** The keys of questions that were replied to. */
  readonly answered: ReadonlySet<string>;
}

/** From the records that have come since. */
export function standing(since: readonly LogRecord[]): Standing {
  const [first] = since;
  return {
    isUntouched: first === undefined,
    taken: first !== undefined && "taken" in first ? first.taken : undefined,
    answered: new Set(since.flatMap((record) => ("key" in record ? [record.key] : []))),
  };
}
