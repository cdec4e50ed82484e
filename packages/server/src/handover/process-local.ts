/**
 * What only this process knows of a run that was handed over, and that a store keeps: its secrets, its pages, and what was
 * answered there.
 *
 *   1. What a person answers on a page goes into the log at once, where it may stand there: any process goes on from then.
 *   2. A secret and a file stay here, for whichever call comes here. So does what could not be written.
 *   3. A page that was closed, or whose time is over, says nothing in anybody's place.
 */
import { type Reply, type Round, SecretRedactor } from "@photon/core";
import type { Account, Accounts } from "../accounts.ts";
import type { ClientPort } from "../calls/client-port.ts";
import { isForPage } from "../protocol/input-requests.ts";
import type { PageHost } from "../pages/page-host.ts";
import { asksIn, type OpenAsk } from "../pages/types.ts";
import { PAGE_WAIT_MS, CallPages } from "../pages/call-pages.ts";
import type { WaitingCalls, WaitingCall } from "../calls/waiting-calls.ts";
import { answerQuestion, type InboxReply } from "../durable/submit-answer.ts";
import { withTimeout } from "../util/timers.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { AnswerRejected } from "../errors.ts";
import type { OpenRun, RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import { detachToStore, type DetachInput, type KeptKeeper } from "./durable-handover.ts";

/** What is in custody. */
export interface LocalRunDataInput {
  readonly run: string;
  readonly principal: string;
  readonly account: Account;
  readonly secrets: SecretRedactor;
  readonly pages: CallPages;
  /** What they have opened stays until the run is over. */
  readonly clientPorts: ReadonlySet<ClientPort>;
}

/** What it needs of who has it. */
interface Custodian {
  /** Puts what was answered on a page into the log. Never rejects. */
  write(run: string, question: OpenAsk, reply: InboxReply): Promise<void>;
  /** It is over. */
  remove(custody: LocalRunData): void;
}

/** A page, and what was answered there. */
interface Visited {
  readonly question: OpenAsk;
  /** What the person has said. */
  said: InboxReply | undefined;
  /** Settles when the page has ended, and what was said is written down where it may be. */
  done: Promise<void>;
}

export class LocalRunData implements WaitingCall {
  readonly run: string;
  readonly principal: string;
  readonly account: Account;
  /** What the run was given is in the store. */
  readonly weight = 0;
  reserved = 0;
  readonly secrets: SecretRedactor;
  readonly pages: CallPages;
  readonly #clientPorts: Set<ClientPort>;
  readonly #custodian: Custodian;
  readonly #visited = new Map<string, Visited>();
  /** Until when what was asked can be answered. */
  until: number | undefined;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;

  constructor(
    { run, principal, account, secrets, pages, clientPorts }: LocalRunDataInput,
    custodian: Custodian,
  ) {
    this.run = run;
    this.principal = principal;
    this.account = account;
    this.secrets = secrets;
    this.pages = pages;
    this.#clientPorts = new Set(clientPorts);
    this.#custodian = custodian;
  }

  /** One more call has gone on with the run here. */
  add(clientPorts: ReadonlySet<ClientPort>): void {
    for (const clientPort of clientPorts) this.#clientPorts.add(clientPort);
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
      this.pages.remove(question);
    }
  }

  /** The run itself waits on, until its time is over. */
  async close(): Promise<void> {
    this.#custodian.remove(this);
    this.pages.close();
    for (const clientPort of this.#clientPorts) clientPort.onRunEnded?.();
  }

  async #pageOf(question: OpenAsk): Promise<{ readonly url: string }> {
    const page = await this.pages.get(question);
    const name = nameOf(question);
    if (!this.#visited.has(name)) {
      const visited: Visited = { question, said: undefined, done: Promise.resolve() };
      visited.done = page.reply.then((reply) => this.#hear(visited, reply));
      this.#visited.set(name, visited);
    }
    return page;
  }

  async #hear(visited: Visited, reply: Reply): Promise<void> {
    const said = humanReply(reply);
    if (said === undefined) return;
    visited.said = said;
    const { question } = visited;
    if (said.action === "decline" || !isForPage(question))
      await this.#custodian.write(this.run, question, said);
  }
}

/** What a person has said themselves. */
function humanReply(reply: Reply): InboxReply | undefined {
  if (reply.action === "accept") return reply;
  return reply.action === "decline" ? { action: "decline" } : undefined;
}

const nameOf = ({ key, attempt }: OpenAsk): string => `${key} ${attempt}`;

const isIn = (round: Round, { key, attempt }: OpenAsk): boolean =>
  Object.hasOwn(round, key) && round[key]?.attempt === attempt;

/** What only this process knows of the runs that were handed over, and that a store keeps. */

