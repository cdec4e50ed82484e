/**
 * Calls that their client has given up on a session: by ending it, or by cancelling them.
 *
 * Whoever has such a call live is told, and ends its run. Where that process has gone, nobody hears of it: so it is noted in
 * the store, and whoever comes upon the run ends it.
 */
import { INVALID_REQUEST } from "../rpc/errors.ts";
import type { RequestId } from "../rpc/message.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { RunMoved } from "./run-moved.ts";
import type { OpenRun, Runs } from "./runs.ts";

const OVER = "The session was closed.";
const CANCELLED = "The client cancelled the call.";

/** Notes that a session is over. The same again changes nothing. */
export async function noteOver(runs: Runs, session: string, until: number): Promise<void> {
  await runs.store.once(overName(session), "over", until);
}

export async function isOver(session: string, runs: Runs): Promise<boolean> {
  return (await runs.store.recall(overName(session))) !== undefined;
}

/** Notes that a call was cancelled. */
export async function noteCancelled(
  runs: Runs,
  session: string,
  request: RequestId,
  until: number,
): Promise<void> {
  await runs.store.once(cancelledName(session, request), String(runs.now()), until);
}

/** A run that is open, unless its client has given it up: then it is ended, as far as nobody has it live. */
export async function stillWanted(runs: Runs, open: OpenRun): Promise<OpenRun | undefined> {
  const why = await whyGivenUp(runs, open);
  if (why === undefined) return open;
  if (!(await runs.isLive(open))) await end(runs, open, why);
  return undefined;
}

async function whyGivenUp(runs: Runs, { session, since, way }: OpenRun): Promise<string | undefined> {
  // What was handed over is no call of a session any more: that was answered.
  if (session === undefined || way !== undefined) return undefined;
  const [over, cancelled] = await Promise.all([
    isOver(session.id, runs),
    runs.store.recall(cancelledName(session.id, session.request)),
  ]);
  if (over) return OVER;
  // What was asked after that is of another call, by a client that uses an id twice.
  return cancelled !== undefined && since <= Number(cancelled) ? CANCELLED : undefined;
}

async function end(runs: Runs, { run }: OpenRun, message: string): Promise<void> {
  const ledger = await runs.find(run);
  if (ledger === undefined || ledger.ending !== undefined) return;
  try {
    await ledger.ended({ error: { code: INVALID_REQUEST, message } });
  } catch (error) {
    // Somebody else has.
    if (!(error instanceof RunMoved)) throw error;
  }
}

const overName = (session: string): string => `session over ${session}`;

/** An id is whatever its client likes, and says nothing here. */
const cancelledName = (session: string, request: RequestId): string =>
  `call cancelled ${nodeCrypto()
    .createHash("sha256")
    .update(JSON.stringify([session, request]))
    .digest("base64url")}`;
