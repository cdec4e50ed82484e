/**
 * The log of one durable run, as the journal that its body is recorded in and replayed from.
 *
 *   1. A copy of the log may only append at the exact end of what its body has replayed. The store compares that position with
 *      the length of the log. Leases and clocks decide which process tries; the position alone decides what is written.
 *   2. Only replies to the round that this copy has open may come from elsewhere: they are given to the body. Any other record
 *      means that the run has moved: from then on this copy writes nothing, and its body does nothing.
 *   3. The first reply to a question counts, whichever process received it.
 *   4. Records on which nothing depends yet (how the run began, what was asked) are written with the next append. A call that
 *      asks nothing and does no step is not in the store at all.
 *   5. A run that has not ended is listed: with its open questions, or as one that a process works on. Only a run whose client
 *      has gone, and that waits for the same request, is not.
 */
import {
  type ReplyEntry,
  replyEntry,
  canonicalJson,
  type JournalEntry,
  type Journal,
  type OpenQuestion,
  type Reply,
  type Round,
  type SecretEntry,
  type StepBegunEntry,
  type SecretRedactor,
} from "@photon/core";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { AppendMeta } from "../stores/store.ts";
import {
  type CallSummary,
  type DescribedDefinition,
  nextDeadline,
  hasQuestions,
  openAfter,
  type OpenQuestions,
} from "./open-questions.ts";
import type { RunResult, CallHeader, LogRecord } from "./log-records.ts";
import { RunMoved } from "../errors.ts";
import type { RunRepository } from "./run-repository.ts";

/** What the store notes with an append: until when it keeps the run, and what of the run is open. */
export interface LogState extends Pick<AppendMeta, "until"> {
  readonly open?: OpenQuestions | null;
}

export class RunLog implements Journal {
  readonly run: string;
  readonly head: CallHeader;
  readonly #storage: RunRepository;
  /** When an untouched run expires, counted from `from`, which is now by default. */
  readonly #keptUntil: (from?: number) => number;
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
  /** Whether another process has appended to the log what this copy does not know. */
  #hasMoved = false;
  /** Whether the client of the session has come back to another process since. */
  #hasClientElsewhere = false;
  #returns: number;
  /** Settles when the read or write under way has ended: they run one after another. */
  #lastAccess: Promise<void> | undefined;
  /** Called before the first record of the run is written. */
  beforeFirstAppend: (() => Promise<void>) | undefined;
  /** When the last round was asked. */
  #askedAt: number | undefined;
  /** What is called, and the secrets of the run: once its body starts from this copy. */
  #called: { readonly definition: DescribedDefinition; readonly secrets: SecretRedactor } | undefined;
  /** Whether secrets were given before this copy was read. Their values are in no log, and cannot be taken out of the input. */
  readonly #hasLostSecrets: boolean;

  /** `records` are those in the store; none for a new run. */
  constructor(
    run: string,
    head: CallHeader,
    storage: RunRepository,
    keptUntil: (from?: number) => number,
    records: readonly LogRecord[] = [],
  ) {
    this.run = run;
    this.head = head;
    this.#storage = storage;
    this.#keptUntil = keptUntil;
    this.#length = records.length;
    this.#pending = records.length === 0 ? [{ head }] : [];
    this.#entries = entriesIn(records);
    this.#ending = endingIn(records);
    this.#isHandedOver = records.some((record) => "handed" in record);
    this.#returns = records.filter((record) => "returned" in record).length;
    this.#hasLostSecrets = records.some((record) => "secret" in record);
    this.#askedAt = this.#entries.findLast((entry) => "asked" in entry)?.at;
  }

  /** What the body is replayed from. */
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

  /** Whether the call was handed over to a model: its client is no longer the one that is asked. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Whether the open round has a deadline after which some process records a timeout. */
  get hasDeadline(): boolean {
    return this.#open !== undefined && nextDeadline(this.#open) !== undefined;
  }

