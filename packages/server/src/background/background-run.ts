/** Runs a body without its client: from its log to the next question, which stays open in the store, or to its end. */
import type { Capability, Client, OpenQuestion, Replies, Reply, Round, Run, Runnable } from "@photon/core";
import { callMethods } from "../methods.ts";
import type { ServerContext } from "../context.ts";
import { asRetryable, isMoved, type RpcError, toRpcError } from "../jsonrpc/errors.ts";
import type { DurableCall, DurableClientPort } from "../durable/durable-call.ts";
import { driveCall } from "../calls/call-runner.ts";
import type { CallHeader } from "../durable/log-records.ts";
import { type ClientPort, missingCapability } from "../calls/client-port.ts";
import { answerableUntil } from "../calls/question-deadlines.ts";
import { ANYWHERE, inputRequestFor } from "../protocol/elicitation.ts";
import { type Features, featuresOf } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";

export async function runInBackground(
  context: ServerContext,
  durable: DurableCall,
  clientPort: AbsentClient,
): Promise<void> {
  const { method, params } = durable.log.head;
  const { features } = clientPort;
  const runner = callMethods[method]?.({ context, features, params, clientPort: () => clientPort });
  if (runner === undefined) return;
  try {
    // The body is not closed for an open question: the run has not ended.
    await driveCall(runner, clientPort, (round) => clientPort.ask(round));
  } catch (error) {
    const interruption = asRetryable(error);
    // An interrupted run has not ended: its body must not be closed.
    if (interruption !== undefined) await runner.detach();
    await runner.close();
    if (interruption === undefined) await durable.fail(toRpcError(error, context.settings.report));
    // The run continues elsewhere, or later.
    else if (!clientPort.isClosed && !isMoved(error)) throw interruption.cause;
  } finally {
    await durable.releaseAll();
  }
}

/** Whether this server offers the tool, prompt or resource of a call, and it is durable. */
export function canReplay({ catalog }: ServerContext, { method, params }: CallHeader): boolean {
  const { name, uri } = params;
  let found: Runnable<never, unknown> | undefined;
  if (method === "resources/read" && typeof uri === "string") found = catalog.findResource(uri)?.resource;
  else if (typeof name === "string")
    found = method === "prompts/get" ? catalog.prompts.find(name) : catalog.tools.find(name);
  return found?.durable === true;
}

/**
 * The port of a client that is not connected: notifications are dropped, and questions wait in the store. The body sees the client that
 * called, and a question that this client cannot show is not asked.
 */
export class AbsentClient implements DurableClientPort {
  readonly hasNoClient = true;
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  readonly principal: string;
  readonly #durable: DurableCall;
  /** Whether questions are logged. They are not while the user has to open a URL before the body starts. */
  #isLogged = false;
  #isForgotten = false;
  #run: Run<unknown> | undefined;
  #isDetached = false;
  /** The capability that the client lacks for a question, by key. */
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

  get durable(): DurableCall | undefined {
    return this.#isForgotten ? undefined : this.#durable;
  }

  get canOpenUrlMidCall(): boolean {
    return this.features.stateless && this.client.can.url;
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
    return "method" in this.#requestFor(question);
  }

  /** Replies to the questions that the client could not show. If it could show all, the round is opened in the store. */
  async ask(round: Round): Promise<Replies | undefined> {
    const refused: Record<string, Reply> = {};
    for (const [key, question] of Object.entries(round)) {
      const request = this.#requestFor(question);
      if ("method" in request) continue;
      refused[key] = { action: "unsupported", reason: request.unsupported };
      if (request.lacks !== undefined) this.#lacking.set(key, request.lacks);
    }
    if (Object.keys(refused).length > 0) return refused;
    const until = answerableUntil(round, this.settings);
    return this.#durable.openRound(round, until, { isUnlogged: !this.#isLogged });
  }

  #requestFor(question: OpenQuestion): ReturnType<typeof inputRequestFor> {
    return inputRequestFor(question, this.client.can, this.features, question.key, ANYWHERE);
  }

  /** Only a client calls the tools that continue a run. */
  adopt(): void {}

  forgetRun(): void {
    this.#isForgotten = true;
  }

  toProtocolError(error: unknown): RpcError | undefined {
    const interruption = asRetryable(error);
    if (interruption !== undefined || !this.features.stateless) return interruption;
    return missingCapability(error, this.#lacking, this.canOpenUrlMidCall);
  }
}
