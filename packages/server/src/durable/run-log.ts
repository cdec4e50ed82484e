/**
 * The log of one durable run: appends to it as the journal of the body, and reads what other processes have appended.
 *
 *   1. A copy of the log may only append at the exact end of what its body has replayed. The store compares that position with
 *      the length of the log. Leases and clocks decide which process tries; the position alone decides what is written.
 *   2. Other processes may append only replies to the round that this copy has open: they are given to the body. Any other record
 *      means that the run has moved: from then on this copy writes nothing, and its body does nothing.
 *   3. The first reply to a question counts, whichever process received it.
 *   4. Records on which nothing depends yet (the start, a round) are written with the next append: a call that asks nothing and
 *      does no step is never in the store.
 *   5. A run that has not ended is listed, unless its client has disconnected and only the same request continues it.
 */
import {
  type ReplyEntry,
  replyEntry,
  canonicalJson,
  type JournalEntry,
  type Journal,
  omitUndefined,
  type OpenQuestion,
  type Reply,
  type Round,
  type SecretEntry,
  type StepBegunEntry,
  type SecretRedactor,
} from "@photon/core";
import { RunMoved } from "../errors.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import {
  type CallHeader,
  endingIn,
  entriesIn,
  type LogRecord,
  lostSecrets,
  type RunResult,
} from "./log-records.ts";
import {
  type CallSummary,
  type DescribedDefinition,
  hasQuestions,
  nextDeadline,
  openAfter,
  type OpenQuestions,
  summarizeCall,
} from "./open-questions.ts";
import type { RunRepository } from "./run-repository.ts";

type KeyedReply = readonly [key: string, Reply];

export class RunLog implements Journal {
  readonly run: string;
  readonly head: CallHeader;
  readonly #runs: RunRepository;
  #entries: readonly JournalEntry[];
  /** How many records of the store's log this copy knows: the position of its next append. */
  #length: number;
  /** Records that are written with the next append. */
  #pending: LogRecord[];
  /** Replies to the open round that are in the log, and that the body was not given yet, in the order of the log. */
  #replies: ReplyEntry[] = [];
  /** The round that this copy has open in the store. */
  #open: OpenQuestions | undefined;
  #ending: RunResult | undefined;
  #isHandedOver: boolean;
  /** Whether this copy has listed the run, with its open round or as one that this process works on. */
  #isListed = false;
  #isStarted = false;
  /** Set when another process has continued the run. */
  #moved: RunMoved | undefined;
  #reconnects: number;
  /** Settles when the access under way has ended: accesses run one after another. */
  #lastAccess: Promise<unknown> = Promise.resolve();
  /** Called before the first record of the run is written. */
  beforeFirstAppend: (() => Promise<void>) | undefined;
  /** When the last round was asked. */
  #askedAt: number | undefined;
  #described: { readonly definition: DescribedDefinition; readonly secrets: SecretRedactor } | undefined;
  /** Whether the run has secrets from before this copy was read: they are in no log, so they cannot be removed from the input. */
  readonly #hasUnknownSecrets: boolean;

  /** `records` are those in the store; none for a new run. */
  constructor(run: string, head: CallHeader, runs: RunRepository, records: readonly LogRecord[] = []) {
    this.run = run;
    this.head = head;
    this.#runs = runs;
    this.#length = records.length;
    this.#pending = records.length === 0 ? [{ head }] : [];
    this.#entries = entriesIn(records);
    this.#ending = endingIn(records);
    this.#isHandedOver = records.some((record) => "handedOver" in record);
    this.#reconnects = records.filter((record) => "reconnectedTo" in record).length;
    this.#hasUnknownSecrets = records.some((record) => "secret" in record);
    this.#askedAt = this.#entries.findLast((entry) => "asked" in entry)?.at;
  }

  /** The entries from which the body is replayed. */
  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** How many records the log has, as far as this copy knows. */
  get length(): number {
    return this.#length;
  }

  /** How the run ended, once it has. */
  get ending(): RunResult | undefined {
    return this.#ending;
  }

  /** Whether the call was handed over to a model: then the client of the call is not asked any more. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** How often the client of the session has reconnected to a process, as far as this copy knows. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** Whether the open round has a deadline after which some process records a timeout. */
  get hasDeadline(): boolean {
    return this.#open !== undefined && nextDeadline(this.#open) !== undefined;
  }

