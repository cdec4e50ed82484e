/**
 * A run that was handed over, as this process knows it: its pages, its secrets, and its suspended body if the store does not have it.
 *
 *   1. The body of a run in the store is not here: answers on its pages are recorded in the log, and any process continues the run.
 *   2. Secrets and files are in no log. They stay here, for a call that continues the run in this process.
 *   3. A page that was closed, or whose time is over, gives no reply.
 */
import { type Reply, type Round, SecretRedactor } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { ClientPort } from "../calls/client-port.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import type { WaitingCall } from "../calls/waiting-calls.ts";
import type { DurableClientPort } from "../durable/durable-call.ts";
import type { HandoverMode } from "../durable/open-questions.ts";
import { answerQuestion } from "../durable/submit-answer.ts";
import { AnswerRejected } from "../errors.ts";
import { asksIn, CallPages, PAGE_WAIT_MS } from "../pages/page.ts";
import { isForPage, type OpenAsk } from "../protocol/elicitation.ts";
import { withTimeout } from "../util/timers.ts";
import type { HandedOverCall } from "./handed-over-call.ts";
import type { HandoverManager } from "./handover-manager.ts";
import { askPersonText, pageText } from "./model-text.ts";

/** A round that waits for a call that continues the run. */
export interface HandedOverRound {
  readonly mode: HandoverMode;
  readonly round: Round;
  /** The reference by which the model continues the run. */
  readonly ref: string;
  /** Until when the client can answer it, or is told that it was too late. */
  readonly until: number;
}

export class LocalRun implements WaitingCall {
  /** The id of the first run of the body: one that sends the user to a web address starts again, with another id. */
  id: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly account: Account;
  weight = 0;
  reserved = 0;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  /** The round that was handed over last; undefined while a call works on a body that is in this process. */
  waiting: HandedOverRound | undefined;
  /** The questions that have pages, beside those of earlier rounds that were answered. */
  #round: Round = {};
  /** The call that has the suspended body; undefined for a run in the store. */
  call: HandedOverCall | undefined;
  readonly secrets: SecretRedactor = new SecretRedactor();
  readonly pages: CallPages;
  /** The ports of all calls so far: their pages stay open until the run ends. */
  readonly clientPorts: Set<ClientPort> = new Set();
  readonly #manager: HandoverManager;
  /** Settles when the answers that pages have taken are in the log. */
  #recorded: Promise<unknown> | undefined;

  constructor(
    id: string,
    tool: string,
    { principal, account }: Pick<DurableClientPort, "principal" | "account">,
    manager: HandoverManager,
  ) {
    const { accounts, pageHost, settings } = manager.context;
    this.id = id;
    this.tool = tool;
    this.account = account ?? accounts.of(principal);
    this.#manager = manager;
    this.pages = new CallPages(
      async (pageFor) => {
        const page = await pageHost.open(pageFor);
        return { ...page, reply: page.reply.then((reply) => this.#record(pageFor.question, reply)) };
      },
      { server: settings.name, tool, principal },
    );
  }

  get until(): number | undefined {
    return this.waiting?.until;
  }

  /** Waits at a round for a call that continues the run. */
  async waitAt(waiting: HandedOverRound): Promise<void> {
    await this.closePagesExcept(waiting.round);
    this.#round = waiting.round;
    this.waiting = waiting;
  }

  /** Tells the model where the person can answer, or what to ask them. Opens the pages. */
  async textFor({ mode, round, ref }: HandedOverRound, note?: string): Promise<string> {
    const pages = mode === "page" ? asksIn(round) : [];
    const links = pages.map(async (question) => ({
      message: question.message,
      url: (await this.pages.get(question)).url,
    }));
    const text =
      mode === "relay"
        ? askPersonText(this.tool, round, ref)
        : pageText(this.tool, await Promise.all(links), ref);
    return note === undefined ? text : `${note}\n${text}`;
  }

  /** Waits a while until all pages of a round have replies, or the run is `answered` elsewhere. */
  async untilAnswered(round: Round, answered?: Promise<void>): Promise<void> {
    const { clock } = this.#manager.context.settings;
    const now = clock.now();
    const open = asksIn(round).filter((question) => !isExpired(question, now));
    const replies = open.map(async (question) => (await this.pages.get(question)).reply);
    const ends = [Promise.all(replies), ...(answered === undefined ? [] : [answered])];
    await withTimeout(Promise.race(ends), clock, PAGE_WAIT_MS);
  }

  /** The replies that were given on pages to questions of a round. */
  async pageReplies(round: Round): Promise<{ readonly [key: string]: Reply }> {
    await this.#recorded;
    const replies: Record<string, Reply> = {};
    for (const question of asksIn(round)) {
      const reply = await this.#pageReply(question);
      if (reply?.action === "accept" || reply?.action === "decline") replies[question.key] = reply;
    }
    return replies;
  }

  /** Closes the pages of questions that are not in a round. A page that was answered may have a file. */
  async closePagesExcept(round: Round): Promise<void> {
    for (const question of asksIn(this.#round))
      if (!hasQuestion(round, question) && (await this.#pageReply(question)) === undefined)
        this.pages.remove(question);
  }

  async close(reason: Error): Promise<void> {
    if (this.call === undefined) this.#manager.remove(this);
    else await this.call.close(reason);
  }

  /** The reply of a page, once it has one. */
  async #pageReply(question: OpenAsk): Promise<Reply | undefined> {
    // A page that could not be opened has no reply.
    const page = await this.pages.peek(question)?.catch(() => undefined);
    return page && Promise.race([page.reply, Promise.resolve(undefined)]);
  }

  /** Records an answer that was given on a page, where the log may have it. */
  async #record(question: OpenAsk, reply: Reply): Promise<Reply> {
    const { runs, settings } = this.#manager.context;
    const { action } = reply;
    const isAnswer = action === "decline" || (action === "accept" && !isForPage(question));
    if (runs === undefined || this.call !== undefined || !isAnswer) return reply;
    const { key, attempt } = question;
    const answer = { run: this.id, key, reply, principal: undefined, attempt, via: "page" } as const;
    const recording = answerQuestion(runs, answer).catch((error: unknown) => {
      // Another answer was first, or the question is in no log.
      if (!(error instanceof AnswerRejected)) settings.report(error);
    });
    this.#recorded = Promise.all([this.#recorded, recording]);
    await recording;
    return reply;
  }
}

/** Whether a round has a question: the same attempt of it. */
export const hasQuestion = (round: Round, { key, attempt }: Pick<OpenAsk, "key" | "attempt">): boolean =>
  Object.hasOwn(round, key) && round[key]?.attempt === attempt;
