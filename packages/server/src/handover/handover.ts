/**
 * A call whose client cannot show its questions. It ends with words: where the person can answer, or what to ask them.
 * Another call, of a tool made for that, goes on with it.
 *
 * To the spine it is a front like any other. Behind it stands the front of whichever call is being answered.
 *
 *   1. Only what that front cannot ask is handed over; what an ask falls back on is not.
 *   2. A secret, a file and a dangerous yes or no are never put into a model's words: they need a page.
 *   3. What a model passes on is checked before the run hears of it; what is asked for on a page is answered there only.
 */
import {
  checkAnswer,
  type Client,
  type Emit,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type Runnable,
  type RunOptions,
  type WhenUnsupported,
} from "@photon/core";
import type { Ask, Front } from "../front.ts";
import type { Features } from "../mcp/revisions.ts";
import { PageRefused, type OpenAsk } from "../pages/page.ts";
import type { RunPages } from "../pages/run-pages.ts";
import type { Waiter } from "../places.ts";
import type { RpcError } from "../rpc/errors.ts";
import { isRecord, type Wire } from "../rpc/message.ts";
import type { Settings } from "../settings.ts";
import { ONLY_THERE, pagesInWords, questionsInWords } from "./words.ts";

/** What becomes of a question that is handed over. */
type Way = Exclude<WhenUnsupported, "fail">;

/** The client's side of the call that is being answered, and what puts questions to it. */
export interface Calling {
  readonly front: Front;
  readonly askThem: Ask;
}

/** What a model passes on. */
export interface PassedOn {
  readonly action: "accept" | "decline" | "cancel";
  readonly answer: unknown;
}

/** What a handover needs of where it is kept. */
export interface Keeper {
  /** Takes it in; throws where there is no place. Gives back until when it may wait. */
  keep(handover: Handover, round: Round): number;
  /** Waits for pages to be answered, as long as a call may. */
  wait(replies: Promise<unknown>): Promise<void>;
}

interface Waiting {
  readonly round: Round;
  readonly until: number;
  readonly resume: (replies: Replies) => void;
}

export class Handover implements Front, Waiter {
  readonly client: Client;
  readonly principal: string;
  readonly #tool: string;
  readonly #way: Way;
  readonly #pages: RunPages;
  readonly #keeper: Keeper;
  #calling: Calling;
  /** Every front there has been: what each has opened stays until the run is over. */
  readonly #fronts: Set<Front>;
  /** How the last answers came, where that was not through the client. */
  #via: Way | undefined;
  /** Answers the call that waits. */
  #answer: { resolve(result: Wire): void; reject(error: unknown): void } = { resolve() {}, reject() {} };
  #run: Run<unknown> | undefined;
  #waiting: Waiting | undefined;

  constructor(tool: string, way: Way, calling: Calling, pages: RunPages, keeper: Keeper) {
    const { front } = calling;
    this.#tool = tool;
    this.#way = way;
    this.#calling = calling;
    this.#fronts = new Set([front]);
    this.#pages = pages;
    this.#keeper = keeper;
    this.client = front.client;
    this.principal = front.principal;
  }

