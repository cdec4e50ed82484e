/**
 * The inbox: the open questions of durable runs, for programs that reach people by other ways than an MCP client (a mail, a chat,
 * a page of their own).
 *
 *   1. With a principal, only the questions of that principal are listed and answered. A call without one is the program's own:
 *      the program decides who may answer.
 *   2. An answer that does not fit its question is rejected, and nothing is written.
 *   3. Secrets and files are not answered here, but on their pages: they must not pass through a client.
 *   4. The first answer counts, whichever way it came.
 */
import { InvalidReply, omitUndefined, type OpenQuestion } from "@photon/core";
import type { ErrorResponse, JsonObject } from "../jsonrpc/messages.ts";
import { type ServerSettingsInput, resolveSettings } from "../settings.ts";
import { deferred, withTimeout } from "../util/timers.ts";
import type { CallSummary } from "./open-questions.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { answerQuestion, type InboxReply, isInboxAction } from "./submit-answer.ts";
import { endIfCancelled } from "./cancelled-calls.ts";
import type { RunLog } from "./run-log.ts";
import { type OpenRun, RunRepository } from "./run-repository.ts";
import { SealedBox } from "../crypto/sealed-box.ts";
import type { Store } from "../stores/store.ts";

/** An open question to a person. */
export type InboxQuestion = Extract<OpenQuestion, { emit: "ask" }> & {
  /** Until when it can be answered, in milliseconds since 1970. */
  readonly expires: number;
};

/** A run with open questions, and its call: the title, description and input. */
export interface WaitingRun extends CallSummary {
  readonly run: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly tool: string;
  /** The principal that was asked; "" for one without a name. */
  readonly principal: string;
  /** When the questions were asked, in milliseconds since 1970. */
  readonly since: number;
  readonly questions: readonly InboxQuestion[];
}

/** A page of runs with open questions. */
export interface InboxPage {
  readonly runs: readonly WaitingRun[];
  /** How many more runs the page has that were encrypted with other keys; absent if none. */
  readonly unreadable?: number;
  /** The cursor of the next page, if there is one. */
  readonly next?: string;
}

/** A run that has ended, with the result or the error that its client gets. */
export type EndedRun = Pick<WaitingRun, "run" | "tool" | "principal"> &
  ({ readonly result: JsonObject } | { readonly error: ErrorResponse["error"] });

/** Limits a call of the inbox to one principal. */
export interface PrincipalFilter {
  /** Only runs of this principal. Without it, of every principal. */
  readonly principal?: string | undefined;
}

/** The options of `list`. */
export interface ListOptions extends PrincipalFilter {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** The most runs of a page; 50 by default. A page may have fewer, and not be the last. */
  readonly limit?: number | undefined;
}

/** The options of `answer`. */
export interface AnswerOptions extends PrincipalFilter {
  /** The attempt of the question that was answered. If the question has been asked again since, the answer is rejected. */
  readonly attempt?: number | undefined;
}

/** The options of `wait`. */
export interface WaitOptions extends PrincipalFilter {
  /** Ends the waiting: `wait` resolves with undefined. */
  readonly signal?: AbortSignal | undefined;
}

const PAGE_SIZE = 50;
/** How often `wait` reads the run: no message says what its own client does to it. */
const POLL_INTERVAL_MS = 1000;

/** The open questions of durable runs, which `openInbox` opens: lists and answers them. */
export class Inbox {
  readonly #runs: RunRepository;

  constructor(runs: RunRepository) {
    this.#runs = runs;
  }

