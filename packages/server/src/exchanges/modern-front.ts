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
  type Clock,
  type Emit,
  type Entry,
  type Journal,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
} from "@photon/core";
import type { Front } from "../front.ts";
import type { House } from "../house.ts";
import type { Envelope } from "../mcp/envelope.ts";
import {
  capabilitiesFor,
  inputRequestFor,
  isForPage,
  type InputRequest,
  type Unsupported,
} from "../mcp/input-requests.ts";
import { ProgressCounter } from "../mcp/progress.ts";
import { featuresOf, type Features } from "../mcp/revisions.ts";
import { PageRefused } from "../pages/page.ts";
import { RunPages } from "../pages/run-pages.ts";
import { MISSING_CAPABILITY, RpcError } from "../rpc/errors.ts";
import type { Settings } from "../settings.ts";
import type { Suspicions } from "../suspicions.ts";
import type { Conversation } from "./conversation.ts";
import { ManyRounds } from "./many-rounds.ts";
import { repliesTo, type Responses } from "./replies.ts";
import type { State } from "./state.ts";

/** Clients built on the SDK give up after ten. */
const MANY_ROUNDS = 8;
/** How long a request waits for a page to be answered, in milliseconds: less than the minute that clients give it. */
const PAGE_PATIENCE = 45_000;
/** An address, to find out whether a client could be sent to one. */
const ANYWHERE = "http://localhost";

/** What the client is asked, by the keys of the questions. */
export type InputRequests = { readonly [key: string]: InputRequest };

/** What goes into a state beside the questions. */
type Carried = Pick<State, "progress" | "journal">;

export class ModernFront implements Front {
  readonly features: Features;
  /** As it was at first: a body must not see its client change. */
  readonly client: Client;
  readonly #house: House;
  readonly #conversation: Conversation;
  readonly #logger: string;
  #progress: ProgressCounter | undefined;
  /** What the first run is replayed from. */
  #recorded: readonly Entry[] | undefined;
  #journal: Journal | undefined;
  #isDurable = false;
  #run: Run<unknown> | undefined;
  #closed: { readonly reason: unknown } | undefined;
  /** What the client would have had to be able to do, by the key of the question. */
  #lacking: Map<string, Ability> | undefined;
  #pages: RunPages | undefined;

  constructor(
    conversation: Conversation,
    { client, revision }: Envelope,
    house: House,
    logger: string,
    state: State | undefined,
  ) {
    this.features = featuresOf(revision);
    this.#house = house;
    this.#conversation = conversation;
    this.client = this.#suspicions.believed(client);
    this.#logger = logger;
    this.#recorded = state?.journal;
    if (state?.progress !== undefined) this.#progress = new ProgressCounter(state.progress);
  }

  get settings(): Settings {
    return this.#house.settings;
  }

