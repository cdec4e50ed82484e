/**
 * The client's side of a call of 2026-07-28: a round of questions ends the request, and another brings the answers.
 *
 *   1. A client is asked only what it declared with the request that is being answered.
 *   2. Answers that came before their question was put here (without a state, or for a run that had to be replayed)
 *      count for the first round that is open. Without a state they never answer a dangerous question.
 */
import {
  AskUnsupported,
  logLevels,
  memoryJournal,
  NeedsUnmet,
  UrlRequired,
  type Ability,
  type Client,
  type Emit,
  type Journal,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
} from "@photon/core";
import type { Front } from "../call.ts";
import { capabilitiesFor, inputRequestFor, type InputRequest } from "../mcp/input-requests.ts";
import { ProgressCounter } from "../mcp/progress.ts";
import { featuresOf, type Features } from "../mcp/revisions.ts";
import { MISSING_CAPABILITY, RpcError } from "../rpc/errors.ts";
import type { Settings } from "../settings.ts";
import type { Conversation } from "./conversation.ts";
import { ManyRounds } from "./many-rounds.ts";
import { repliesTo, withoutDangerous, type Responses } from "./replies.ts";
import type { State } from "./state.ts";

/** Clients built on the SDK give up after ten. */
const MANY_ROUNDS = 8;

export class ModernFront implements Front {
  readonly settings: Settings;
  readonly features: Features;
  /** As it was at first: a body must not see its client change. */
  readonly client: Client;
  readonly #conversation: Conversation;
  readonly #logger: string;
  readonly #state: State | undefined;
  readonly #progress: ProgressCounter;
  #given: Responses | undefined;
  #journal: Journal | undefined;
  #isDurable = false;
  #run: Run<unknown> | undefined;
  #closed: { readonly reason: unknown } | undefined;
  /** What the client would have had to be able to do, by the key of the question. */
  readonly #lacking = new Map<string, Ability>();

  constructor(
    conversation: Conversation,
    settings: Settings,
    logger: string,
    given: Responses | undefined,
    state: State | undefined,
  ) {
    const { client, revision } = conversation.envelope;
    this.settings = settings;
    this.features = featuresOf(revision);
    this.client = client;
    this.#conversation = conversation;
    this.#logger = logger;
    this.#given = given;
    this.#state = state;
    this.#progress = new ProgressCounter(state?.progress);
    conversation.onClose = (reason) => this.#close(reason);
  }

  get visits(): boolean {
    return this.#conversation.envelope.client.can.url;
  }

  options({ durable }: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace"> {
    const { trace } = this.#conversation.envelope;
    const isFirst = this.#run === undefined;
    this.#isDurable ||= durable === true;
    this.#journal = durable === true ? memoryJournal(isFirst ? this.#state?.journal : []) : undefined;
    return {
      runId: this.#conversation.call.runId,
      ...(this.#journal === undefined ? {} : { journal: this.#journal }),
      ...(trace === undefined ? {} : { trace }),
    };
  }

  started(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closed !== undefined) void run.close(this.#closed.reason);
  }

  async emit(effect: Emit): Promise<void> {
    const { token, logLevel } = this.#conversation.envelope;
    if (effect.emit !== "log") {
      const notification = token === undefined ? undefined : this.#progress.of(effect, token);
      if (notification !== undefined) await this.#conversation.tell(notification);
    } else if (logLevel !== undefined && logLevels.indexOf(effect.level) >= logLevels.indexOf(logLevel)) {
      const params = { level: effect.level, logger: this.#logger, data: effect.data };
      await this.#conversation.tell({ jsonrpc: "2.0", method: "notifications/message", params });
    }
  }

  async ask(round: Round): Promise<Replies> {
    const given = await this.#takeGiven(round);
    if (Object.keys(given).length > 0) return given;
    const { requests, refused } = this.#requestsFor(round);
    if (Object.keys(refused).length > 0) return refused;
    const { last } = this.#progress;
    // What is visited before a durable tool starts over has nothing to be replayed from but the start.
    const journal = this.#journal?.entries ?? (this.#isDurable ? [] : undefined);
    const parked = this.#conversation.park(round, requests, {
      ...(last === undefined ? {} : { progress: last }),
      ...(journal === undefined ? {} : { journal }),
    });
    if (this.#conversation.rounds === MANY_ROUNDS + 1)
      this.settings.report(new ManyRounds(this.#logger, MANY_ROUNDS));
    return parked;
  }

  refusal(error: unknown): RpcError | undefined {
    const abilities = this.#missingFor(error).filter((ability) => ability !== undefined);
    if (abilities.length === 0 || !(error instanceof Error)) return undefined;
    return new RpcError(MISSING_CAPABILITY, error.message, {
      requiredCapabilities: capabilitiesFor(abilities),
    });
  }

  async #close(reason: unknown): Promise<void> {
    this.#closed = { reason };
    await this.#run?.close(reason);
  }

  #missingFor(error: unknown): readonly (Ability | undefined)[] {
    if (error instanceof NeedsUnmet) return error.missing;
    if (error instanceof AskUnsupported) return [this.#lacking.get(error.id)];
    return error instanceof UrlRequired && !this.visits ? ["url"] : [];
  }

  #takeGiven(round: Round): Replies | Promise<Replies> {
    const given = this.#given;
    this.#given = undefined;
    if (given === undefined) return {};
    const now = this.settings.clock.now();
    const state = this.#state;
    if (state === undefined) return repliesTo(withoutDangerous(round), given, this.features, now);
    try {
      return repliesTo(round, given, this.features, now);
    } catch (error) {
      return this.#conversation.refuse(error, round, state);
    }
  }

  /** What the client is asked; and the questions that it cannot be asked, which are replied to here. */
  #requestsFor(round: Round): {
    readonly requests: { readonly [key: string]: InputRequest };
    readonly refused: Replies;
  } {
    const { can } = this.#conversation.envelope.client;
    const requests: Record<string, InputRequest> = {};
    const refused: Record<string, Reply> = {};
    for (const [key, question] of Object.entries(round)) {
      const wanted = inputRequestFor(question, can, this.features, key);
      if ("method" in wanted) {
        requests[key] = wanted;
        continue;
      }
      refused[key] = { action: "unsupported", reason: wanted.unsupported };
      if (wanted.lacks !== undefined) this.#lacking.set(key, wanted.lacks);
    }
    return { requests, refused };
  }
}
