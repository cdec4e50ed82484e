/**
 * The records in the log of a run: their types, and what a list of records says about the run.
 *
 * `run-log.ts` appends them, `run-repository.ts` encrypts and stores them.
 */
import { omitUndefined, type Client, type JournalEntry, type Round } from "@photon/core";
import type { Revision } from "../protocol/revisions.ts";
import type { ErrorResponse, Params, RequestId, JsonObject } from "../jsonrpc/messages.ts";
import { errorResponse, RetryableError, RpcError } from "../jsonrpc/errors.ts";

/** The call that started a run: enough to start it again in any process. */
export interface CallHeader {
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly subject: string;
  /** The params that belong to the call, and not to one request. */
  readonly params: Params;
  readonly principal: string;
  /** Whose limits the run counts for: the principal, or its network address where it has no name. */
  readonly owner?: string;
  readonly client: Client;
  readonly revision: Revision;
  /** The session of the call, if the session outlasts its connection. */
  readonly session?: SessionRef;
}

export interface SessionRef {
  readonly id: string;
  readonly request: RequestId;
  readonly calledAt: number;
  readonly progressToken?: RequestId | undefined;
}

export type RunResult = { readonly result: JsonObject } | { readonly error: ErrorResponse["error"] };

/**
 * - `head`: the first record, with the call.
 * - `answersDigest`: the digest of answers that a request brought. Other answers to the same round come too late.
 * - `restarted`: the body starts from the beginning, after the user has opened the URL that it required.
 * - `handedOver`: the call was handed over: its client got a text in place of the result.
 * - `reconnectedTo`: the process to which the client of a session has reconnected; other processes stop working on the run.
 * - `ending`: the last record, with the result or error.
 */
export type LogRecord =
  | { readonly head: CallHeader }
  | { readonly answersDigest: string }
  | { readonly restarted: true }
  | { readonly handedOver: true }
  | { readonly reconnectedTo: string }
  | { readonly ending: RunResult }
  | JournalEntry;

const NOT_ENTRIES: ReadonlySet<string> = new Set([
  "head",
  "answersDigest",
  "restarted",
  "handedOver",
  "reconnectedTo",
  "ending",
]);

const isEntry = (record: LogRecord): record is JournalEntry =>
  !Object.keys(record).some((key) => NOT_ENTRIES.has(key));

/** The entries of core's journal since the body last started from the beginning. */
export function entriesIn(records: readonly LogRecord[]): readonly JournalEntry[] {
  const start = records.findLastIndex((record) => "restarted" in record) + 1;
  return records.slice(start).filter(isEntry);
}

export function endingIn(records: readonly LogRecord[]): RunResult | undefined {
  const last = records.at(-1);
  return last !== undefined && "ending" in last ? last.ending : undefined;
}

/** The keys of secrets that were given before, and are asked for again because no process knows their value. */
export function lostSecrets(round: Round, entries: readonly JournalEntry[]): readonly string[] {
  const given = entries.flatMap((entry) => ("secret" in entry ? [entry.key] : []));
  return Object.values(round).flatMap(({ key, attempt }) =>
    given.filter((other) => other === key).length >= attempt ? [key] : [],
  );
}

/** What has happened to a round since its client was asked, by the records since then. */
export interface SinceAsked {
  readonly isUntouched: boolean;
  /** The digest of the answers that a request brought first. */
  readonly answersDigest: string | undefined;
  /** The keys of the questions that were replied to. */
  readonly answered: ReadonlySet<string>;
}

export function sinceAsked(records: readonly LogRecord[]): SinceAsked {
  const first = records.find((record) => !("reconnectedTo" in record));
  return {
    isUntouched: first === undefined,
    answersDigest: first !== undefined && "answersDigest" in first ? first.answersDigest : undefined,
    answered: new Set(records.flatMap((record) => ("key" in record ? [record.key] : []))),
  };
}

/** The params of a call without those of one request, such as its `_meta`. */
export function ownParams({ name, uri, arguments: input }: Params): Params {
  return omitUndefined({ name, uri, arguments: input });
}

/** Whether an error ends its run: an error that is never sent to a client does not, nor one after which the client retries. */
export const isFinalError = (error: unknown): error is RpcError =>
  error instanceof RpcError && !(error instanceof RetryableError);

export function encodeError(problem: RpcError): Pick<ErrorResponse, "error"> {
  const { error } = errorResponse(undefined, problem);
  return { error };
}

export function decodeError({ error }: Pick<ErrorResponse, "error">): RpcError {
  const { code, message, data } = error;
  return new RpcError(code, message, data);
}
