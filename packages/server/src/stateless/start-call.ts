import { calls } from "../methods.ts";
import type { ServerContext } from "../context.ts";
import { type RequestMeta, limitedClient } from "../protocol/request-meta.ts";
import { featuresOf } from "../protocol/revisions.ts";
import { METHOD_NOT_FOUND, RpcError } from "../jsonrpc/errors.ts";
import type { Params } from "../jsonrpc/messages.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import { type CallHeader, ownParams } from "../durable/log-records.ts";
import { StatelessCall } from "./stateless-call.ts";
import type { RequestAttempt } from "./request-attempt.ts";
import { StatelessClient } from "./stateless-client.ts";
import type { CallRef, ParkedCalls } from "./parked-calls.ts";
import type { InputResponses } from "./input-responses.ts";
import type { RequestState } from "./request-state.ts";
import type { CallRunner } from "../calls/call-runner.ts";

/** What is called. */
interface Called {
  readonly method: string;
  readonly params: Params;
  readonly envelope: RequestMeta;
}

/** What a call is begun with here: answers that came along; and what it continues from: the state of its client, or the log. */
interface StartOptions {
  readonly responses: InputResponses | undefined;
  readonly state?: RequestState;
  readonly leased?: LeasedLog;
}

/** Begins a call, for the first request of it that came here. */
export function startCall(
  called: Called,
  call: CallRef,
  attempt: RequestAttempt,
  { responses, state, leased }: StartOptions,
  context: ServerContext,
  parkedCalls: ParkedCalls,
): StatelessCall {
  const { method, params, envelope } = called;
  const statelessCall = new StatelessCall(call, parkedCalls, state);
  // Without a store nothing of the call is kept but the call itself.
  const isTool = method === "tools/call";
  const origin = { state, leased, head: context.runs && headOf(called, call), isTool };
  const make = (): RunningCall => {
    try {
      return createRunning();
    } catch (error) {
      // The call does not start: the run waits for another process.
      void leased?.release();
      throw error;
    }
  };
  const createRunning = (): RunningCall => {
    let made: StatelessClient | undefined;
    const runner = calls[method]?.({
      context,
      features: featuresOf(envelope.revision),
      params,
      limited: limitedClient(envelope),
      clientPort: (logger) => (made = new StatelessClient(statelessCall, envelope, context, logger, origin)),
    });
    if (runner === undefined || made === undefined) throw noMethod(method);
    return new RunningCall(runner, made);
  };
  if (state !== undefined) parkedCalls.add(statelessCall);
  statelessCall.begin(attempt, make, responses && { responses, state });
  return statelessCall;
}

/** What a store is told of a call, if it comes to that. A function of its own: what is parked holds on to no more than this. */
function headOf(
  { method, params, envelope }: Called,
  { subject, principal, account }: CallRef,
): () => CallHeader {
  const { client, revision } = envelope;
  const { name: owner } = account;
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
 * A call and its `ClientPort`.
 *
 * A class, not an object literal: where thousands of calls wait, V8 allocates objects of a literal in the old generation
 * (pretenuring), and each then retains its call until the next major garbage collection.
 */
export class RunningCall {
  readonly runner: CallRunner;
  readonly clientPort: StatelessClient;

  constructor(runner: CallRunner, clientPort: StatelessClient) {
    this.runner = runner;
    this.clientPort = clientPort;
  }
}
