/**
 * The run of a call on a session, as far as a store keeps it.
 *
 *   1. It is held while its body goes on, and by nobody while somebody is asked.
 *   2. What is replied counts once it is in the log, and the first that is counts: whichever process heard it.
 */
import type { OpenQuestion, Replies, Reply, Round } from "@photon/core";
import type { RunAttendant } from "../runs/attendance.ts";
import { countedReply } from "../runs/counted-reply.ts";
import { endsRun, failureOf } from "../runs/failure.ts";
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
  #hasLeft = false;
  /** Lets go of it, while it is held. */
  #letGo: (() => Promise<void>) | undefined;

  constructor(ledger: Ledger, runs: Runs) {
    this.ledger = ledger;
    this.#runs = runs;
  }

  /** The run begins here: it is held as soon as anything of it is in the store. `attendant` hears what becomes of it elsewhere. */
  begins(attendant: RunAttendant): void {
    this.ledger.beforeFirst = async () => {
      this.#letGo = await this.#runs.hold(this.ledger.run);
      await this.#attend(attendant);
    };
  }

  /** Holds the run while it goes on. */
  async during<T>(goOn: () => Promise<T>): Promise<T> {
    this.#letGo = await this.#runs.hold(this.ledger.run);
    try {
      return await goOn();
    } finally {
      await this.rests();
    }
  }

  /** It does not go on: nobody holds it. */
  async rests(): Promise<void> {
    const letGo = this.#letGo;
    this.#letGo = undefined;
    await letGo?.();
  }

  /** Somebody is about to be asked; `attendant` hears what becomes of it elsewhere. */
  async opened(round: Round, until: number, attendant: RunAttendant): Promise<void> {
    await this.#attend(attendant);
    await this.ledger.opened(round, until);
    // Where that was the first of it in the store, it was taken for that.
    await this.rests();
  }

  /** What was replied elsewhere to a question of a round, before it was put here. */
  knownIn(round: Round): Replies | undefined {
    for (const key of Object.keys(round)) {
      const known = this.ledger.replyAhead(key);
      // It was a reply when it was written.
      if (known !== undefined) return { [key]: known.reply as Reply };
    }
    return undefined;
  }

  /** Lets a call hear the reply that counts. */
  async pass(question: OpenQuestion, reply: Reply, hearer: Hearer): Promise<void> {
    try {
      const counted = await countedReply(this.ledger, question, reply, this.#runs.now());
      hearer.hear({ [question.key]: counted });
    } catch (error) {
      hearer.failed(error);
    }
  }

  /** What was replied to a question elsewhere, if it was. */
  async replyElsewhere(key: string): Promise<Reply | undefined> {
    await this.ledger.catchUp();
    // It was a reply when it was written.
    return this.ledger.replyAhead(key)?.reply as Reply | undefined;
  }

  /** It has come to its end. What was the end of it already stays that. */
  async ended(ending: Ending): Promise<void> {
    this.leave();
    if (this.ledger.ending === undefined) await this.ledger.ended(ending);
  }

  /** It has failed; unless that is only an interruption, that is its end. */
  async failed(error: unknown): Promise<void> {
    this.leave();
    await this.rests();
    if (endsRun(error)) await this.ended(failureOf(error));
  }

  /** Nobody here has to do with it any more. */
  leave(): void {
    this.#hasLeft = true;
    this.#leave?.();
    this.#leave = undefined;
  }

  async #attend(attendant: RunAttendant): Promise<void> {
    if (this.#leave !== undefined || this.#hasLeft) return;
    this.#leave = await this.#runs.attendRun(this.ledger.run, attendant);
    // Whoever has left meanwhile hears nothing.
    if (this.#hasLeft) this.leave();
  }
}
