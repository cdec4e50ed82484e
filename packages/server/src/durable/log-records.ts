/** What the log of a run has in it, in the order it happened. */
import type { Client, JournalEntry } from "@photon/core";
import type { Revision } from "../protocol/revisions.ts";
import { omitUndefined } from "../util/omit-undefined.ts";
import type { ErrorResponse, Params, RequestId, JsonObject } from "../jsonrpc/messages.ts";
import { errorResponse, RetryableError, RpcError } from "../jsonrpc/errors.ts";

/** The call that a run is of: enough to begin it again, anywhere. */
export interface CallHeader {
  readonly method: string;
  /** What is called, for people. */
  readonly subject: string;
  /** What it was called with, and nothing that belongs to one request only. */
  readonly params: Params;
  readonly principal: string;
  /** Whose limits the run counts for: the principal, or its network address where it has no name. */
  readonly owner?: string;
  readonly client: Client;
  readonly revision: Revision;
  /** The session it belongs to, if there is one that outlasts its connection. */
  readonly session?: SessionRef;
}

/** A call as one of a session's. */
export interface SessionRef {
  readonly id: string;
  readonly request: RequestId;
  /** When it was made. */
  readonly at: number;
  readonly token?: RequestId | undefined;
}

/** What a run has come to. */
export type RunResult = { readonly result: JsonObject } | { readonly error: ErrorResponse["error"] };

/**
 * - `head`: the first record, with the call.
 * - `taken`: the digest of answers that a request brought. Other answers to the same round come too late.
 * - `again`: the body starts from the beginning, after the user has opened the URL that it required.
 * - `handed`: the call was handed over: its client got a text in place of the result.
 * - `returned`: the client of a session has reconnected to this process; other processes stop working on the run.
 * - `ending`: the last record, with the result or error.
 */
export type LogRecord =
  | { readonly head: CallHeader }
  | { readonly taken: string }
  | { readonly again: true }
  | { readonly handed: true }
  | { readonly returned: string }
  | { readonly ending: RunResult }
  | JournalEntry;

/** What a call is made with, and no single request of it. */
export function ownParams({ name, uri, arguments: given }: Params): Params {
  return omitUndefined({ name, uri, arguments: given });
}

/** What has become of a round since a client was told of it, from the records since then. */
export interface SinceAsked {
  readonly isUntouched: boolean;
  /** The digest of the answers that a request brought first. */
  readonly answersDigest: string | undefined;
  /** The keys of the questions that were replied to. */
  readonly answered: ReadonlySet<string>;
}

export function sinceAsked(records: readonly LogRecord[]): SinceAsked {
  const first = records.find((record) => !("returned" in record));
  return {
    isUntouched: first === undefined,
    answersDigest: first !== undefined && "taken" in first ? first.taken : undefined,
    answered: new Set(records.flatMap((record) => ("key" in record ? [record.key] : []))),
  };
}

/** The end of a run that has failed: the error that its client gets. */
type Failure = Pick<ErrorResponse, "error">;

/** Whether something that was thrown is the end of its run: an interruption is not, nor what no client is told. */
export const isFinalError = (thrown: unknown): thrown is RpcError =>
  thrown instanceof RpcError && !(thrown instanceof RetryableError);

export function encodeError(problem: RpcError): Failure {
  const { error } = errorResponse(undefined, problem);
  return { error };
}

/** The same, read. */
export function decodeError({ error }: Failure): RpcError {
  const { code, message, data } = error;
  return new RpcError(code, message, data);
}