  /** Throws `RunMoved` where another process has continued the run. */
  assertNotMoved(): void {
    if (this.#hasMoved) throw new RunMoved(this.run, this.#hasClientElsewhere);
  }

  /** The body starts; from the beginning once more, if it has started from this copy before. */
  startBody(): this {
    if (this.#isStarted) {
      this.#pending.push({ again: true });
      this.#entries = [];
    }
    this.#isStarted = true;
    return this;
  }

  /**
   * Notes, with the next append, that the client of the session has come back to this process. Without this record, a copy of the run
   * in another process that has the same question open would continue the run with the client's answer, and its client waits here.
   */
  noteReturn(process: string): void {
    this.#pending.push({ returned: process });
    this.#returns += 1;
  }

  /** How often the client of the session has come back to a process, as far as this copy knows. */
  get returns(): number {
    return this.#returns;
  }

  /** What is called, for the list of open rounds. `secrets` are those of the run, as far as this process knows them. */
  describe(definition: DescribedDefinition, secrets: SecretRedactor): void {
    this.#called = { definition, secrets };
  }

  append(entry: JournalEntry): void | Promise<void> {
    this.assertNotMoved();
    if ("asked" in entry) this.#askedAt = entry.at;
    if ("start" in entry || "asked" in entry) return void this.#pending.push(entry);
    if ("key" in entry) return this.#takeReply(entry) ? undefined : this.#writeReply(entry);
    return this.#write([entry]);
  }

  begin(entry: StepBegunEntry): void | Promise<void> {
    this.assertNotMoved();
    return this.#write([entry]);
  }

  /** Notes the digest of the answers that a request brought, with the next append: other answers to the same round come too late. */
  noteAnswers(digest: string): void {
    // Answers that were refused before have changed nothing.
    this.forgetAnswers();
    this.#pending.push({ taken: digest });
  }

  /** The answers that were noted last do not count. */
  forgetAnswers(): void {
    this.#pending = this.#pending.filter((record) => !("taken" in record));
  }

  /**
   * Opens a round in the store, before its questions are asked. `isApart`: the questions are those of a visit that the
   * tool demands before its body starts, and in no log.
   * Where another process has recorded replies to the round meanwhile, `nextReply` has them, and nothing is written.
   */
  openRound(
    round: Round,
    until: number,
    { isApart = false, way }: Pick<OpenQuestions, "isApart" | "way"> = {},
  ): Promise<void> {
    return this.#inTurn(async () => {
      this.assertNotMoved();
      if (way !== undefined && !this.#isHandedOver) {
        this.#isHandedOver = true;
        this.#pending.push({ handed: true });
      }
      const lost = lostSecrets(round, this.#entries);
      const open: OpenQuestions = {
        ...this.#summary(until),
        call: await this.#callSummary(),
        round,
        length: this.#length + this.#pending.length,
        ...(lost.length > 0 && { gone: lost }),
        ...(way && { way }),
        ...(isApart ? { isApart } : this.#askedAt === undefined ? {} : { asked: this.#askedAt }),
      };
      if (await this.#tryToAppend([], { until: this.#keptUntil(until), open })) {
        this.#open = open;
        this.#isListed = true;
        this.#replies = [];
        return;
      }
      await this.#readOn();
      this.assertNotMoved();
    });
  }

  /**
   * Records a reply to the open round, unless one to the same question is recorded already. Gives back the first reply in the log
   * that the body was not given yet, to whichever question of the round: the body is given replies in the order of the log.
   */
  recordReply(question: OpenQuestion, reply: Reply, at: number): Promise<readonly [key: string, Reply]> {
    const entry = replyEntry(question, reply, at);
    const { key } = question;
    return this.#inTurn(async () => {
      this.assertNotMoved();
      for (;;) {
        const [first] = this.#replies;
        // It was a legal reply when it was recorded.
        if (first !== undefined && this.#replies.some((known) => known.key === key))
          return [first.key, first.reply as Reply] as const;
        // A reply to another question, from elsewhere, has ended the round: the run is no longer where this copy is.
        this.#hasMoved ||= this.#open !== undefined && !hasQuestions(this.#open);
        this.assertNotMoved();
        const open = this.#open && openAfterReply(this.#open, entry);
        const until = this.#keptUntil(open?.until);
        if (await this.#tryToAppend([entry], open === undefined ? { until } : { until, open })) {
          this.#open = open;
          this.#replies.push(entry);
        } else await this.#readOn();
        this.assertNotMoved();
      }
    });
  }

