/** A run that goes on without its client: from its log to its next question, or to its end, and written down which. */
import type { Runnable } from "@photon/core";
import { calls } from "../dispatch.ts";
import type { House } from "../house.ts";
import type { Performance, Stage } from "../performance.ts";
import { rpcErrorOf } from "../rpc/errors.ts";
import type { AbsentFront } from "./absent-front.ts";
import { failureOf } from "./failure.ts";
import { Interrupted } from "./interrupted.ts";
import type { Ledger } from "./ledger.ts";
import type { Ending, Head } from "./records.ts";

export async function performAlone(house: House, ledger: Ledger, front: AbsentFront): Promise<void> {
  const { method, params } = ledger.head;
  const performance = calls[method]?.({ house, features: front.features, params, front: () => front });
  if (performance === undefined) return;
  try {
    const ending = await endingOf(performance, front, house);
    if (ending !== undefined && !front.isClosed) await ledger.ended(ending);
  } catch (error) {
    // It was interrupted: the body is closed, and the run is where it was.
    await front.close(error);
    await performance.close();
    throw error instanceof Interrupted ? error.cause : error;
  }
}

/** What a run comes to; nothing, where it comes to a question, which is left in the store. */
async function endingOf(
  performance: Performance,
  front: AbsentFront,
  { places, settings }: House,
): Promise<Ending | undefined> {
  let stage: Stage;
  try {
    stage = await performance.next();
    while ("round" in stage) {
      const refused = front.refused(stage.round);
      if (refused === undefined) break;
      stage = await performance.next(refused);
    }
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return failureOf(rpcErrorOf(error, settings.report));
  }
  if (front.isLeft) return undefined;
  if ("result" in stage) return { result: stage.result };
  // The body is not closed for it: that would tell it of an end that is none.
  await front.leave(stage.round, places.lastMoment(stage.round));
  return undefined;
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
