/**
 * The inbox: what durable runs wait for, for programs that reach people by other ways than an MCP client (a mail, a chat, a
 * page of their own), and for people who look for themselves.
 *
 *   1. With a principal, only the questions of that principal are listed and answered. A call without one is the program's own:
 *      the program decides who may answer.
 *   2. An answer that does not fit its question is rejected, and nothing is written.
 *   3. What must not pass through a client does not pass through here: secrets and files are answered on their pages.
 *   4. The first answer counts, by whichever way it came.
 */
import { InvalidReply, type OpenQuestion } from "@photon/core";
import type { ErrorResponse, JsonObject } from "../jsonrpc/messages.ts";
import { type ServerSettingsInput, type Settings, resolveSettings } from "../settings.ts";
import type { CallSummary } from "./open-questions.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { answerQuestion, type InboxReply } from "./submit-answer.ts";
import { dropIfCancelled } from "./cancelled-calls.ts";
import { type OpenRun, RunRepository } from "./run-repository.ts";
import { SealedBox } from "../crypto/sealed-box.ts";
import type { Store } from "../stores/store.ts";

/** A question to a person, as it waits. */
export type InboxQuestion = Extract<OpenQuestion, { emit: "ask" }> & {
  /** Until when it can be answered, in milliseconds since 1970. */
  readonly expires: number;
};

/** A run with open questions, and what was called: its title, its description and its input. */
export interface WaitingRun extends CallSummary {
  readonly run: string;
  /** What was called: a tool, a prompt or a resource. */
  readonly tool: string;
  /** Who was asked; "" for a principal without a name. */
  readonly principal: string;
  /** When they were asked, in milliseconds since 1970. */
  readonly since: number;
  readonly questions: readonly InboxQuestion[];
}

export interface InboxPage {
  readonly runs: readonly WaitingRun[];
  /** How many there are beside these that were sealed with other keys; without this, none. */
  readonly unreadable?: number;
  /** Where the next page begins, if there is one. */
  readonly next?: string;
}

/** A run that has ended: with the result its client is given, or with the error. */
export type EndedRun = Pick<WaitingRun, "run" | "tool" | "principal"> &
  ({ readonly result: JsonObject } | { readonly error: ErrorResponse["error"] });

/** For whom something is done; without this, for the program itself. */
export interface PrincipalFilter {
  readonly principal?: string | undefined;
}

export interface ListOptions extends PrincipalFilter {
  /** Where the page before ended. */
  readonly after?: string | undefined;
  /** The most runs of a page: 50. A page may have fewer, and not be the last. */
  readonly limit?: number | undefined;
}

export interface AnswerOptions extends PrincipalFilter {
  /** Which time it was asked, as the answerer has seen it: an answer to an earlier attempt is none to a later one. */
  readonly attempt?: number | undefined;
}

export interface WaitOptions extends PrincipalFilter {
  /** Ends the waiting; it is then as if nothing had come of the run. */
  readonly signal?: AbortSignal | undefined;
}

type InboxSettings = Pick<Settings, "clock" | "audit">;

const PAGE = 50;
/** How often `wait` reads the run: what its own client does to it is not published. */
const LOOK = 1000;

const ACTIONS: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

export class Inbox {
  readonly #runs: RunRepository;
  readonly #settings: InboxSettings;

  constructor(runs: RunRepository, settings: InboxSettings) {
    this.#runs = runs;
    this.#settings = settings;
  }

