/**
 * A call of 2026-07-28 that a store keeps, and goes on with what a request brought.
 *
 *   1. Whoever goes on with it holds its run meanwhile: nobody else does, in any process.
 *   2. Answers count where nobody has gone on with the run since it was asked. The same answers once more are given what
 *      has come of them; others come too late.
 *   3. What waits in this process is resumed, if it is where the run is; else it is dropped, and the run is replayed.
 */
import { featuresOf } from "../mcp/revisions.ts";
import { INVALID_REQUEST, RpcError } from "../rpc/errors.ts";
import { problemIn } from "../runs/failure.ts";
import { interruptionOf } from "../runs/interrupted.ts";
import type { Ledger } from "../runs/ledger.ts";
import type { Ending } from "../runs/records.ts";
import type { Runs } from "../runs/runs.ts";
import { standing } from "../runs/standing.ts";
import type { Settings } from "../settings.ts";
import type { Conversation } from "./conversation.ts";
import type { Call } from "./place.ts";
import type { Leg } from "./leg.ts";
import type { Parking } from "./parking.ts";
import { repliesTo, type Responses } from "./replies.ts";
import { gone, invalidState, type State } from "./state.ts";

/** What a request brings to a call that a store keeps. */
interface BroughtToLog {
  readonly call: Call;
  readonly state: State;
  readonly responses: Responses;
  readonly leg: Leg;
  /** A digest of the answers. */
  readonly answers: string;
  /** How many records the log had when it was asked. */
  readonly logged: number;
  /** Settles when nobody goes on with it here without its client, where somebody does. */
  readonly unattended: Promise<void> | undefined;
  /** Begins it from its log, with the answers that are not in there. */
  readonly begin: (ledger: Ledger, left: Responses) => Conversation;
}

type StoredSettings = Pick<Settings, "clock" | "singleUse">;

/** Goes on with it; its leg is told what comes of that. */
export function goOnStored(
  brought: BroughtToLog,
  runs: Runs,
  parking: Parking,
  settings: StoredSettings,
): void {
  holding(brought, runs, parking, settings).catch((error: unknown) =>
    brought.leg.refuse(interruptionOf(error) ?? error),
  );
}

/** Holds the run for as long as the request goes on with it. */
async function holding(
  brought: BroughtToLog,
  runs: Runs,
  parking: Parking,
  settings: StoredSettings,
): Promise<void> {
  const { call, leg } = brought;
  // Whoever brought this before may have gone, and the body is being closed for it.
  await parking.find(call.runId)?.settled;
  await brought.unattended;
  const letGo = await runs.hold(call.runId);
  try {
    // Whoever has gone meanwhile has cancelled it.
    if (leg.isAbandoned) throw new RpcError(INVALID_REQUEST, "The request was cancelled.");
    const conversation =
      (await resumed(brought, parking, settings)) ?? (await replayed(brought, runs, parking, settings));
    await conversation?.settled;
  } finally {
    await letGo();
  }
}

/** The call that waits here, if nobody has gone on with its run elsewhere. */
async function resumed(
  { call, state, responses, leg, answers }: BroughtToLog,
  parking: Parking,
  { clock }: StoredSettings,
): Promise<Conversation | undefined> {
  const parked = parking.find(call.runId);
  const { waiting, ledger } = parked ?? {};
  if (parked?.isAt(state) !== true || waiting === undefined || ledger === undefined) return undefined;
  if ((await ledger.catchUp()).length > 0) return undefined;
  const replies = repliesTo(waiting.round, responses, featuresOf(leg.envelope.revision), clock.now());
  ledger.taken(answers);
  parked.resume(leg, replies);
  return parked;
}

/** The call as its log has it; nothing, where that has an end, which the leg is given. */
async function replayed(
  { call, responses, leg, answers, logged, begin }: BroughtToLog,
  runs: Runs,
  parking: Parking,
  { singleUse }: StoredSettings,
): Promise<Conversation | undefined> {
  const parked = parking.find(call.runId);
  if (parked !== undefined) await parking.giveWay(parked);
  const ledger = await runs.find(call.runId);
  if (ledger === undefined) throw gone();
  const { taken, answered, isUntouched } = standing(await runs.read(call.runId, logged));
  if (taken !== undefined && (singleUse || taken !== answers)) throw invalidState();
  if (ledger.ending !== undefined) {
    give(ledger.ending, leg);
    return undefined;
  }
  if (isUntouched) ledger.taken(answers);
  const left = Object.entries(responses).filter(([key]) => !answered.has(key));
  return begin(ledger, Object.fromEntries(left));
}

function give(ending: Ending, leg: Leg): void {
  if ("result" in ending) leg.finish(ending.result);
  else leg.fail(problemIn(ending));
}
