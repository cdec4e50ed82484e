/**
 * Calls that their client has cancelled on a session, or by ending the session.
 *
 * The process that has claimed such a call is notified, and ends its run. That process may have died, so the store has a record of the
 * cancellation, and the next process that finds the run ends it.
 */
import { LATE_ANSWER_GRACE_MS } from "../calls/question-deadlines.ts";
import { INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { RequestId } from "../jsonrpc/messages.ts";
import { sha256 } from "../crypto/digest.ts";
import { encodeError } from "./log-records.ts";
import { RunMoved } from "../errors.ts";
import type { OpenRun, RunRepository } from "./run-repository.ts";

/** How much the wall clocks of two processes may differ: the process that records a cancellation need not be the one that was called. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Records that a session has ended. Idempotent. */
export async function recordSessionEnd(runs: RunRepository, session: string): Promise<void> {
  await runs.putIfAbsent(sessionName(session), "over", cancellationExpiry(runs));
}

export async function hasSessionEnded(runs: RunRepository, session: string): Promise<boolean> {
  return (await runs.get(sessionName(session))) !== undefined;
}

export async function recordCancel(runs: RunRepository, session: string, request: RequestId): Promise<void> {
  await runs.putIfAbsent(callName(session, request), String(runs.now()), cancellationExpiry(runs));
}

/** As long as a run of the call may be in the store: until its question expires, and for `maxWait` after that. */
const cancellationExpiry = (runs: RunRepository): number =>
  runs.retentionUntil(runs.retentionUntil() + LATE_ANSWER_GRACE_MS);

/** Whether the client has cancelled the call of a run. Then the run is ended, unless a process that is alive has claimed it. */
export async function endIfCancelled(runs: RunRepository, open: OpenRun): Promise<boolean> {
  const reason = await cancelReason(runs, open);
  if (reason === undefined) return false;
  if (!(await runs.isClaimed(open))) await endRun(runs, open.run, new RpcError(INVALID_REQUEST, reason));
  return true;
}

async function cancelReason(runs: RunRepository, { session }: OpenRun): Promise<string | undefined> {
  if (session === undefined) return undefined;
  const [hasEnded, cancelledAt] = await Promise.all([
    hasSessionEnded(runs, session.id),
    runs.get(callName(session.id, session.request)),
  ]);
  if (hasEnded) return "The session was closed.";
  // A client that uses a request id twice has not cancelled the call that it made later.
  const isCancelled =
    cancelledAt !== undefined && session.calledAt <= Number(cancelledAt) + MAX_CLOCK_SKEW_MS;
  return isCancelled ? "The client cancelled the call." : undefined;
}

/** Ends a run that this process does not work on, also if another process writes to it at the same time, and notifies the others. */
export async function endRun(runs: RunRepository, run: string, error: RpcError): Promise<void> {
  for (;;) {
    const log = await runs.find(run);
    if (log === undefined || log.ending !== undefined) return;
    try {
      await log.recordEnd(encodeError(error));
      return await runs.publishGrown(run);
    } catch (failure) {
      // Another process has appended a record since the log was read.
      if (!(failure instanceof RunMoved)) throw failure;
    }
  }
}

const sessionName = (session: string): string => `session over ${session}`;

/** A digest: the client chooses the request id, and the store sees names. */
const callName = (session: string, request: RequestId): string =>
  `call cancelled ${sha256(JSON.stringify([session, request]))}`;