  /** The next reply in the log that the body was not given yet, if it is to a question of the round. */
  nextReply(round: Round): readonly [key: string, Reply] | undefined {
    const next = this.#replies.find(({ key }) => Object.hasOwn(round, key));
    // It was a legal reply when it was recorded.
    return next && [next.key, next.reply as Reply];
  }

  /** The next reply that the body was not given yet, where the log has one to that question, or one that ended its round. */
  replyEnding({ key }: OpenQuestion): readonly [key: string, Reply] | undefined {
    const { round = {} } = this.#open ?? {};
    const [next] = this.#replies;
    // It was a legal reply when it was recorded.
    return next === undefined || Object.hasOwn(round, key) ? undefined : [next.key, next.reply as Reply];
  }

  /** Records how the run ended. A run that has left no record leaves none now. */
  async recordEnd(ending: RunResult): Promise<void> {
    this.assertNotMoved();
    if (this.#length > 0) await this.#write([{ ending }], () => null);
    this.#ending ??= ending;
  }

  /**
   * Writes what is pending, so that any process can continue the run from here without a client. Where the run waits for
   * answers it stays open at its questions.
   */
  async recordDetached(): Promise<void> {
    await this.#list(() => this.#working());
  }

  /** Writes how the run began, so that its client can come back to any process. */
  async recordStart(): Promise<void> {
    if (this.#length === 0) await this.#list(() => this.#working());
  }

  /** Writes what is pending, and lists the run no longer: only its own client continues it. */
  async recordLeft(): Promise<void> {
    if (this.#length > 0) await this.#list(() => null);
  }

  /** Reads what other processes have appended. Says whether anything was: replies to the open round, or the run has moved. */
  refresh(): Promise<boolean> {
    return this.#inTurn(async () => {
      const before = this.#length;
      await this.#readOn();
      return this.#hasMoved || this.#length > before;
    });
  }

  /** Changes how a run is listed that is neither open at a question nor over. */
  #list(open: () => OpenQuestions | null): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#hasMoved || this.#ending !== undefined || hasQuestions(this.#open)) return;
      const listed = open();
      this.#hasMoved = !(await this.#tryToAppend([], { until: this.#keptUntil(), open: listed }));
      this.#isListed = listed !== null;
    });
  }

  /** Takes a reply that is in the log already out of those that the body was not given yet. */
  #takeReply(entry: JournalEntry): boolean {
    const index = this.#replies.findIndex((known) => isSameReply(known, entry));
    if (index >= 0) this.#replies.splice(index, 1);
    return index >= 0;
  }

  /**
   * Writes a reply that the body was given before it was recorded: by an answerer, a page, or the request that resumed the run.
   * Where another reply was recorded first, the run has moved: the body is given replies in the order of the log. A secret, whose
   * value no log has, is recorded after a reply to another question all the same.
   */
  #writeReply(entry: ReplyEntry | SecretEntry): Promise<void> {
    return this.#inTurn(async () => {
      this.assertNotMoved();
      while (!(await this.#tryToAppend([entry], { until: this.#keptUntil(), open: this.#working() }))) {
        await this.#readOn();
        this.#hasMoved ||= !("secret" in entry) || !hasQuestions(this.#open);
        this.assertNotMoved();
      }
      this.#isListed = true;
      this.#open = undefined;
    });
  }

  /** What other processes are told of the run while one works on it. */
  #working(): OpenQuestions {
    return { ...this.#summary(this.#keptUntil()), round: {}, length: this.#length, isAnswered: true };
  }

  async #callSummary(): Promise<CallSummary> {
    if (this.#called === undefined) return {};
    const { definition, secrets } = this.#called;
    // Loaded with the first question of a run that a store keeps.
    const { summaryOf } = await import("./open-questions.ts");
    return summaryOf(definition, this.head.params, secrets, { input: !this.#hasLostSecrets });
  }

  #summary(until: number): Omit<OpenQuestions, "round" | "length"> {
    const { subject, principal, owner, revision, session } = this.head;
    return {
      subject,
      principal,
      ...(owner !== undefined && { owner }),
      revision,
      until,
      ...(session && !this.#isHandedOver && { session }),
    };
  }

  /** Appends what the body did after its last round. A reply to that round which comes late, from elsewhere, changes nothing. */
  #write(
    records: readonly LogRecord[],
    opened: () => OpenQuestions | null | undefined = () => this.#openWhileWorking(),
  ): Promise<void> {
    return this.#inTurn(async () => {
      this.assertNotMoved();
      // A run ends once.
      if (this.#ending !== undefined) return;
      const state = (): LogState => {
        const open = opened();
        return open === undefined ? { until: this.#keptUntil() } : { until: this.#keptUntil(), open };
      };
      while (!(await this.#tryToAppend(records, state()))) {
        await this.#readOn();
        this.assertNotMoved();
      }
      this.#ending ??= endingIn(records);
      this.#isListed = true;
      this.#open = undefined;
      this.#replies = [];
    });
  }

  /** The first append of a copy lists the run as one that this process works on; it also removes the listing of a round that the body has passed. */
  #openWhileWorking(): OpenQuestions | undefined {
    return !this.#isListed || hasQuestions(this.#open) ? this.#working() : undefined;
  }

  /** Accesses the log when no other access is under way: `#length` is read before, and set after, an await. */
  async #inTurn<T>(access: () => Promise<T>): Promise<T> {
    const before = this.#lastAccess;
    let isOver = (): void => {};
    this.#lastAccess = new Promise((resolve) => {
      isOver = resolve;
    });
    await before;
    try {
      return await access();
    } finally {
      isOver();
    }
  }

  /** Appends at the end of what this copy knows. Says whether that is the end of the log. */
  async #tryToAppend(records: readonly LogRecord[], state: LogState): Promise<boolean> {
    if (this.#length === 0) await this.beforeFirstAppend?.();
    const written = [...this.#pending, ...records];
    const at = this.#length;
    if (at + written.length > this.#storage.maxRecords)
      throw tooLong(this.head.subject, this.#storage.maxRecords);
    if (!(await this.#storage.append(this.run, at, written, state))) return false;
    this.#length = at + written.length;
    this.#pending = this.#pending.slice(written.length - records.length);
    return true;
  }

  /** Reads what others have appended since: replies to the open round, or records which mean that the run has moved. */
  async #readOn(): Promise<void> {
    if (this.#hasMoved) return;
    const found = await this.#storage.read(this.run, this.#length);
    this.#ending ??= endingIn(found);
    this.#hasClientElsewhere = found.some((record) => "returned" in record);
    for (const record of found) {
      if (!("reply" in record) || this.#open === undefined || !Object.hasOwn(this.#open.round, record.key)) {
        this.#hasMoved = true;
        return;
      }
      this.#length += 1;
      this.#replies.push(record);
      this.#open = openAfterReply(this.#open, record);
    }
  }
}

/** The journal in a log: the entries since the body last started from the beginning. */
function entriesIn(records: readonly LogRecord[]): readonly JournalEntry[] {
  const from = records.findLastIndex((record) => "again" in record) + 1;
  return records.slice(from).filter(isEntry);
}

const NOT_ENTRIES = ["head", "taken", "again", "handed", "returned", "ending"];

const isEntry = (record: LogRecord): record is JournalEntry => !NOT_ENTRIES.some((key) => key in record);

/** The secrets of a round that were given before, and are asked for again because no process knows their value. */
function lostSecrets(round: Round, entries: readonly JournalEntry[]): readonly string[] {
  const given = entries.flatMap((entry) => ("secret" in entry ? [entry.key] : []));
  return Object.values(round).flatMap(({ key, attempt }) =>
    given.filter((other) => other === key).length >= attempt ? [key] : [],
  );
}

function endingIn(records: readonly LogRecord[]): RunResult | undefined {
  const last = records.at(-1);
  return last !== undefined && "ending" in last ? last.ending : undefined;
}

const openAfterReply = (open: OpenQuestions, { key, reply, at }: ReplyEntry): OpenQuestions =>
  // It was a legal reply when it was recorded, at that time.
  openAfter(open, key, reply as Reply, at ?? open.until);

const isSameReply = (found: ReplyEntry, entry: JournalEntry): boolean =>
  "reply" in entry && found.key === entry.key && canonicalJson(found.reply) === canonicalJson(entry.reply);

const tooLong = (subject: string, maxRecords: number): RpcError =>
  new RpcError(
    OVER_LIMIT,
    `The log of this call of ${subject} has more records than a store keeps of one run: ${maxRecords} (limits.records).`,
  );