  /** Throws `RunMoved` if another process has continued the run. */
  assertNotMoved(): void {
    if (this.#moved !== undefined) throw this.#moved;
  }

  /** Called when the body starts. If it has started from this copy before, it starts from the beginning. */
  startBody(): this {
    if (this.#isStarted) {
      this.#pending.push({ restarted: true });
      this.#entries = [];
    }
    this.#isStarted = true;
    return this;
  }

  /**
   * Records, with the next append, that the client of the session has reconnected to this process. Without this record, a copy of the run
   * in another process that has the same question open would continue the run with the client's answer, while the client waits here.
   */
  noteReconnect(process: string): void {
    this.#pending.push({ reconnectedTo: process });
    this.#reconnects += 1;
  }

  /** Sets the tool, prompt or resource, for the list of open rounds. `secrets` are those of the run, as far as this process knows them. */
  describe(definition: DescribedDefinition, secrets: SecretRedactor): void {
    this.#described = { definition, secrets };
  }

  append(entry: JournalEntry): void | Promise<void> {
    this.assertNotMoved();
    if ("asked" in entry) this.#askedAt = entry.at;
    if ("start" in entry || "asked" in entry) return void this.#pending.push(entry);
    if ("key" in entry) return this.#removeReply(entry) ? undefined : this.#writeReply(entry);
    return this.#write([entry]);
  }

  begin(entry: StepBegunEntry): void | Promise<void> {
    this.assertNotMoved();
    return this.#write([entry]);
  }

  /** Records, with the next append, the digest of the answers that a request brought: other answers to the same round come too late. */
  noteAnswers(digest: string): void {
    // Answers that were noted before and refused have changed nothing.
    this.forgetAnswers();
    this.#pending.push({ answersDigest: digest });
  }

  /** The answers that were noted last do not count. */
  forgetAnswers(): void {
    this.#pending = this.#pending.filter((record) => !("answersDigest" in record));
  }

  /**
   * Opens a round in the store, before its questions are asked. If another process has recorded replies to the round meanwhile,
   * nothing is written, and `nextReply` returns them.
   */
  openRound(
    round: Round,
    until: number,
    { isUnlogged = false, handoverMode }: Pick<OpenQuestions, "isUnlogged" | "handoverMode"> = {},
  ): Promise<void> {
    return this.#inTurn(async () => {
      this.assertNotMoved();
      if (handoverMode !== undefined && !this.#isHandedOver) {
        this.#isHandedOver = true;
        this.#pending.push({ handedOver: true });
      }
      const lost = lostSecrets(round, this.#entries);
      const open: OpenQuestions = {
        ...this.#summary(until),
        call: this.#callSummary(),
        round,
        length: this.#length + this.#pending.length,
        ...(lost.length > 0 && { lostSecrets: lost }),
        ...(handoverMode && { handoverMode }),
        ...(isUnlogged ? { isUnlogged } : omitUndefined({ askedAt: this.#askedAt })),
      };
      if (await this.#tryToAppend([], open)) {
        this.#open = open;
        this.#isListed = true;
        this.#replies = [];
      } else {
        await this.#readNew();
        this.assertNotMoved();
      }
    });
  }

  /**
   * Records a reply to the open round, unless the log has a reply to the same question. Resolves with the first reply in the log that the
   * body was not given yet, to any question of the round: the body is given replies in the order of the log.
   */
  recordReply(question: OpenQuestion, reply: Reply, repliedAt: number): Promise<KeyedReply> {
    const entry = replyEntry(question, reply, repliedAt);
    return this.#inTurn(async () => {
      this.assertNotMoved();
      for (;;) {
        const [first] = this.#replies;
        if (first !== undefined && this.#replies.some(({ key }) => key === question.key))
          return keyedReply(first);
        // A reply to another question, from another process, has ended the round.
        if (this.#open !== undefined && !hasQuestions(this.#open)) this.#setMoved();
        this.assertNotMoved();
        const open = this.#open && openAfter(this.#open, entry);
        if (await this.#tryToAppend([entry], open)) {
          this.#open = open;
          this.#replies.push(entry);
        } else await this.#readNew();
        this.assertNotMoved();
      }
    });
  }

  /** The next reply in the log that the body was not given yet, if it is to a question of the round. */
  nextReply(round: Round): KeyedReply | undefined {
    const next = this.#replies.find(({ key }) => Object.hasOwn(round, key));
    return next && keyedReply(next);
  }

  /** The next reply that the body was not given yet, if the log has one to this question, or one that ended its round. */
  replyEnding({ key }: OpenQuestion): KeyedReply | undefined {
    const { round = {} } = this.#open ?? {};
    const [next] = this.#replies;
    return next === undefined || Object.hasOwn(round, key) ? undefined : keyedReply(next);
  }

  /** Records how the run ended, unless nothing of the run is in the store. */
  async recordEnd(ending: RunResult): Promise<void> {
    this.assertNotMoved();
    if (this.#length > 0) await this.#write([{ ending }], () => null);
    this.#ending ??= ending;
  }

  /**
   * Writes the pending records, so that any process can continue the run from here without a client. A run that waits for answers stays
   * open at its questions.
   */
  recordDetached(): Promise<void> {
    return this.#updateEntry(() => this.#workingEntry());
  }

  /** Writes the start of the run, so that its client can reconnect to any process. */
  async recordStart(): Promise<void> {
    if (this.#length === 0) await this.recordDetached();
  }

  /** Writes the pending records, and removes the run from the list: only its own client continues it. */
  async recordLeft(): Promise<void> {
    if (this.#length > 0) await this.#updateEntry(() => null);
  }

  /** Reads what other processes have appended. Resolves with whether there was anything: replies to the open round, or the run has moved. */
  refresh(): Promise<boolean> {
    return this.#inTurn(async () => {
      const before = this.#length;
      await this.#readNew();
      return this.#moved !== undefined || this.#length > before;
    });
  }

  /** Changes the list entry of a run that has no open questions and has not ended. */
  #updateEntry(open: () => OpenQuestions | null): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#moved !== undefined || this.#ending !== undefined || hasQuestions(this.#open)) return;
      const listed = open();
      if (!(await this.#tryToAppend([], listed))) this.#setMoved();
      this.#isListed = listed !== null;
    });
  }

  /** Removes a reply that is in the log already from those that the body was not given yet. Returns whether it was there. */
  #removeReply(entry: JournalEntry): boolean {
    const index = this.#replies.findIndex((known) => isSameReply(known, entry));
    if (index >= 0) this.#replies.splice(index, 1);
    return index >= 0;
  }

  /**
   * Writes a reply that the body was given before it was recorded: by an answerer, a page, or the request that resumed the run.
   * If another reply was recorded first, the run has moved: the body is given replies in the order of the log. A secret is recorded
   * also after a reply to another question: the log does not have its value.
   */
  #writeReply(entry: ReplyEntry | SecretEntry): Promise<void> {
    return this.#inTurn(async () => {
      this.assertNotMoved();
      while (!(await this.#tryToAppend([entry], this.#workingEntry()))) {
        await this.#readNew();
        if (!("secret" in entry) || !hasQuestions(this.#open)) this.#setMoved();
        this.assertNotMoved();
      }
      this.#isListed = true;
      this.#open = undefined;
    });
  }

  /**
   * Appends what the body did after its last round. A late reply to that round, from another process, changes nothing. By default
   * the first append of this copy lists the run as one that this process works on, in place of a round that the body has passed.
   */
  #write(
    records: readonly LogRecord[],
    open = (): OpenQuestions | null | undefined =>
      !this.#isListed || hasQuestions(this.#open) ? this.#workingEntry() : undefined,
  ): Promise<void> {
    return this.#inTurn(async () => {
      this.assertNotMoved();
      // A run ends once.
      if (this.#ending !== undefined) return;
      while (!(await this.#tryToAppend(records, open()))) {
        await this.#readNew();
        this.assertNotMoved();
      }
      this.#ending ??= endingIn(records);
      this.#isListed = true;
      this.#open = undefined;
      this.#replies = [];
    });
  }

  /** The list entry of the run while a process works on it. */
  #workingEntry(): OpenQuestions {
    return { ...this.#summary(this.#runs.now()), round: {}, length: this.#length, awaitsProcess: true };
  }

  #summary(until: number): Omit<OpenQuestions, "round" | "length"> {
    const { subject, principal, owner, revision, session } = this.head;
    const optional = omitUndefined({ owner, session: this.#isHandedOver ? undefined : session });
    return { subject, principal, revision, until, ...optional };
  }

  #callSummary(): CallSummary {
    if (this.#described === undefined) return {};
    const { definition, secrets } = this.#described;
    return summarizeCall(definition, this.#hasUnknownSecrets ? undefined : this.head.params, secrets);
  }

  /** Accesses the log when no other access is under way: `#length` is read before, and set after, an await. */
  #inTurn<T>(access: () => Promise<T>): Promise<T> {
    const result = this.#lastAccess.then(access);
    this.#lastAccess = result.catch(() => {});
    return result;
  }

  #setMoved(hasClientElsewhere = false): void {
    this.#moved ??= new RunMoved(this.run, hasClientElsewhere);
  }

  /** Appends at the end of what this copy knows. Resolves with whether that was the end of the log. */
  async #tryToAppend(
    records: readonly LogRecord[],
    open: OpenQuestions | null | undefined,
  ): Promise<boolean> {
    if (this.#length === 0) await this.beforeFirstAppend?.();
    const written = [...this.#pending, ...records];
    const at = this.#length;
    const maxRecords = this.#runs.settings.limits.records;
    if (at + written.length > maxRecords)
      throw new RpcError(
        OVER_LIMIT,
        `The log of this call of ${this.head.subject} has more records than a store keeps of one run: ${maxRecords} (limits.records).`,
      );
    if (!(await this.#runs.append(this.run, at, written, open))) return false;
    this.#length = at + written.length;
    // More may be pending since.
    this.#pending = this.#pending.slice(written.length - records.length);
    return true;
  }

  /** Reads what other processes have appended since: replies to the open round, or records which mean that the run has moved. */
  async #readNew(): Promise<void> {
    if (this.#moved !== undefined) return;
    const found = await this.#runs.read(this.run, this.#length);
    this.#ending ??= endingIn(found);
    for (const record of found) {
      if (!("reply" in record) || this.#open === undefined || !Object.hasOwn(this.#open.round, record.key))
        return this.#setMoved(found.some((other) => "reconnectedTo" in other));
      this.#length += 1;
      this.#replies.push(record);
      this.#open = openAfter(this.#open, record);
    }
  }
}

// The reply was checked before it was recorded.
const keyedReply = ({ key, reply }: ReplyEntry): KeyedReply => [key, reply as Reply];

const isSameReply = (found: ReplyEntry, entry: JournalEntry): boolean =>
  "reply" in entry && found.key === entry.key && canonicalJson(found.reply) === canonicalJson(entry.reply);
