/**
 * The log of one run in a store, as the journal that it writes and is replayed from.
 *
 *   1. What the body is given was appended before, at its place. Where that is taken, somebody else has gone on with
 *      the run, and here it is stopped.
 *   2. What nothing depends on yet (how it began, what was asked) waits for the next that is appended. So a call that
 *      asks nothing and does no step is not in the store at all.
 *   3. What is told to a body that is being closed because its client has gone is no part of the run: it goes on from
 *      where it was.
 */
import {
  canonical,
  type Answered,
  type Entry,
  type Journal,
  type Reply,
  type Round,
  type StepBegun,
} from "@photon/core";
import { OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { About } from "../stores/store.ts";
import { dueOf } from "./due-of.ts";
import { endingIn, entriesIn, goneIn } from "./in-log.ts";
import { openAfter } from "./open-after.ts";
import type { Ending, Head, LogRecord, OpenRound } from "./records.ts";
import { RunMoved } from "./run-moved.ts";

/** Where a log is written. */
export interface Shelf {
  /** How many records a log may have. */
  readonly most: number;
  append(run: string, at: number, records: readonly LogRecord[], about: Kept): Promise<boolean>;
  read(run: string, from: number): Promise<readonly LogRecord[]>;
}

/** What is noted with what is appended: until when the run is kept, and what of it is open. */
export interface Kept extends Pick<About, "until"> {
  readonly open?: OpenRound | null;
}

/** How something is asked. */
type Asking = Pick<OpenRound, "isApart" | "way">;

export class Ledger implements Journal {
  readonly run: string;
  readonly head: Head;
  readonly #shelf: Shelf;
  /** Until when the run is kept that is left alone from then on; from now on, where nothing is said. */
  readonly #until: (from?: number) => number;
  #entries: readonly Entry[];
  /** How many records are in the store. */
  #length: number;
  /** What goes there with the next that does. */
  #waiting: LogRecord[];
  /** What was found there that this run has not been told yet. */
  readonly #ahead: Entry[] = [];
  /** What is open, as it was put there from here. */
  #open: OpenRound | undefined;
  #ending: Ending | undefined;
  #isHandedOver: boolean;
  #isBegun = false;
  #isAttended = true;
  /** Steps that had begun when the run was cut off, once it is. */
  #cutOff: Set<string> | undefined;
  readonly #underWay = new Set<string>();
  /** Settles when nobody reads or writes the log any more who began to: one after another does. */
  #turn: Promise<void> | undefined;
  /** Done before anything of the run is in the store. */
  beforeFirst: (() => Promise<void>) | undefined;
  /** When it last asked something. */
  #asked: number | undefined;

  /** With the records that are in the store; none, where it is new. */
  constructor(
    run: string,
    head: Head,
    shelf: Shelf,
    until: (from?: number) => number,
    records: readonly LogRecord[] = [],
  ) {
    this.run = run;
    this.head = head;
    this.#shelf = shelf;
    this.#until = until;
    this.#length = records.length;
    this.#waiting = records.length === 0 ? [{ head }] : [];
    this.#entries = entriesIn(records);
    this.#ending = endingIn(records);
    this.#isHandedOver = records.some((record) => "handed" in record);
    this.#asked = this.#entries.findLast((entry) => "asked" in entry)?.at;
  }

  /** What the run is replayed from. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** How many records the log has. */
  get length(): number {
    return this.#length;
  }

  /** What the run has come to, once it has. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Whether it was handed over: then whoever its client is does not matter any more. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Whether what is open is told so when its time is over. */
  get isDue(): boolean {
    return this.#open !== undefined && dueOf(this.#open) !== undefined;
  }

  /** The body begins, once more if it has before. `isAttended`: with its client, who goes on with it where it stops. */
  begun(isAttended = true): this {
    this.#isAttended = isAttended;
    if (this.#isBegun) {
      this.#waiting.push({ again: true });
      this.#entries = [];
    }
    this.#isBegun = true;
    return this;
  }

  append(entry: Entry): void | Promise<void> {
    if ("step" in entry && !this.#isPart(entry.step)) return;
    if ("asked" in entry) this.#asked = entry.at;
    if ("start" in entry || "asked" in entry) return void this.#waiting.push(entry);
    if ("step" in entry) this.#underWay.delete(entry.step);
    if (this.#isAhead(entry)) return;
    return "key" in entry && this.#isAttended ? this.#answered(entry) : this.#write([entry]);
  }

  begin(entry: StepBegun): void | Promise<void> {
    if (this.#cutOff !== undefined) return;
    this.#underWay.add(entry.step);
    return this.#write([entry]);
  }

  /** Answers were brought; whoever brings others to the same questions comes too late. */
  taken(answers: string): void {
    // Those that were brought before, and were none, have come to nothing.
    this.#waiting = this.#waiting.filter((record) => !("taken" in record));
    this.#waiting.push({ taken: answers });
  }

  /** Somebody is about to be asked these questions. `isApart`: they are none of the body's, and in no log. */
  opened(round: Round, until: number, { isApart = false, way }: Asking = {}): Promise<void> {
    const { subject, principal, revision, session } = this.head;
    return this.#inTurn(async () => {
      if (way !== undefined && !this.#isHandedOver) {
        this.#isHandedOver = true;
        this.#waiting.push({ handed: true });
      }
      const gone = goneIn(round, this.#entries);
      const open: OpenRound = {
        subject,
        principal,
        revision,
        round,
        length: this.#length + this.#waiting.length,
        until,
        ...(session && !this.#isHandedOver && { session }),
        ...(gone.length > 0 && { gone }),
        ...(way && { way }),
        ...(isApart ? { isApart } : this.#asked === undefined ? {} : { asked: this.#asked }),
      };
      // Somebody has to find out that its time is over, when that may be.
      await this.#append([], { until: this.#until(until), open });
      this.#open = open;
    });
  }

  /** What was asked is open no more: whoever answers it by another way comes too late. */
  async #answered(entry: Entry): Promise<void> {
    await this.#write([entry], { until: this.#until(), open: null });
    this.#open = undefined;
  }

  /** Somebody replied to a question. What counts is the first reply in the log: this one, or another that came before it. */
  async settle(reply: Answered): Promise<Answered> {
    const known = this.replyAhead(reply.key);
    if (known !== undefined) return known;
    const open = this.#open && openAfterReply(this.#open, reply);
    try {
      await this.#write([reply], {
        until: this.#until(open?.until),
        ...(open === undefined ? {} : { open }),
      });
      this.#ahead.push(reply);
      return reply;
    } catch (error) {
      if (!(error instanceof RunMoved)) throw error;
      const found = await this.catchUp();
      // Other questions of the same round may have been answered elsewhere: this one can still be.
      if (found.length === 0 || !found.every((record) => "reply" in record)) throw error;
      for (const other of found) this.#open &&= openAfterReply(this.#open, other);
      return this.settle(reply);
    }
  }

  /** The run has come to its end. One that has left nothing in the store leaves nothing now. */
  async ended(ending: Ending): Promise<void> {
    if (this.#length > 0) await this.#write([{ ending }], { until: this.#until(), open: null });
    this.#ending = ending;
  }

  /** Reads what others have appended since; what was replied, which this run has not been told. */
  catchUp(): Promise<readonly LogRecord[]> {
    return this.#inTurn(async () => {
      const found = await this.#shelf.read(this.run, this.#length);
      this.#length += found.length;
      this.#ending ??= endingIn(found);
      this.#ahead.push(...entriesIn(found));
      return found;
    });
  }

  /** The client has gone, and the body is being closed for it: the run stays where it was. */
  cutOff(): void {
    this.#cutOff ??= new Set(this.#underWay);
  }

  /** Whether a step belongs to the run: it does, unless it began after the run was cut off. */
  #isPart(step: string): boolean {
    return this.#cutOff === undefined || this.#cutOff.has(step);
  }

  /** The reply to a question that is in the store already, and that this run has not been told. */
  replyAhead(key: string): Answered | undefined {
    return this.#ahead.find((next): next is Answered => "reply" in next && next.key === key);
  }

  /** Whether an entry is in the store already, put there by whoever heard the reply first. */
  #isAhead(entry: Entry): boolean {
    if (this.#ahead.length === 0) return false;
    // The questions of one round are answered in any order.
    const at = this.#ahead.findIndex((next) => isSameReply(next, entry));
    if (at === -1) throw new RunMoved(this.run);
    this.#ahead.splice(at, 1);
    return true;
  }

  #write(records: readonly LogRecord[], about?: Kept): Promise<void> {
    return this.#inTurn(() => this.#append(records, about));
  }

  /** Reads or writes the log once nobody else does: what is read meanwhile would be counted twice. */
  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    let isOver = (): void => {};
    this.#turn = new Promise((resolve) => {
      isOver = resolve;
    });
    await before;
    try {
      return await act();
    } finally {
      isOver();
    }
  }

  async #append(records: readonly LogRecord[], about?: Kept): Promise<void> {
    if (this.#length === 0) await this.beforeFirst?.();
    const written = [...this.#waiting, ...records];
    const at = this.#length;
    if (at + written.length > this.#shelf.most) throw tooLong(this.head.subject, this.#shelf.most);
    if (!(await this.#shelf.append(this.run, at, written, about ?? { until: this.#until() })))
      throw new RunMoved(this.run);
    this.#length = at + written.length;
    this.#waiting = [];
  }
}

const tooLong = (subject: string, most: number): RpcError =>
  new RpcError(
    OVER_LIMIT,
    `What ${subject} has been told and has done is more than a store keeps of one run: ${most} records (limits.records).`,
  );

const isSameReply = (found: Entry, entry: Entry): boolean =>
  "reply" in found &&
  "reply" in entry &&
  found.key === entry.key &&
  canonical(found.reply) === canonical(entry.reply);

const openAfterReply = (open: OpenRound, { key, reply, at }: Answered): OpenRound =>
  // It was a reply when it was written, and then.
  openAfter(open, key, reply as Reply, at ?? open.until);
