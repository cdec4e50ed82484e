/**
 * The run of a call on a session, as far as a store keeps it.
 *
 *   1. It is held while its body goes on, and by nobody while somebody is asked.
 *   2. What is replied counts once it is in the log, and the first that is counts: whichever process heard it.
 */
import { answeredEntry, type OpenQuestion, type Replies, type Reply, type Round } from "@photon/core";
import { isForPage } from "../mcp/input-requests.ts";
import type { RunAttendant } from "../runs/attendance.ts";
import type { Ledger } from "../runs/ledger.ts";
import type { Ending } from "../runs/records.ts";
import type { Runs } from "../runs/runs.ts";

/** Whoever hears what a client replied. */
export interface Hearer {
  hear(replies: Replies): void;
  /** What was replied could not be written down. */
  failed(error: unknown): void;
}

/** What a run is kept with in a store: what begins its log; or the run itself, where that was begun elsewhere. */
export interface Keeping {
  readonly begin: (runs: Runs) => Ledger;
  readonly kept: KeptRun | undefined;
}

export class KeptRun {
  readonly ledger: Ledger;
  readonly #runs: Runs;
  #leave: (() => void) | undefined;

  constructor(ledger: Ledger, runs: Runs) {
    this.ledger = ledger;
    this.#runs = runs;
  }

  /** Holds the run while it goes on. */
  async during<T>(goOn: () => Promise<T>): Promise<T> {
    const letGo = await this.#runs.hold(this.ledger.run);
    try {
      return await goOn();
    } finally {
      await letGo();
    }
  }

  /** Somebody is about to be asked; `attendant` hears what becomes of it elsewhere. */
  async opened(round: Round, until: number, attendant: RunAttendant): Promise<void> {
    this.#leave ??= await this.#runs.attendRun(this.ledger.run, attendant);
    await this.ledger.opened(round, until);
  }

  /** Lets a call hear the reply that counts. */
  async pass(question: OpenQuestion, reply: Reply, hearer: Hearer): Promise<void> {
    try {
      hearer.hear({ [question.key]: await this.#settle(question, reply) });
    } catch (error) {
      hearer.failed(error);
    }
  }

  /** The reply to a question that counts: this one, if it is the first. */
  async #settle(question: OpenQuestion, reply: Reply): Promise<Reply> {
    // What was answered on a page is known to this process only, and stands in no log.
    if (isForPage(question)) return reply;
    const counts = await this.ledger.settle(answeredEntry(question, reply, this.#runs.now()));
    // It was a reply when it was written.
    return counts.reply as Reply;
  }

  /** What was replied to a question elsewhere, if it was. */
  async replyElsewhere(key: string): Promise<Reply | undefined> {
    const found = await this.ledger.catchUp();
    const entry = found.find((record) => "reply" in record && record.key === key);
    return entry !== undefined && "reply" in entry ? (entry.reply as Reply) : undefined;
  }

  /** It has come to its end. What was the end of it already stays that. */
  async ended(ending: Ending): Promise<void> {
    this.leave();
    if (this.ledger.ending === undefined) await this.ledger.ended(ending);
  }

  /** Nobody here has to do with it any more. */
  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
