/**
 * A client takes a limited number of rounds of questions in one call (`limits.roundsPerCall`). Before the next round the call ends
 * with a text for the model, which continues it with `photon_continue`.
 */
import { PhotonError } from "@photon/core";
import type { ServerContext } from "../context.ts";
import {
  continuesCalls,
  formatOwnedRun,
  formatStoredRun,
  isContinueTool,
} from "../handover/continue-tools.ts";
import { continueText, handoverResult, textResult } from "../handover/model-text.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { RequestAttempt } from "./pending-request.ts";
import type { StatelessCall } from "./stateless-call.ts";

/** Tools that ask more rounds than this in one run are reported: known clients take ten in one call. */
const MANY_ROUNDS = 8;

/** The number of rounds that the client accepts in one call. Only calls of tools can be continued in another call. */
export function maxRounds(
  context: ServerContext,
  { method, meta }: Pick<RequestAttempt, "method" | "meta">,
): number {
  if (method !== "tools/call" || meta.takesAnyRounds || !continuesCalls(context))
    return Number.POSITIVE_INFINITY;
  return Math.max(1, context.settings.limits.roundsPerCall);
}

export function reportManyRounds({ settings }: ServerContext, tool: string, round: number): void {
  if (round === MANY_ROUNDS + 1) settings.report(new TooManyRoundsWarning(tool, MANY_ROUNDS));
}

/** The result of a call that `photon_continue` continues. `params`: of the request that gets it. */
export function continueResult(
  { runs, catalog }: ServerContext,
  { runId, clientPort }: Pick<StatelessCall, "runId" | "clientPort">,
  { params }: Pick<RequestAttempt, "params">,
): JsonObject {
  const { name, durable, features } = clientPort;
  const log = durable?.log;
  const inStore = log?.isHandedOver === true ? formatStoredRun(log) : runId;
  const text = continueText(name, log === undefined ? formatOwnedRun(runId, runs?.process) : inStore);
  const tool = catalog.tools.find(name);
  if (tool === undefined) return textResult(text);
  return handoverResult(text, tool, { features, continuesRun: isContinueTool(params["name"]) });
}

/** A warning: the run continues. */
class TooManyRoundsWarning extends PhotonError {
  override readonly name = "TooManyRoundsWarning";
  readonly code = "MANY_ROUNDS";

  constructor(tool: string, manyRounds: number) {
    super(
      `${tool} has asked more than ${manyRounds} rounds of questions in one run; clients of 2026-07-28 accept 10 in one call, and their model has to continue it after that. Ask what can be asked together with ask.all.`,
    );
  }
}
