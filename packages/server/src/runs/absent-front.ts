/**
 * The client's side of a call whose client is not there: what is told goes nowhere, and what is asked waits in the store,
 * for the client to come back, or for somebody to answer by another way.
 *
 * The body must not see a difference: its client is the one that called, and what that could not be asked is not asked.
 */
import type { Ability, Client, OpenQuestion, Replies, Reply, Round, Run, Runnable } from "@photon/core";
import { type Front, missingCapability } from "../calls/client-port.ts";
import { ANYWHERE, inputRequestFor } from "../protocol/input-requests.ts";
import { type Features, featuresOf } from "../protocol/revisions.ts";
import { interruptionOf, type RpcError } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";
import type { DurableCall } from "../durable/durable-call.ts";

export class AbsentFront implements Front {
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
  readonly #lacking = new Map<string, Ability>();

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
  get isAbsent(): boolean {
    return true;
  }

  /** Whether what it has come to is a question in the store, whatever the call was answered with. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  get visits(): boolean {
    return this.features.since2607 && this.client.can.url;
  }

  options(definition: Runnable<never, unknown>): ReturnType<Front["options"]> {
    this.#isLogged = definition.durable === true;
    return this.#isLogged ? this.#durable.options(definition) : { runId: this.#durable.log.run };
  }

  started(run: Run<unknown>): void {
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

  async giveAway(write: () => Promise<void>): Promise<void> {
    await write();
    this.#isLeft = true;
  }

  refusal(error: unknown): RpcError | undefined {
    const interruption = interruptionOf(error);
    if (interruption !== undefined || !this.features.since2607) return interruption;
    return missingCapability(error, this.#lacking, this.visits);
  }
}