  /** A page of the runs with open questions, those that have waited longest first. */
  async list({ principal, after, limit = PAGE_SIZE }: ListOptions = {}): Promise<InboxPage> {
    const { runs, unreadable, next } = await this.#runs.list(principal, after, limit);
    const waiting = await Promise.all(runs.map((open) => this.#waitingRun(open)));
    return {
      runs: waiting.flatMap((run) => run ?? []),
      ...omitUndefined({ unreadable: unreadable === 0 ? undefined : unreadable, next }),
    };
  }

  /** One run, if it has open questions. */
  async find(run: string, { principal }: PrincipalFilter = {}): Promise<WaitingRun | undefined> {
    const open = await this.#runs.opened(run);
    return open && isFor(open, principal) ? this.#waitingRun(open) : undefined;
  }

  /** Answers a question. A server continues the run; `wait` resolves with its result. */
  async answer(
    run: string,
    key: string,
    reply: InboxReply,
    { principal, attempt }: AnswerOptions = {},
  ): Promise<void> {
    if (!isInboxAction(reply.action))
      throw new InvalidReply(key, "its action must be accept, decline or cancel");
    await answerQuestion(this.#runs, { run, key, reply, principal, attempt, via: "inbox" });
  }

  /** How a run ended, as long as the store has it; undefined if it has not ended. */
  async result(run: string, { principal }: PrincipalFilter = {}): Promise<EndedRun | undefined> {
    const log = await this.#runs.find(run);
    return log && isFor(log.head, principal) ? endedRun(log) : undefined;
  }

  /** The state of a run: it has ended, or has open questions; undefined if the store does not have it. */
  async status(
    run: string,
    { principal }: PrincipalFilter = {},
  ): Promise<EndedRun | WaitingRun | "running" | undefined> {
    const log = await this.#runs.find(run);
    if (log === undefined || !isFor(log.head, principal)) return undefined;
    if (log.ending !== undefined) return endedRun(log);
    const open = await this.#runs.opened(run);
    if (open === undefined) return "running";
    if (await endIfCancelled(this.#runs, open)) return (await this.result(run)) ?? "running";
    // If the log has grown since the round was opened, the round was answered.
    const isAsked = open.length === log.length && open.awaitsProcess !== true;
    return (isAsked ? waitingRun(open, this.#runs.now()) : undefined) ?? "running";
  }

  /** Waits until a run has ended, or has open questions; undefined if the store does not have it, or `signal` was aborted. */
  async wait(
    run: string,
    { principal, signal }: WaitOptions = {},
  ): Promise<EndedRun | WaitingRun | undefined> {
    let changed = deferred();
    const onChange = (): void => changed.resolve();
    const unsubscribe = await this.#runs.bus.onGrown(run, onChange);
    signal?.addEventListener("abort", onChange, { once: true });
    try {
      for (;;) {
        if (signal?.aborted === true) return undefined;
        changed = deferred();
        const status = await this.status(run, { principal });
        if (status !== "running") return status;
        await withTimeout(changed.promise, this.#runs.settings.clock, POLL_INTERVAL_MS);
      }
    } finally {
      signal?.removeEventListener("abort", onChange);
      unsubscribe();
    }
  }

  async #waitingRun(open: OpenRun): Promise<WaitingRun | undefined> {
    return (await endIfCancelled(this.#runs, open)) ? undefined : waitingRun(open, this.#runs.now());
  }
}

const isFor = (run: { readonly principal: string }, principal: string | undefined): boolean =>
  principal === undefined || run.principal === principal;

function endedRun({ run, head, ending }: RunLog): EndedRun | undefined {
  return ending && { run, tool: head.subject, principal: head.principal, ...ending };
}

/** The questions of a run that a person can answer now; undefined if there are none. */
function waitingRun(open: OpenRun, now: number): WaitingRun | undefined {
  const { run, subject: tool, call, principal, since, until, round, isUnlogged } = open;
  const questions = Object.values(round).flatMap((question) => {
    const expires = question.deadline ?? until;
    return question.emit === "ask" && !isExpired({ deadline: expires }, now)
      ? [{ ...question, expires }]
      : [];
  });
  if (questions.length === 0 || isUnlogged === true) return undefined;
  return { run, tool, ...call, principal, since, questions };
}

/** The options of `openInbox`. */
export interface InboxOptions extends Pick<ServerSettingsInput, "audit" | "clock" | "report"> {
  readonly store: Store;
  /** The keys of the servers that share the store. Default: PHOTON_KEYS. */
  readonly keys?: readonly string[];
}

/** Opens the inbox of a store, for programs that have no tools of their own. The caller closes the store. */
export function openInbox(options: InboxOptions): Inbox {
  const settings = resolveSettings(options);
  return new Inbox(new RunRepository(options.store, new SealedBox(settings.keys), settings));
}