  get #front(): Front {
    return this.#calling.front;
  }

  get settings(): Settings {
    return this.#front.settings;
  }

  get features(): Features {
    return this.#front.features;
  }

  get visits(): boolean {
    return this.#front.visits;
  }

  get isClosed(): boolean {
    return this.#front.isClosed;
  }

  get runId(): string {
    return this.#run?.id ?? "";
  }

  get until(): number | undefined {
    return this.#waiting?.until;
  }

  get via(): Way | undefined {
    return this.#via;
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace"> {
    return this.#front.options(definition);
  }

  started(run: Run<unknown>): void {
    this.#run = run;
    this.#front.started(run);
  }

  ended(): void {
    for (const front of this.#fronts) front.ended?.();
  }

  emit(effect: Emit): void | Promise<void> {
    // While it waits, whoever called has been answered: what a body tells as it is closed is told to nobody.
    if (this.#waiting === undefined) return this.#front.emit(effect);
  }

  supports(question: OpenQuestion): boolean {
    return this.#front.supports(question) || this.#canHandOver(question);
  }

  remark(): string | undefined {
    return this.#front.remark?.();
  }

  refusal(error: unknown): RpcError | undefined {
    return this.#front.refusal(error);
  }

  async ask(round: Round): Promise<Replies> {
    const direct = Object.entries(round).filter(
      ([, question]) => this.#front.supports(question) || !this.#canHandOver(question),
    );
    this.#via = undefined;
    if (direct.length > 0) return this.#calling.askThem(Object.fromEntries(direct));
    // Before any page is opened for it: there may be no place.
    const until = this.#keeper.keep(this, round);
    let words: string;
    try {
      words = await this.#inWords(round);
    } catch (error) {
      // There can be no page here.
      if (!(error instanceof PageRefused)) throw error;
      const reply = { action: "unsupported", reason: error.message } as const;
      return Object.fromEntries(Object.keys(round).map((key) => [key, reply]));
    }
    // Whoever called has gone while their pages were opened: the spine finds its run closed, and ends.
    if (this.#front.isClosed) return {};
    return new Promise((resume) => {
      this.#waiting = { round, until, resume };
      this.#answer.resolve(said(words));
    });
  }

  /** Performs the call. What it comes to, or where it is handed over, answers the call that then waits. */
  begin(perform: () => Promise<Wire>): Promise<Wire> {
    const answer = this.#newAnswer();
    void perform().then(
      (result) => this.#answer.resolve(result),
      (error: unknown) => this.#answer.reject(error),
    );
    return answer;
  }

  /** Goes on, for another call, once a page was answered; says again where they are as long as none was. */
  async goOn(calling: Calling): Promise<Wire> {
    const { round = {} } = this.#waiting ?? {};
    if (this.#way === "relay") return said(await this.#inWords(round));
    const replies: Record<string, Reply> = {};
    const answered = asksIn(round).map(async (question) => {
      const page = await this.#pages.of(question);
      replies[question.key] = await page.reply;
    });
    await this.#keeper.wait(Promise.all(answered));
    if (Object.keys(replies).length > 0) return this.#resume(calling, replies, round);
    return said(`Nobody has answered yet. ${await this.#inWords(round)}`);
  }

  /** Goes on, for another call, with what its model has passed on, if that fits. */
  async hear(calling: Calling, { action, answer }: PassedOn): Promise<Wire> {
    if (this.#way === "page") return { ...said(ONLY_THERE), isError: true };
    const { round = {} } = this.#waiting ?? {};
    const questions = Object.values(round);
    const now = this.settings.clock.now();
    const replies: Record<string, Reply> = {};
    for (const question of questions) {
      const { key, deadline } = question;
      // One question is answered by its answer, several by their keys.
      const value =
        questions.length === 1
          ? answer
          : isRecord(answer) && Object.hasOwn(answer, key)
            ? answer[key]
            : undefined;
      if (deadline !== undefined && deadline <= now) replies[key] = { action: "timeout" };
      else if (action !== "accept") replies[key] = { action };
      else {
        const verdict = await checkAnswer(question, value);
        if ("problem" in verdict)
          return said(questionsInWords(this.#tool, round, this.runId, verdict.problem));
        replies[key] = { action, value };
      }
    }
    return this.#resume(calling, replies, round);
  }

  async close(reason: unknown): Promise<void> {
    await this.#run?.close(reason);
    // The spine finds its run closed, and ends.
    this.#waiting?.resume({});
    this.#waiting = undefined;
  }

  #resume(calling: Calling, replies: Replies, round: Round): Promise<Wire> {
    const { front } = calling;
    const waiting = this.#waiting;
    if (waiting?.round !== round || front.isClosed)
      return Promise.resolve(said("The call has gone on already, for another call."));
    this.#waiting = undefined;
    this.#calling = calling;
    this.#fronts.add(front);
    this.#via = this.#way;
    if (this.#run !== undefined) front.started(this.#run);
    const answer = this.#newAnswer();
    waiting.resume(replies);
    return answer;
  }

  #newAnswer(): Promise<Wire> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
    });
  }

  #canHandOver(question: OpenQuestion): boolean {
    if (question.emit !== "ask" || Object.hasOwn(question.fallback ?? {}, "unsupported")) return false;
    return this.#way === "page" || isSpeakable(question);
  }

  async #inWords(round: Round): Promise<string> {
    if (this.#way === "relay") return questionsInWords(this.#tool, round, this.runId);
    const links = await Promise.all(
      asksIn(round).map(
        async (question) => [question.message, (await this.#pages.of(question)).url] as const,
      ),
    );
    return pagesInWords(this.#tool, links, this.runId);
  }
}

const said = (text: string): Wire => ({ content: [{ type: "text", text }] });

const asksIn = (round: Round): readonly OpenAsk[] =>
  Object.values(round).filter((question): question is OpenAsk => question.emit === "ask");

/** Whether a question may pass through the words of a model, and its answer too. */
function isSpeakable(question: OpenAsk): boolean {
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  return question.ask !== "secret" && question.ask !== "file" && !isDangerous;
}
