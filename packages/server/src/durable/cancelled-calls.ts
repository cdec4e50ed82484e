/**
 * Calls that their client has given up on a session: by ending it, or by cancelling them.
 *
 * The process that has claimed such a call is notified, and ends its run. That process may have died: so the store has a record of it,
 * and the next process that finds the run ends it.
 */
import { LATE_ANSWER_GRACE_MS } from "../calls/question-deadlines.ts";
import { INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { RequestId } from "../jsonrpc/messages.ts";
import { lazyNodeCrypto } from "../crypto/sealed-box.ts";
import { encodeError } from "./log-records.ts";
import { RunMoved } from "../errors.ts";
import type { OpenRun, RunRepository } from "./run-repository.ts";

const OVER = "The session was closed.";
const CANCELLED = "The client cancelled the call.";

/** How much the wall clocks of two processes may differ: the process that notes a cancellation need not be the one that was called. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Notes that a session is over. The same again changes nothing. */
export async function recordSessionEnd(runs: RunRepository, session: string): Promise<void> {
  await runs.once(overName(session), "over", untilForgotten(runs));
}

export async function hasSessionEnded(session: string, runs: RunRepository): Promise<boolean> {
  return (await runs.recall(overName(session))) !== undefined;
}

/** Notes that a call was cancelled. */
export async function recordCancel(runs: RunRepository, session: string, request: RequestId): Promise<void> {
  await runs.once(cancelledName(session, request), String(runs.now()), untilForgotten(runs));
}

/** As long as a run of it may be kept: until its question has waited for as long as one does, and for `maxWait` then. */
const untilForgotten = (runs: RunRepository): number =>
  runs.retentionUntil(runs.retentionUntil() + LATE_ANSWER_GRACE_MS);

/** A run that is open, unless its client has given it up: then it is ended, unless a process has claimed it. */
export async function dropIfCancelled(runs: RunRepository, open: OpenRun): Promise<OpenRun | undefined> {
  const why = await cancelReason(runs, open);
  if (why === undefined) return open;
  if (!(await runs.isLive(open))) await endRun(runs, open.run, new RpcError(INVALID_REQUEST, why));
  return undefined;
}

async function cancelReason(runs: RunRepository, { session }: OpenRun): Promise<string | undefined> {
  if (session === undefined) return undefined;
  const [over, cancelled] = await Promise.all([
    hasSessionEnded(session.id, runs),
    runs.recall(cancelledName(session.id, session.request)),
  ]);
  if (over) return OVER;
  // A call that was made after that is another, by a client that uses an id twice.
  return cancelled !== undefined && session.at <= Number(cancelled) + MAX_CLOCK_SKEW_MS
    ? CANCELLED
    : undefined;
}

/** Ends a run that this process does not work on, also where another process writes to it at the same time, and tells the others. */
export async function endRun(runs: RunRepository, run: string, error: RpcError): Promise<void> {
  for (;;) {
    const log = await runs.find(run);
    if (log === undefined || log.ending !== undefined) return;
    try {
      await log.recordEnd(encodeError(error));
      return await runs.publish({ grown: run }).catch(runs.report);
    } catch (failure) {
      // Each time another process has appended something: the run ends, by one of them.
      if (!(failure instanceof RunMoved)) throw failure;
    }
  }
}

const overName = (session: string): string => `session over ${session}`;

/** An id is whatever its client likes, and says nothing here. */
const cancelledName = (session: string, request: RequestId): string =>
  `call cancelled ${lazyNodeCrypto()
    .createHash("sha256")
    .update(JSON.stringify([session, request]))
    .digest("base64url")}`;
