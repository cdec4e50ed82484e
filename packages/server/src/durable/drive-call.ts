/**
 * The one driver of a call: runs its body from round to round, for a client on a session, a client whose requests stand alone, and
 * a run without a client. They differ in how they ask.
 */
import type { Replies, Round } from "@photon/core";
import type { CallRunner } from "../calls/call-runner.ts";
import type { ClientPort } from "../calls/client-port.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { DurableCall, LeasedLog } from "./durable-call.ts";

/** The client's side of a call whose run may be in the store. */
export interface DurableClientPort extends ClientPort {
  /** The run in the store; undefined where the store does not have it, or it was handed over. */
  readonly durable: DurableCall | undefined;
  /** Continues the run of another call, which was handed over, for this one. */
  adopt(leased: LeasedLog): void;
  /** The run waits in the store for another call: the answer to this call is not its end. */
  forgetRun(): void;
}

/** Asks a round. Undefined: the replies come later, and another `driveCall` continues with them. */
type AskRound = (round: Round) => Replies | undefined | Promise<Replies | undefined>;

/** Runs a call until it ends, or waits for replies that come later: then its result is undefined. */
export async function driveCall(
  runner: CallRunner,
  clientPort: Partial<Pick<DurableClientPort, "durable">> | undefined,
  ask: AskRound,
  replies?: Replies,
): Promise<JsonObject | undefined> {
  if (clientPort?.durable !== undefined) await clientPort.durable.acquire();
  let progress = await runner.next(replies);
  while ("round" in progress) {
    const asking = ask(progress.round);
    const replied = asking instanceof Promise ? await asking : asking;
    if (replied === undefined) return undefined;
    progress = await runner.next(replied);
  }
  const { result } = progress;
  if (clientPort?.durable !== undefined) await clientPort.durable.end({ result });
  return result;
}