/** Where they are. */
export interface HandoverContext {
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly places: WaitingCalls;
  readonly desk: PageHost;
  readonly runs: RunRepository;
}

export class LocalRunDataStore implements KeptKeeper, Custodian {
  readonly #premises: HandoverContext;
  readonly #byRun = new Map<string, LocalRunData>();
  /** How often everything was closed: whoever waits since before that is given nothing more. */
  #closes = 0;

  constructor(premises: HandoverContext) {
    this.#premises = premises;
  }

  find(run: string): LocalRunData | undefined {
    return this.#byRun.get(run);
  }

  /** That of a run which waits, made if it is not there. */
  of({ run, subject, principal, until }: OpenRun): LocalRunData {
    const pages = this.pagesOf(run, subject, principal);
    const account = this.#premises.accounts.of(principal);
    return this.add(
      { run, principal, account, secrets: new SecretRedactor(), pages, clientPorts: new Set() },
      until,
    );
  }

  /** The pages of a run: those that there are here, or where there will be some. */
  pagesOf(run: string, tool: string, principal: string): CallPages {
    const { desk, settings } = this.#premises;
    return this.find(run)?.pages ?? new CallPages(desk.open, { server: settings.name, tool, principal });
  }

  /** Whether something was said on a page here to what is open. */
  async hasSaid({ run, round }: OpenRun): Promise<boolean> {
    return Object.keys((await this.find(run)?.saidIn(round)) ?? {}).length > 0;
  }

  secretsOf(run: string): SecretRedactor | undefined {
    return this.find(run)?.secrets;
  }

  accountOf({ account, principal }: Pick<ClientPort, "account" | "principal">): Account {
    return account ?? this.#premises.accounts.of(principal);
  }

  refuseWhenFull(run: string, account: Account): void {
    if (!this.#byRun.has(run)) this.#premises.places.assertCapacity(account);
  }

  lastMoment(round: Round): number {
    return this.#premises.places.answerableUntil(round);
  }

  add(given: LocalRunDataInput, until: number): LocalRunData {
    const custody = this.find(given.run) ?? new LocalRunData(given, this);
    custody.add(given.clientPorts);
    custody.until = until;
    this.#premises.places.add(custody, until);
    this.#byRun.set(given.run, custody);
    return custody;
  }

  giveAway(given: DetachInput, round: Round): Promise<string | undefined> {
    return detachToStore(given, round, this);
  }

  over(run: string): void {
    void this.find(run)?.close();
  }

  remove(custody: LocalRunData): void {
    if (this.find(custody.run) === custody) this.#byRun.delete(custody.run);
    this.#premises.places.remove(custody);
  }

  async write(run: string, { key, attempt }: OpenAsk, reply: InboxReply): Promise<void> {
    const { runs, settings } = this.#premises;
    try {
      const answer = { run, key, reply, principal: undefined, attempt, via: "page" } as const;
      await answerQuestion(runs, answer, settings);
    } catch (error) {
      // Somebody else was first, or it is in no log.
      if (!(error instanceof AnswerRejected)) settings.report(error);
    }
  }

  /**
   * Waits a while for people to answer what is asked at that place of a log, on pages or by another way. Says whether anything
   * can come of it: the server may have been closed. Rejects with `PageRefused` where there can be no page.
   */
  async untilAnswered(run: string, length: number): Promise<boolean> {
    const { runs, settings } = this.#premises;
    const closes = this.#closes;
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const deafen = await runs.onAnyRunEvent(
      (grown) => {
        if (grown === run) wake();
      },
      () => wake(),
    );
    try {
      const open = await runs.opened(run);
      if (open?.way !== "page" || open.length !== length || open.isAnswered === true) return true;
      const custody = this.of(open);
      const now = settings.clock.now();
      const asked = asksIn(open.round).filter((question) => !isExpired(question, now));
      await Promise.all(asked.map((question) => custody.urlOf(question)));
      const answered = Promise.all(asked.map((question) => custody.answered(question)));
      await withTimeout(Promise.race([answered, woken]), settings.clock, PAGE_WAIT_MS);
      return this.#closes === closes;
    } finally {
      deafen();
    }
  }

  /** Somebody else has gone on with a run, or answered it: lets go of what is over, and of pages that ask nothing any more. */
  heard(run: string): void {
    const custody = this.find(run);
    if (custody !== undefined) this.#look(custody).catch(this.#premises.settings.report);
  }

  /** The runs themselves wait on. */
  async close(): Promise<void> {
    this.#closes += 1;
    await Promise.all([...this.#byRun.values()].map((custody) => custody.close()));
  }

  async #look(custody: LocalRunData): Promise<void> {
    const open = await this.#premises.runs.opened(custody.run);
    if (open === undefined) await custody.close();
    else custody.narrow(open.round);
  }
}
