/** Runs without their clients: the body runs from its log to the next question, which stays open in the store, or to its end. */
import type { Capability, Client, OpenQuestion, Replies, Reply, Round, Run, Runnable } from "@photon/core";
import { calls } from "../methods.ts";
import type { ServerContext } from "../context.ts";
import { asRetryable, isMoved, type RpcError, toRpcError } from "../jsonrpc/errors.ts";
import type { DurableCall } from "../durable/durable-call.ts";
import { driveCall, type DurableClientPort } from "../durable/drive-call.ts";
import type { CallHeader } from "../durable/log-records.ts";
import { type ClientPort, missingCapability } from "../calls/client-port.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import { ANYWHERE, inputRequestFor } from "../protocol/input-requests.ts";
import { type Features, featuresOf } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";

/** Runs a body from its log, without its client, to the next question or to its end. */
export async function runInBackground(
  context: ServerContext,
  durable: DurableCall,
  clientPort: AbsentClient,
): Promise<void> {
  const { method, params } = durable.log.head;
  const { settings } = context;
  const { features } = clientPort;
  const runner = calls[method]?.({ context, features, params, clientPort: () => clientPort });
  if (runner === undefined) return;
  // The body is not closed for an open question: the run has not ended.
  const ask = async (round: Round): Promise<Replies | undefined> =>
    clientPort.refused(round) ?? clientPort.openRound(round, answerableUntil(round, settings));
  try {
    await driveCall(runner, clientPort, ask);
  } catch (error) {
    const interruption = asRetryable(error);
    // An interrupted run has not ended: its body must not be closed.
    if (interruption !== undefined) await runner.detach();
    await runner.close();
    if (interruption === undefined) await durable.fail(toRpcError(error, settings.report));
    // The run continues elsewhere, or later.
    else if (!clientPort.isClosed && !isMoved(error)) throw interruption.cause;
  } finally {
    await durable.rest();
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
 * The client's side of a call whose client is not there: notifications are dropped, and questions wait in the store. The body must
 * not see a difference: its client is the one that called, and a question which that client cannot show is not asked.
 */
export class AbsentClient implements DurableClientPort {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  readonly principal: string;
  readonly #durable: DurableCall;
  /** Whether what is asked now is in the log. */
  #isLogged = false;
  #isForgotten = false;
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

  /** Notifications are not even formatted. */
  get hasNoClient(): boolean {
    return true;
  }

  get durable(): DurableCall | undefined {
    return this.#isForgotten ? undefined : this.#durable;
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

  /** Only a client calls the tools that continue a run. */
  adopt(): void {}

  forgetRun(): void {
    this.#isForgotten = true;
  }

  toProtocolError(error: unknown): RpcError | undefined {
    const interruption = asRetryable(error);
    if (interruption !== undefined || !this.features.since2607) return interruption;
    return missingCapability(error, this.#lacking, this.canOpenUrlMidCall);
  }
}
