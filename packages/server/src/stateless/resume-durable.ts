/**
 * Continues a call of 2026-07-28 whose run is in a store, for a request that brings its state.
 *
 *   1. The process that continues a run holds its lease meanwhile.
 *   2. Answers count where the run was not touched since its client was asked. The same answers once more are given the outcome
 *      of the first time; other answers come too late.
 *   3. A call that waits in this process is resumed, if its log has not grown since. Otherwise it is dropped, and the run is
 *      replayed from its log.
 */
import { featuresOf } from "../protocol/revisions.ts";
import { asRetryable, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import { type LogRecord, decodeError, sinceAsked } from "../durable/log-records.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import type { StatelessCall, RoundAnswers } from "./stateless-call.ts";
import type { RequestAttempt } from "./request-attempt.ts";
import type { CallRef, ParkedCalls } from "./parked-calls.ts";
import { toReplies, type InputResponses } from "./input-responses.ts";
import { callGone, invalidState, type RequestState } from "./request-state.ts";

/** A request for a call whose run is in a store. */
interface StoredRequest {
  readonly call: CallRef;
  readonly state: RequestState;
  readonly responses: InputResponses;
  readonly attempt: RequestAttempt;
  /** A digest of the answers. */
  readonly answers: string;
  /** How many records the log had when the client was asked. */
  readonly logged: number;
  /** Settles when this process no longer works on the run without its client, where it does. */
  readonly unattended: Promise<void> | undefined;
  /** Starts the call from its log, with the answers that are not in there. */
  readonly begin: (leased: LeasedLog, left: InputResponses) => void;
}

type StoredSettings = Pick<Settings, "clock" | "singleUse">;

/** Continues the call; its outcome is given to the request. */
export function resumeStored(
  request: StoredRequest,
  runs: RunRepository,
  parkedCalls: ParkedCalls,
  settings: StoredSettings,
): void {
  const { call, attempt } = request;
  const resume = async (): Promise<void> => {
    // An earlier request of the same call may have gone, and the call is being detached for it.
    await parkedCalls.find(call.runId)?.settled;
    await request.unattended;
    await withLease(call.runId, runs, async (release) => {
      if (isOver(attempt)) return release();
      const parked = parkedCalls.find(call.runId);
      if (parked !== undefined && (await resumeParked(request, parked, release, settings))) return;
      await parked?.yieldToNewer();
      await replay(request, runs, release, settings);
    });
  };
  resume().catch((error: unknown) => attempt.refuse(asRetryable(error) ?? error));
}

/** Continues a call from the log of its run, for a request that waits already, with the answers that are not in the log. */
export function followStored(
  attempt: RequestAttempt,
  { runId }: CallRef,
  answers: RoundAnswers | undefined,
  runs: RunRepository,
  begin: (leased: LeasedLog, left: InputResponses | undefined) => void,
): void {
  withLease(runId, runs, async (release) => {
    const log = await runs.find(runId);
    if (log === undefined) throw callGone();
    if (isOver(attempt) || giveEnding(log, attempt)) return release();
    const left = answers && unrecorded(answers.responses, await runs.read(runId, answers.logged));
    if (isOver(attempt)) return release();
    begin({ log, release }, left);
  }).catch((error: unknown) => attempt.refuse(asRetryable(error) ?? error));
}

/** The answers to questions that were not replied to in these records. */
function unrecorded(responses: InputResponses, records: readonly LogRecord[]): InputResponses {
  const { answered } = sinceAsked(records);
  return Object.fromEntries(Object.entries(responses).filter(([key]) => !answered.has(key)));
}

/** Resumes the call that waits here, unless its run was continued elsewhere. Says whether it did. */
async function resumeParked(
  { state, responses, attempt, answers }: StoredRequest,
  parked: StatelessCall,
  release: () => Promise<void>,
  { clock }: StoredSettings,
): Promise<boolean> {
  const { durable, waiting } = parked;
  if (durable === undefined || waiting === undefined || !parked.waitsFor(state)) return false;
  if (await durable.log.refresh()) return false;
  const replies = toReplies(waiting.round, responses, featuresOf(attempt.envelope.revision), clock.now());
  await durable.acquire(release);
  // The server may have closed meanwhile, and told the client to send the request again: another process may work on the run.
  if (attempt.isEnded || attempt.isAbandoned) {
    await durable.rest();
    return isOver(attempt);
  }
  durable.log.noteAnswers(answers);
  parked.resume(attempt, replies, responses);
  return true;
}

/** Starts the call from its log; where the run has ended, the request is given its end. */
async function replay(
  { call, responses, attempt, answers, logged, begin }: StoredRequest,
  runs: RunRepository,
  release: () => Promise<void>,
  { singleUse }: StoredSettings,
): Promise<void> {
  const log = await runs.find(call.runId);
  if (log === undefined) throw callGone();
  const records = await runs.read(call.runId, logged);
  const { answersDigest, isUntouched } = sinceAsked(records);
  if (answersDigest !== undefined && (singleUse || answersDigest !== answers)) throw invalidState();
  if (isOver(attempt) || giveEnding(log, attempt)) return release();
  if (isUntouched) log.noteAnswers(answers);
  begin({ log, release }, unrecorded(responses, records));
}

/** Acquires the lease of a run. Where an error keeps the call from starting, the lease is released. */
async function withLease(
  run: string,
  runs: RunRepository,
  act: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const release = await runs.acquireLease(run);
  try {
    await act(release);
  } catch (error) {
    await release();
    throw error;
  }
}

/** Whether the request needs nothing more. Throws where its client has gone, which cancels it. */
function isOver(attempt: RequestAttempt): boolean {
  if (attempt.isAbandoned) throw new RpcError(INVALID_REQUEST, "The request was cancelled.");
  return attempt.isEnded;
}

/** Gives the request the end of the run, where it has ended. */
function giveEnding({ ending }: RunLog, attempt: RequestAttempt): boolean {
  if (ending === undefined) return false;
  if ("result" in ending) attempt.finish(ending.result);
  else attempt.fail(decodeError(ending));
  return true;
}
