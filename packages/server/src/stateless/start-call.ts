import { calls } from "../methods.ts";
import type { House } from "../context.ts";
import { type Envelope, limitedClient } from "../protocol/request-meta.ts";
import { featuresOf } from "../protocol/revisions.ts";
import { METHOD_NOT_FOUND, RpcError } from "../jsonrpc/errors.ts";
import type { Params } from "../jsonrpc/messages.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import { type Head, ownParams } from "../durable/log-records.ts";
import { Conversation } from "./stateless-call.ts";
import type { Leg } from "./request-attempt.ts";
import { ModernFront } from "./stateless-client.ts";
import type { Call, Parking } from "./parked-calls.ts";
import type { Responses } from "./input-responses.ts";
import type { State } from "./request-state.ts";
import type { Performance } from "../calls/call-runner.ts";

/** What is called. */
interface Called {
  readonly method: string;
  readonly params: Params;
  readonly envelope: Envelope;
}

/** What a call is begun with here: answers that came along; and what it goes on from, which its client carried or a store has. */
interface With {
  readonly responses: Responses | undefined;
  readonly state?: State;
  readonly leased?: LeasedLog;
}

/** Begins a call, for the first request of it that came here. */
export function beginCall(
  called: Called,
  call: Call,
  leg: Leg,
  { responses, state, leased }: With,
  house: House,
  parking: Parking,
): Conversation {
  const { method, params, envelope } = called;
  const conversation = new Conversation(call, parking, state);
  // Without a store nothing of the call is kept but the call itself.
  const isTool = method === "tools/call";
  const origin = { state, leased, head: house.runs && headOf(called, call), isTool };
  const make = (): Acting => {
    try {
      return makeActing();
    } catch (error) {
      // The call does not start: the run waits for another process.
      void leased?.release();
      throw error;
    }
  };
  const makeActing = (): Acting => {
    let made: ModernFront | undefined;
    const performance = calls[method]?.({
      house,
      features: featuresOf(envelope.revision),
      params,
      limited: limitedClient(envelope),
      front: (logger) => (made = new ModernFront(conversation, envelope, house, logger, origin)),
    });
    if (performance === undefined || made === undefined) throw noMethod(method);
    return new Acting(performance, made);
  };
  if (state !== undefined) parking.enter(conversation);
  conversation.begin(leg, make, responses && { responses, state });
  return conversation;
}

/** What a store is told of a call, if it comes to that. A function of its own: what is parked holds on to no more than this. */
function headOf({ method, params, envelope }: Called, { subject, principal, account }: Call): () => Head {
  const { client, revision } = envelope;
  const { owner } = account;
  return () => ({
    method,
    subject,
    params: ownParams(params),
    principal,
    owner,
    client,
    revision,
  });
}

export const noMethod = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}.`);

/**
 * The call itself, and its client's side.
 *
 * A class: where thousands of calls wait, V8 comes to make in old memory at once what a literal makes, for every call. What
 * leads from there stays until all of memory is looked through, and from here that is the whole call.
 */
export class Acting {
  readonly performance: Performance;
  readonly front: ModernFront;

  constructor(performance: Performance, front: ModernFront) {
    this.performance = performance;
    this.front = front;
  }
}
