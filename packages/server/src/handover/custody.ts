/**
 * What only this process knows of a run that was handed over, and that a store keeps: its secrets, its pages, and what was
 * answered there.
 *
 *   1. What a person answers on a page goes into the log at once, where it may stand there: any process goes on from then.
 *   2. A secret and a file stay here, for whichever call comes here. So does what could not be written.
 *   3. A page that was closed, or whose time is over, says nothing in anybody's place.
 */
import type { Reply, Round, Vault } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { Front } from "../calls/client-port.ts";
import { isForPage } from "../protocol/input-requests.ts";
import type { OpenAsk } from "../pages/page.ts";
import type { RunPages } from "../pages/run-pages.ts";
import type { Waiter } from "../calls/waiting-calls.ts";
import type { InboxReply } from "../durable/submit-answer.ts";

/** What is in custody. */
export interface InCustody {
  readonly run: string;
  readonly principal: string;
  readonly account: Account;
  readonly secrets: Vault;
  readonly pages: RunPages;
  /** What they have opened stays until the run is over. */
  readonly fronts: ReadonlySet<Front>;
}

/** What it needs of who has it. */
export interface Custodian {
  /** Puts what was answered on a page into the log. Never rejects. */
  write(run: string, question: OpenAsk, reply: InboxReply): Promise<void>;
  /** It is over. */
  release(custody: Custody): void;
}

/** A page, and what was answered there. */
interface Visited {
  readonly question: OpenAsk;
  /** What the person has said. */
  said: InboxReply | undefined;
  /** Settles when the page has ended, and what was said is written down where it may be. */
  done: Promise<void>;
}

export class Custody implements Waiter {
  readonly run: string;
  readonly principal: string;
  readonly account: Account;
  /** What the run was given is in the store. */
  readonly weight = 0;
  reserved = 0;
  readonly secrets: Vault;
  readonly pages: RunPages;
  readonly #fronts: Set<Front>;
  readonly #custodian: Custodian;
  readonly #visited = new Map<string, Visited>();
  /** Until when what was asked can be answered. */
  until: number | undefined;
  before: Waiter | undefined;
  after: Waiter | undefined;

  constructor({ run, principal, account, secrets, pages, fronts }: InCustody, custodian: Custodian) {
    this.run = run;
    this.principal = principal;
    this.account = account;
    this.secrets = secrets;
    this.pages = pages;
    this.#fronts = new Set(fronts);
    this.#custodian = custodian;
  }

  /** One more call has gone on with the run here. */
  add(fronts: ReadonlySet<Front>): void {
    for (const front of fronts) this.#fronts.add(front);
  }

  /** Where a question is answered: the same page, however often it is wanted. */
  async urlOf(question: OpenAsk): Promise<string> {
    return (await this.#pageOf(question)).url;
  }

  /** Settles when the page of a question has ended, and what was said there is written down where it may be. */
  async answered(question: OpenAsk): Promise<void> {
    await this.#pageOf(question);
    await this.#visited.get(nameOf(question))?.done;
  }

  /** What was said here to questions of a round, once nothing of it is being written. */
  async saidIn(round: Round): Promise<{ readonly [key: string]: InboxReply }> {
    const visited = [...this.#visited.values()].filter(({ said }) => said !== undefined);
    await Promise.all(visited.map(({ done }) => done));
    return Object.fromEntries(
      visited.flatMap(({ question, said }) =>
        said !== undefined && isIn(round, question) ? [[question.key, said]] : [],
      ),
    );
  }

  /** Nothing but this is asked any more: a page that asks something else, and was not answered, is taken away. */
  narrow(round: Round): void {
    for (const [name, { question, said }] of this.#visited) {
      if (said !== undefined || isIn(round, question)) continue;
      this.#visited.delete(name);
      this.pages.drop(question);
    }
  }

  /** The run itself waits on, until its time is over. */
  async close(): Promise<void> {
    this.#custodian.release(this);
    this.pages.close();
    for (const front of this.#fronts) front.ended?.();
  }

  async #pageOf(question: OpenAsk): Promise<{ readonly url: string }> {
    const page = await this.pages.of(question);
    const name = nameOf(question);
    if (!this.#visited.has(name)) {
      const visited: Visited = { question, said: undefined, done: Promise.resolve() };
      visited.done = page.reply.then((reply) => this.#hear(visited, reply));
      this.#visited.set(name, visited);
    }
    return page;
  }

  async #hear(visited: Visited, reply: Reply): Promise<void> {
    const said = ownWord(reply);
    if (said === undefined) return;
    visited.said = said;
    const { question } = visited;
    if (said.action === "decline" || !isForPage(question))
      await this.#custodian.write(this.run, question, said);
  }
}

/** What a person has said themselves. */
function ownWord(reply: Reply): InboxReply | undefined {
  if (reply.action === "accept") return reply;
  return reply.action === "decline" ? { action: "decline" } : undefined;
}

const nameOf = ({ key, attempt }: OpenAsk): string => `${key} ${attempt}`;

const isIn = (round: Round, { key, attempt }: OpenAsk): boolean =>
  Object.hasOwn(round, key) && round[key]?.attempt === attempt;