  get principal(): string {
    return this.#conversation.principal;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Whether another process can go on with the call. */
  get isDurable(): boolean {
    return this.#isDurable;
  }

  get visits(): boolean {
    return this.#can.url;
  }

  /** What another process needs to go on with the call. */
  get carried(): Carried {
    const last = this.#progress?.last;
    // What is visited before a durable tool starts over has nothing to be replayed from but the start.
    const journal = this.#journal?.entries ?? (this.#isDurable ? [] : undefined);
    return {
      ...(last === undefined ? {} : { progress: last }),
      ...(journal === undefined ? {} : { journal }),
    };
  }

  options({ durable }: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace"> {
    const recorded = this.#recorded;
    this.#recorded = undefined;
    this.#isDurable ||= durable === true;
    this.#journal = durable === true ? memoryJournal(recorded) : undefined;
    const { runId } = this.#conversation.call;
    return { runId, journal: this.#journal, trace: this.#conversation.envelope?.trace };
  }

  started(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closed !== undefined) void run.close(this.#closed.reason);
  }

  async close(reason: unknown): Promise<void> {
    this.#closed = { reason };
    // A request that waits for a page waits for nothing any more.
    this.#pages?.close();
    await this.#run?.close(reason);
  }

  async emit(effect: Emit): Promise<void> {
    const { token, logLevel } = this.#conversation.envelope ?? {};
    if (effect.emit !== "log") {
      if (token === undefined) return;
      this.#progress ??= new ProgressCounter();
      const notification = this.#progress.of(effect, token);
      if (notification !== undefined) await this.#conversation.tell(notification);
    } else if (logLevel !== undefined && logLevels.indexOf(effect.level) >= logLevels.indexOf(logLevel)) {
      const params = { level: effect.level, logger: this.#logger, data: effect.data };
      await this.#conversation.tell({ jsonrpc: "2.0", method: "notifications/message", params });
    }
  }

  ended(): void {
    this.#pages?.close();
  }

  supports(question: OpenQuestion): boolean {
    return "method" in inputRequestFor(question, this.#can, this.features, question.key, ANYWHERE);
  }

  /** What is said to the questions of a round by what a request brought. Throws for what is no answer at all. */
  read(responses: Responses, round: Round): Replies {
    return repliesTo(round, responses, this.features, this.settings.clock.now());
  }

  /** Hears what the client said to the questions of a round, which it was asked at that time. */
  hear(round: Round, replies: Replies, asked: number): void {
    const client = this.#conversation.envelope?.client;
    if (client !== undefined && !this.isClosed)
      this.#suspicions.hear(client, round, replies, this.settings.clock.now() - asked);
  }

  /**
   * The same replies, with what was answered on pages in the place of a consent to go there. What nobody has answered
   * there in time is asked again.
   */
  async fromPages(round: Round, replies: Replies): Promise<Replies> {
    const said: Record<string, Reply> = { ...replies };
    // All at once: a request waits for several no longer than for one.
    await Promise.all(
      Object.entries(round).map(async ([key, question]) => {
        const reply = said[key];
        if (reply === undefined || !isForPage(question)) return;
        const page = await this.#pages?.known(question);
        if (reply.action !== "accept") return page?.close();
        const answered = page && (await inTime(page.reply, this.settings.clock, PAGE_PATIENCE));
        if (answered === undefined) delete said[key];
        else said[key] = answered;
      }),
    );
    return said;
  }

  /** What the client is asked; and the questions that it cannot be asked, which are replied to here. */
  async requestsFor(round: Round): Promise<{ readonly requests: InputRequests; readonly refused: Replies }> {
    const can = this.#can;
    const requests: Record<string, InputRequest> = {};
    const refused: Record<string, Reply> = {};
    for (const [key, question] of Object.entries(round)) {
      const wanted = await this.#requestFor(question, can);
      if ("method" in wanted) {
        requests[key] = wanted;
        continue;
      }
      refused[key] = { action: "unsupported", reason: wanted.unsupported };
      if (wanted.lacks !== undefined) (this.#lacking ??= new Map()).set(key, wanted.lacks);
    }
    return { requests, refused };
  }

  /** The client has been asked so often. */
  asked(rounds: number): void {
    if (rounds === MANY_ROUNDS + 1) this.settings.report(new ManyRounds(this.#logger, MANY_ROUNDS));
  }

  remark(): string | undefined {
    return this.#suspicions.about(this.#conversation.envelope?.client ?? this.client);
  }

  refusal(error: unknown): RpcError | undefined {
    const abilities = this.#missingFor(error).filter((ability) => ability !== undefined);
    if (abilities.length === 0 || !(error instanceof Error)) return undefined;
    return new RpcError(MISSING_CAPABILITY, error.message, {
      requiredCapabilities: capabilitiesFor(abilities),
    });
  }

  /** What clients are suspected of is this principal's own. */
  get #suspicions(): Suspicions {
    return this.#house.suspicions.of(this.principal);
  }

  /** What the client of the request that is being answered is believed to be able to do. */
  get #can(): Client["can"] {
    return this.#suspicions.believed(this.#conversation.envelope?.client ?? this.client).can;
  }

  #missingFor(error: unknown): readonly (Ability | undefined)[] {
    if (error instanceof NeedsUnmet) return error.missing;
    if (error instanceof AskUnsupported) return [this.#lacking?.get(error.id)];
    return error instanceof UrlRequired && !this.visits ? ["url"] : [];
  }

  /** What must not pass through the client is asked for on a page, to which the client sends the person. */
  async #requestFor(question: OpenQuestion, can: Client["can"]): Promise<InputRequest | Unsupported> {
    const wanted = inputRequestFor(question, can, this.features, question.key, ANYWHERE);
    if (!isForPage(question) || "unsupported" in wanted) return wanted;
    try {
      this.#pages ??= this.#openPages();
      const { url } = await this.#pages.of(question);
      return inputRequestFor(question, can, this.features, question.key, url);
    } catch (error) {
      if (error instanceof PageRefused) return { unsupported: error.message };
      throw error;
    }
  }

  #openPages(): RunPages {
    const { settings, openPage } = this.#house;
    return new RunPages((question) =>
      openPage({ question, server: settings.name, tool: this.#logger, principal: this.principal }),
    );
  }
}

/** What a promise comes to within so many milliseconds; nothing where it takes longer. */
async function inTime<T>(promise: Promise<T>, clock: Clock, most: number): Promise<T | undefined> {
  let stop = (): void => {};
  const over = new Promise<undefined>((resolve) => {
    stop = clock.after(most, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    stop();
  }
}
