/** Runs a body from its log, without its client, to the next question or to its end. */
import type { Runnable } from "@photon/core";
import { calls } from "../dispatch.ts";
import type { House } from "../house.ts";
import type { Performance } from "../calls/call-runner.ts";
import { Interrupted, interruptionOf, isMoved, rpcErrorOf } from "../jsonrpc/errors.ts";
import type { AbsentFront } from "./absent-front.ts";
import type { DurableCall } from "../durable/durable-call.ts";
import { type Ending, failureOf, type Head } from "../durable/log-records.ts";

export async function performAlone(house: House, durable: DurableCall, front: AbsentFront): Promise<void> {
  const { method, params } = durable.log.head;
  const performance = calls[method]?.({ house, features: front.features, params, front: () => front });
  if (performance === undefined) return;
  try {
    await durable.acquire();
    const ending = await endingOf(performance, front, house);
    if (ending !== undefined) await durable.end(ending);
  } catch (error) {
    await performance.detach();
    await performance.close();
    // The run continues elsewhere, or later.
    if (front.isClosed || isMoved(error)) return;
    throw error instanceof Interrupted ? error.cause : error;
  } finally {
    await durable.rest();
  }
}

/** How a run ends; nothing, where it comes to a question, which is left open in the store. */
async function endingOf(
  performance: Performance,
  front: AbsentFront,
  { places, settings }: House,
): Promise<Ending | undefined> {
  try {
    let stage = await performance.next();
    while ("round" in stage) {
      const { round } = stage;
      // The body is not closed for an open question: the run has not ended.
      const replies = front.refused(round) ?? (await front.openRound(round, places.lastMoment(round)));
      if (replies === undefined) return undefined;
      stage = await performance.next(replies);
    }
    return front.isLeft ? undefined : { result: stage.result };
  } catch (error) {
    const interruption = interruptionOf(error) ?? error;
    if (interruption instanceof Interrupted) throw interruption;
    return failureOf(rpcErrorOf(error, settings.report));
  }
}

/** Whether what is called is offered here, as something that can be replayed. */
export function offers({ catalog }: House, { method, params }: Head): boolean {
  const { name, uri } = params;
  let found: Runnable<never, unknown> | undefined;
  if (method === "resources/read" && typeof uri === "string") found = catalog.findResource(uri)?.resource;
  else if (typeof name === "string")
    found = method === "prompts/get" ? catalog.prompts.find(name) : catalog.tools.find(name);
  return found?.durable === true;
}
