/** What only this process knows of a run that was handed over: its secrets, its pages, and the replies that were given there. */
import type { OpenQuestion, Reply, Round, SecretRedactor } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { ClientPort } from "../calls/client-port.ts";
import type { WaitingCall } from "../calls/waiting-calls.ts";
import type { InboxReply } from "../durable/submit-answer.ts";
import type { CallPages } from "../pages/call-pages.ts";
import type { OpenAsk } from "../pages/types.ts";
import { isForPage } from "../protocol/input-requests.ts";

/** Records an answer in the log of the run. */
export type RecordReply = (question: OpenAsk, reply: InboxReply) => Promise<void>;

interface PageAnswer {
  readonly question: OpenAsk;
  reply: InboxReply | undefined;
  /** Settles when the page was closed, and its reply recorded where the log may have it. */
  done: Promise<void>;
}

export class LocalRun implements WaitingCall {
  readonly account: Account;
  readonly weight = 0;
  reserved = 0;
  until: number | undefined;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  readonly secrets: SecretRedactor;
  readonly pages: CallPages;
  /** The ports of calls whose pages stay open until the run ends. */
  readonly clientPorts: Set<ClientPort> = new Set();
  readonly #record: RecordReply;
  readonly #answers = new Map<string, PageAnswer>();
  onClose: () => void = () => {};

  constructor(account: Account, secrets: SecretRedactor, pages: CallPages, record: RecordReply) {
    this.account = account;
    this.secrets = secrets;
    this.pages = pages;
    this.#record = record;
  }

  async urlOf(question: OpenAsk): Promise<string> {
    const page = await this.pages.get(question);
    const name = attemptKey(question);
    if (!this.#answers.has(name)) {
      const answer: PageAnswer = { question, reply: undefined, done: Promise.resolve() };
      answer.done = page.reply.then((reply) => this.#onReply(answer, reply));
      this.#answers.set(name, answer);
    }
    return page.url;
  }

  /** Settles when the page of a question, which is open, was answered or closed. */
  async answered(question: OpenAsk): Promise<void> {
    await this.#answers.get(attemptKey(question))?.done;
  }

  /** The replies that were given on pages to questions of a round. */
  async repliesTo(round: Round): Promise<{ readonly [key: string]: InboxReply }> {
    const replied = [...this.#answers.values()].filter(({ reply }) => reply !== undefined);
    await Promise.all(replied.map(({ done }) => done));
    return Object.fromEntries(
      replied.flatMap(({ question, reply }) =>
        reply !== undefined && isIn(round, question) ? [[question.key, reply]] : [],
      ),
    );
  }

  /** Closes pages without an answer whose questions are not in the round. */
  keepOnly(round: Round): void {
    for (const [name, { question, reply }] of this.#answers) {
      if (reply !== undefined || isIn(round, question)) continue;
      this.#answers.delete(name);
      this.pages.remove(question);
    }
  }

  async close(): Promise<void> {
    this.onClose();
  }

  async #onReply(answer: PageAnswer, reply: Reply): Promise<void> {
    if (reply.action !== "accept" && reply.action !== "decline") return;
    answer.reply = reply.action === "accept" ? reply : { action: "decline" };
    const { question } = answer;
    if (reply.action === "decline" || !isForPage(question)) await this.#record(question, answer.reply);
  }
}

const attemptKey = ({ key, attempt }: OpenAsk): string => `${key} ${attempt}`;

/** Whether a question is one of a round. */
export const isIn = (round: Round, { key, attempt }: OpenQuestion): boolean =>
  Object.hasOwn(round, key) && round[key]?.attempt === attempt;