  /** A page of the runs with open questions, those that have waited longest first. */
  async list({ principal, after, limit = PAGE }: ListOptions = {}): Promise<InboxPage> {
    const { runs, unreadable, next } = await this.#runs.list({ principal, after, limit });
    const wanted = await Promise.all(runs.map((open) => dropIfCancelled(this.#runs, open)));
    const now = this.#settings.clock.now();
    const waiting = wanted.flatMap((open) => (open && waitingIn(open, now)) ?? []);
    return {
      runs: waiting,
      ...(unreadable === 0 ? {} : { unreadable }),
      ...(next === undefined ? {} : { next }),
    };
  }

  /** One run, if it has open questions. */
  async find(run: string, { principal }: PrincipalFilter = {}): Promise<WaitingRun | undefined> {
    const opened = await this.#runs.opened(run);
    const open = opened && isFor(opened, principal) ? await dropIfCancelled(this.#runs, opened) : undefined;
    return open && waitingIn(open, this.#settings.clock.now());
  }

  /** Answers a question. A server continues the run; `wait` gives its result. */
  async answer(
    run: string,
    key: string,
    reply: InboxReply,
    { principal, attempt }: AnswerOptions = {},
  ): Promise<void> {
    if (!ACTIONS.has(reply.action)) throw new InvalidReply(key, "its action is accept, decline or cancel");
    await answerQuestion(this.#runs, { run, key, reply, principal, attempt, via: "inbox" }, this.#settings);
  }

  /** What a run has come to, as long as that is kept; nothing, where it has not ended. */
  async result(run: string, { principal }: PrincipalFilter = {}): Promise<EndedRun | undefined> {
    const log = await this.#runs.find(run);
    if (log?.ending === undefined || !isFor(log.head, principal)) return undefined;
    const { subject: tool, principal: whose } = log.head;
    return { run, tool, principal: whose, ...log.ending };
  }

  /** The state of a run: it has ended, or has open questions; undefined where the store does not have it. */
  async status(
    run: string,
    { principal }: PrincipalFilter = {},
  ): Promise<EndedRun | WaitingRun | "going on" | undefined> {
    const log = await this.#runs.find(run);
    if (log === undefined || !isFor(log.head, principal)) return undefined;
    if (log.ending !== undefined) return this.result(run);
    const opened = await this.#runs.opened(run);
    const open = opened && (await dropIfCancelled(this.#runs, opened));
    if (opened !== undefined && open === undefined) return (await this.result(run)) ?? "going on";
    // A log that is longer than it was when this was asked has been answered since.
    const isAsked = open?.length === log.length && open.isAnswered !== true;
    // A question for the client alone is not one for people.
    return (isAsked ? waitingIn(open, this.#settings.clock.now()) : undefined) ?? "going on";
  }

  /** Waits until a run has ended, or has open questions; undefined where the store does not have it, or `signal` was aborted. */
  async wait(
    run: string,
    { principal, signal }: WaitOptions = {},
  ): Promise<EndedRun | WaitingRun | undefined> {
    let wake = (): void => {};
    const unsubscribe = await this.#runs.onGrown(run, () => wake());
    const leave = (): void => wake();
    const isLeft = (): boolean => signal?.aborted === true;
    signal?.addEventListener("abort", leave, { once: true });
    try {
      while (!isLeft()) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const come = await this.status(run, { principal });
        if (come !== "going on") return come;
        const stop = this.#settings.clock.after(LOOK, wake);
        if (!isLeft()) await woken;
        stop();
      }
      return undefined;
    } finally {
      signal?.removeEventListener("abort", leave);
      unsubscribe();
    }
  }
}

const isFor = (asked: { readonly principal: string }, principal: string | undefined): boolean =>
  principal === undefined || asked.principal === principal;

/** What a person can be shown of a run; nothing, where nothing of it is for people, or not any more. */
function waitingIn(open: OpenRun, now: number): WaitingRun | undefined {
  const { run, subject: tool, call, principal, since, until, round } = open;
  const questions = Object.values(round).flatMap((question) => {
    const expires = question.deadline ?? until;
    return question.emit === "ask" && !isExpired({ deadline: expires }, now)
      ? [{ ...question, expires }]
      : [];
  });
  if (questions.length === 0 || open.isApart === true) return undefined;
  return { run, tool, ...call, principal, since, questions };
}

/** The inbox of a store, for programs that have no tools of their own. */

export interface InboxOptions extends Pick<ServerSettingsInput, "audit" | "clock" | "report"> {
  readonly store: Store;
  /** Those of the servers that share the store: PHOTON_KEYS, without this. */
  readonly keys?: readonly string[];
}

/** Opens the inbox. The caller closes the store. */
export function openInbox(options: InboxOptions): Inbox {
  const settings = resolveSettings(options);
  return new Inbox(new RunRepository(options.store, new SealedBox(settings.keys), settings), settings);
}
