/**
 * Users who answer the questions of the chaos run: through their client, in the inbox, or both at once.
 *
 * No two answers are the same, and each repeats its question. So the result of a run shows which answers it was given.
 */
import { setTimeout as pause } from "node:timers/promises";
import { openQuestions, postAnswer, type InboxQuestion } from "../inbox.ts";
import type { Random } from "../../../packages/server/test/wire/random.ts";
import { never } from "../session-client.ts";

const MAX_DELAY_MS = 200;
const LOOK_MS = 50;
/** How long a question is open before a user looks for it in the inbox who has nothing to do with its client. */
const FORGOTTEN_MS = 3000;

/** An answer that the inbox has taken. */
interface TakenAnswer {
  readonly run: string;
  readonly question: string;
  readonly answer: string;
}

export class Users {
  /** The answers that were given to each question, by whichever way. */
  readonly given = new Map<string, Set<string>>();
  /** The answers of which the inbox said that they count. */
  readonly taken: TakenAnswer[] = [];
  /** Responses of the inbox that no answer to an open question may get. */
  readonly problems: string[] = [];
  /** The runs that were ever in the inbox. */
  readonly runs = new Set<string>();
  byClient = 0;
  readonly #url: string;
  readonly #random: Random;
  readonly #log: (event: object) => void;
  readonly #firstSeen = new Map<string, number>();
  #count = 0;

  constructor(url: string, random: Random, log: (event: object) => void) {
    this.#url = url;
    this.#random = random;
    this.#log = log;
  }

  /** Answers a question that has reached the client of a session. Where the inbox is answered, the client says nothing. */
  async answerOnSession(question: string): Promise<string> {
    const way = this.#random.pick(["client", "client", "inbox", "both"]);
    await this.#aMoment();
    if (way === "both") void this.#answerInInbox(question);
    if (way === "inbox" && (await this.#answerInInbox(question))) return never();
    return this.#byClient(question);
  }

  /** Answers a question that has reached a client of 2026-07-28. Where the inbox was answered before, the client is too late. */
  async answerInModern(question: string): Promise<string> {
    const way = this.#random.pick(["client", "client", "inbox", "both"]);
    await this.#aMoment();
    if (way === "both") void this.#answerInInbox(question);
    if (way === "inbox") await this.#answerInInbox(question);
    return this.#byClient(question);
  }

  /** Answers what has been open for long, as of calls whose clients were lost; everything, where `isLast`. */
  async answerForgotten(isLast: boolean): Promise<number> {
    const questions = await this.#open();
    const now = performance.now();
    for (const one of questions) {
      const id = `${one.run} ${one.key}`;
      const since = this.#firstSeen.get(id) ?? now;
      this.#firstSeen.set(id, since);
      if (isLast || now - since > FORGOTTEN_MS) await this.#post(one);
    }
    return questions.length;
  }

  #byClient(question: string): string {
    this.byClient += 1;
    const answer = this.#newAnswer(question);
    this.#log({ answer, by: "client" });
    return answer;
  }

  /** Answers a question in the inbox; says whether the answer counts. */
  async #answerInInbox(question: string): Promise<boolean> {
    for (let tries = 0; tries < 20; tries += 1) {
      const found = (await this.#open()).find(({ message }) => message === question);
      if (found !== undefined) return this.#post(found);
      await pause(LOOK_MS);
    }
    return false;
  }

  async #open(): Promise<readonly InboxQuestion[]> {
    const questions = await openQuestions(this.#url).catch(() => []);
    for (const { run } of questions) this.runs.add(run);
    return questions;
  }

  async #post(question: InboxQuestion): Promise<boolean> {
    const answer = this.#newAnswer(question.message);
    for (;;) {
      const response = await postAnswer(this.#url, question, answer).catch(() => undefined);
      const { run, message } = question;
      this.#log({ answer, by: "inbox", run, status: response?.status });
      if (response?.ok === true) this.taken.push({ run, question: message, answer });
      // 409: another answer came first; maybe this one, in a response that was lost.
      else if (response !== undefined && response.status !== 503 && response.status !== 409)
        this.problems.push(`The inbox says ${response.status} to ${answer}: ${await response.text()}`);
      if (response !== undefined && response.status !== 503) return response.ok;
      await pause(LOOK_MS);
    }
  }

  #newAnswer(question: string): string {
    this.#count += 1;
    const answer = `${question}#${this.#count}`;
    const given = this.given.get(question) ?? new Set();
    this.given.set(question, given.add(answer));
    return answer;
  }

  #aMoment(): Promise<void> {
    return pause(this.#random.between(0, MAX_DELAY_MS));
  }
}
