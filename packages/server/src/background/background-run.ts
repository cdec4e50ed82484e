/** Runs a body from its log, without its client, to the next question or to its end. */
import type { Capability, Client, OpenQuestion, Replies, Reply, Round, Run, Runnable } from "@photon/core";
import { calls } from "../methods.ts";
import type { ServerContext } from "../context.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import { RetryableError, asRetryable, isMoved, type RpcError, toRpcError } from "../jsonrpc/errors.ts";
import type { DurableCall } from "../durable/durable-call.ts";
import { type RunResult, encodeError, type CallHeader } from "../durable/log-records.ts";
import { type ClientPort, missingCapability } from "../calls/client-port.ts";
import { ANYWHERE, inputRequestFor } from "../protocol/input-requests.ts";
import { type Features, featuresOf } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";

export async function runInBackground(
  context: ServerContext,
  durable: DurableCall,
  clientPort: AbsentClient,
): Promise<void> {
  const { method, params } = durable.log.head;
  const performance = calls[method]?.({
    context,
    features: clientPort.features,
    params,
    clientPort: () => clientPort,
  });
  if (performance === undefined) return;
  try {
    await durable.acquire();
    const ending = await endingOf(performance, clientPort, context);
    if (ending !== undefined) await durable.end(ending);
  } catch (error) {
    await performance.detach();
    await performance.close();
    // The run continues elsewhere, or later.
    if (clientPort.isClosed || isMoved(error)) return;
    throw error instanceof RetryableError ? error.cause : error;
  } finally {
    await durable.rest();
  }
}

/** How a run ends; nothing, where it comes to a question, which is left open in the store. */
async function endingOf(
  performance: CallRunner,
  clientPort: AbsentClient,
  { waitingCalls: places, settings }: ServerContext,
): Promise<RunResult | undefined> {
  try {
    let stage = await performance.next();
    while ("round" in stage) {
      const { round } = stage;
      // The body is not closed for an open question: the run has not ended.
      const replies =
        clientPort.refused(round) ?? (await clientPort.openRound(round, places.answerableUntil(round)));
      if (replies === undefined) return undefined;
      stage = await performance.next(replies);
    }
    return clientPort.isLeft ? undefined : { result: stage.result };
  } catch (error) {
    const interruption = asRetryable(error) ?? error;
    if (interruption instanceof RetryableError) throw interruption;
    return encodeError(toRpcError(error, settings.report));
  }
}

/** Whether what is called is offered here, as something that can be replayed. */
export function canReplay({ catalog }: ServerContext, { method, params }: CallHeader): boolean {
  const { name, uri } = params;
  let found: Runnable<never, unknown> | undefined;
  if (method === "resources/read" && typeof uri === "string") found = catalog.findResource(uri)?.resource;
  else if (typeof name === "string")
    found = method === "prompts/get" ? catalog.prompts.find(name) : catalog.tools.find(name);
  return found?.durable === true;
}

/**
 * The client's side of a call whose client is not there: what is told goes nowhere, and what is asked waits in the store,
 * for the client to come back, or for somebody to answer by another way.
 *
 * The body must not see a difference: its client is the one that called, and what that could not be asked is not asked.
 */

export class AbsentClient implements ClientPort {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  readonly principal: string;
  readonly #durable: DurableCall;
  /** Whether what is asked now is in the log. */
  #isLogged = false;
  #isLeft = false;
  #run: Run<unknown> | undefined;
  #isDetached = false;
  /** What the client would have had to be able to do, by the key of the question. */
  readonly #lacking = new Map<string, Capability>();

  constructor(durable: DurableCall, settings: Settings) {
    const { revision, client, principal } = durable.log.head;
    this.features = featuresOf(revision, client.can.url);
    this.client = client;
    this.settings = settings;
    this.principal = principal;
    this.#durable = durable;
  }

  get isClosed(): boolean {
    return this.#isDetached;
  }

  /** Nobody is told anything, so nothing is put into words. */
  get hasNoClient(): boolean {
    return true;
  }

  /** Whether what it has come to is a question in the store, whatever the call was answered with. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  get canOpenUrlMidCall(): boolean {
    return this.features.since2607 && this.client.can.url;
  }

  options(definition: Runnable<never, unknown>): ReturnType<ClientPort["options"]> {
    this.#isLogged = definition.durable === true;
    return this.#isLogged ? this.#durable.options(definition) : { runId: this.#durable.log.run };
  }

  onRunStarted(run: Run<unknown>): void {
    this.#run = run;
    if (this.#isDetached) void run.detach();
  }

  /** Leaves the run to other processes. Resolves when the step under way has ended. */
  async detach(): Promise<void> {
    this.#isDetached = true;
    await this.#durable.detach(this.#run);
  }

  emit(): void {}

  step(): void {}

  supports(question: OpenQuestion): boolean {
    return "method" in inputRequestFor(question, this.client.can, this.features, question.key, ANYWHERE);
  }

  /** What is replied to questions that the client could not be asked; nothing, where it could be asked them all. */
  refused(round: Round): Replies | undefined {
    const refused: Record<string, Reply> = {};
    for (const [key, question] of Object.entries(round)) {
      const request = inputRequestFor(question, this.client.can, this.features, key, ANYWHERE);
      if ("method" in request) continue;
      refused[key] = { action: "unsupported", reason: request.unsupported };
      if (request.lacks !== undefined) this.#lacking.set(key, request.lacks);
    }
    return Object.keys(refused).length === 0 ? undefined : refused;
  }

  /** Opens a round in the store. Gives back a reply that is recorded already, if there is one. */
  openRound(round: Round, until: number): Promise<Replies | undefined> {
    return this.#durable.openRound(round, until, { isApart: !this.#isLogged });
  }

  async detachRun(write: () => Promise<void>): Promise<void> {
    await write();
    this.#isLeft = true;
  }

  toProtocolError(error: unknown): RpcError | undefined {
    const interruption = asRetryable(error);
    if (interruption !== undefined || !this.features.since2607) return interruption;
    return missingCapability(error, this.#lacking, this.canOpenUrlMidCall);
  }
}
