/**
 * Durable runs in a store: their logs, the list of those that have not ended, and their leases.
 *
 *   1. Everything in the store is encrypted, and bound to its position: a record cannot be moved to another run or position.
 *   2. The process that continues a run has its lease. The lease of a process that has died lasts a few seconds more.
 *   3. While the store cannot be used, each access is retried for STORE_TIMEOUT_MS: a short outage ends no run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../crypto/digest.ts";
import type { SealedBox } from "../crypto/sealed-box.ts";
import type { Settings } from "../settings.ts";
import { RecordsUnreadable, StoreUnavailable } from "../errors.ts";
import type { AppendMeta, ListedEntry, ListPage, Store } from "../stores/store.ts";
import { ProcessBus, type RunListener } from "./process-bus.ts";
import type { LeasedLog } from "./durable-call.ts";
import { LeaseManager } from "./leases.ts";
import { nextDeadline, type OpenQuestions } from "./open-questions.ts";
import type { CallHeader, LogRecord } from "./log-records.ts";
import { RunLog } from "./run-log.ts";

/** The list entry of a run that has not ended. */
export interface OpenRun extends OpenQuestions {
  readonly run: string;
  readonly since: number;
}

export interface OpenRuns {
  readonly runs: readonly OpenRun[];
  /** How many more runs the page has that were encrypted with other keys. */
  readonly unreadable: number;
  /** The cursor of the next page, if there is one. */
  readonly next?: string;
}

const STORE_TIMEOUT_MS = 10_000;
const STORE_RETRY_MS = 250;

/** The group of runs that wait for a process. No principal has this name. */
const AWAITING_PROCESS = "awaiting process";

type RepositorySettings = Pick<Settings, "audit" | "clock" | "lease" | "limits" | "maxWait" | "report">;

export class RunRepository {
  readonly #store: Store;
  /** The name of this process for the other processes. */
  readonly process: string = crypto.randomUUID();
  readonly settings: RepositorySettings;
  readonly bus: ProcessBus;
  readonly #sealedBox: SealedBox;
  readonly #leases: LeaseManager;
  /** The lease that says that this process is alive. */
  #processLease: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(store: Store, sealedBox: SealedBox, settings: RepositorySettings) {
    this.#store = store;
    this.settings = settings;
    this.#sealedBox = sealedBox;
    const channels: Pick<Store, "subscribe" | "publish"> = {
      subscribe: (...subscription) => store.subscribe(...subscription),
      publish: (...message) => this.#retrying(() => store.publish(...message)),
    };
    this.bus = new ProcessBus(this.process, channels, sealedBox);
    this.#leases = new LeaseManager(store, this.process, settings, () => this.bus.notifyAll());
  }

  /** The log of a new run. It is in the store from its first append on. */
  begin(run: string, head: CallHeader): RunLog {
    return new RunLog(run, head, this);
  }

  /** The log of a run that is in the store. */
  async find(run: string): Promise<RunLog | undefined> {
    const records = await this.read(run, 0);
    const [first] = records;
    return first !== undefined && "head" in first ? new RunLog(run, first.head, this, records) : undefined;
  }

  /** Acquires the lease of a run, and reads its log. Without a log the lease is released. */
  async findLeased(run: string): Promise<LeasedLog | undefined> {
    const release = await this.acquireLease(run);
    let log: RunLog | undefined;
    try {
      log = await this.find(run);
      return log && { log, release };
    } finally {
      if (log === undefined) await release();
    }
  }

  /** The list entry of a run. */
  async opened(run: string): Promise<OpenRun | undefined> {
    const found = await this.#retrying(() => this.#store.getOpen(run));
    return found && this.#decryptOpen(found);
  }

  /** A page of the runs with open questions, of one principal or of all. */
  async list(principal: string | undefined, after: string | undefined, limit: number): Promise<OpenRuns> {
    const group = principal === undefined ? {} : { group: groupOf(principal) };
    return this.#page(await this.#store.list({ ...group, ...pageQuery(after, limit) }));
  }

  /** A page of the runs that wait for a process to continue them: they were answered, or their process has ended. */
  async awaitingProcess(after: string | undefined, limit: number): Promise<OpenRuns> {
    return this.#page(await this.#store.list({ group: AWAITING_PROCESS, ...pageQuery(after, limit) }));
  }

  /** A page of the runs with an expired question. */
  async overdue(after: string | undefined, limit: number): Promise<OpenRuns> {
    return this.#page(await this.#store.listDue(this.now(), pageQuery(after, limit)));
  }

  /**
   * Appends to a log that has `position` records, and lists the run with `open`; `null` removes it from the list. If the
   * connection of the store broke, it may have appended them: the append is retried, and the stored records are compared. Encrypted texts are unique.
   */
  append(
    run: string,
    position: number,
    records: readonly LogRecord[],
    open?: OpenQuestions | null,
  ): Promise<boolean> {
    const encrypted = records.map((record, index) =>
      this.#sealedBox.encrypt(JSON.stringify(record), recordAad(run, position + index)),
    );
    const meta: AppendMeta = {
      until: this.retentionUntil(open?.until),
      ...(open !== undefined && { open: open && this.#encryptOpen(run, open) }),
    };
    let attempts = 0;
    return this.#retrying(async () => {
      attempts += 1;
      if (await this.#store.append(run, position, encrypted, meta)) return true;
      if (attempts === 1 || encrypted.length === 0) return false;
      const found = await this.#store.read(run, position);
      return encrypted.every((text, index) => found[index] === text);
    });
  }

  /** The records of a log from an index on. */
  async read(run: string, from: number): Promise<readonly LogRecord[]> {
    const encrypted = await this.#retrying(() => this.#store.read(run, from));
    return encrypted.map((record, index) => {
      const text = this.#sealedBox.decrypt(record, recordAad(run, from + index));
      if (text === undefined) throw new RecordsUnreadable(run);
      // Encrypted by a process with the same keys.
      return JSON.parse(text) as LogRecord;
    });
  }

  now(): number {
    return this.settings.clock.now();
  }

  /** When a run that is not changed after `from` expires. */
  retentionUntil(from: number = this.now()): number {
    return from + this.settings.maxWait;
  }

  /** Stores a value under a name, unless there is one. Resolves with the value that is stored. */
  putIfAbsent(name: string, value: string, until: number): Promise<string> {
    return this.#retrying(() => this.#store.putIfAbsent(name, value, until));
  }

  /** The value that is stored under a name. */
  get(name: string): Promise<string | undefined> {
    return this.#retrying(() => this.#store.get(name));
  }

  /** Tells every process that the log of a run has grown. A process that misses the message finds the run when it scans the store. */
  async publishGrown(run: string): Promise<void> {
    await this.bus.publish({ kind: "log-grown", run }).catch(this.settings.report);
  }

  /** Acquires the lease of a run, once no other call or process has it. Resolves with a function that releases it. */
  acquireLease(run: string): Promise<() => Promise<void>> {
    return this.#retrying(() => this.#leases.acquire(`run:${run}`));
  }

  /** The same if the lease is free now; else undefined. */
  tryAcquireLease(run: string): Promise<(() => Promise<void>) | undefined> {
    return this.#leases.tryAcquire(`run:${run}`);
  }

  /** Claims a run: other processes leave it to this one, as long as this one is alive. Resolves with a function that ends the claim. */
  async claim(run: string, listener: RunListener | undefined): Promise<() => void> {
    const release = this.bus.claim(run, listener);
    try {
      await this.announceProcess();
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves when other processes can see that this one is alive, and can send it messages. */
  async announceProcess(): Promise<void> {
    this.#isClosed = false;
    this.#processLease ??= this.#retrying(() => this.#leases.acquire(processLease(this.process)));
    await this.#processLease.catch((error: unknown) => {
      this.#processLease = undefined;
      throw error;
    });
    await this.bus.subscribe();
  }

  /** Whether another process is alive. */
  isAlive(process: string): Promise<boolean> {
    return this.#retrying(() => this.#leases.isHeldByOther(processLease(process)));
  }

  /** Whether a process that is alive has claimed the run: this one, or another. */
  async isClaimed({ run, process }: Pick<OpenRun, "run" | "process">): Promise<boolean> {
    if (process === this.process) return this.bus.hasClaim(run);
    return process !== undefined && this.isAlive(process);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#processLease?.catch(() => {});
    this.#processLease = undefined;
    await this.#leases.close();
    await this.bus.close();
  }

  async #retrying<T>(access: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + STORE_TIMEOUT_MS;
    for (;;) {
      try {
        return await access();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || performance.now() > deadline || this.#isClosed)
          throw error;
      }
      await sleep(STORE_RETRY_MS);
    }
  }

  #page({ entries, next }: ListPage): OpenRuns {
    const runs = entries.flatMap((entry) => this.#decryptOpen(entry) ?? []);
    return { runs, unreadable: entries.length - runs.length, ...(next !== undefined && { next }) };
  }

  #encryptOpen(run: string, questions: OpenQuestions): NonNullable<AppendMeta["open"]> {
    const open = this.bus.hasClaim(run) ? { ...questions, process: this.process } : questions;
    return {
      group: open.awaitsProcess === true ? AWAITING_PROCESS : groupOf(open.principal),
      since: open.askedAt ?? this.now(),
      due: nextDeadline(open),
      value: this.#sealedBox.encrypt(JSON.stringify(open), openAad(run)),
    };
  }

  /** Undefined for a run that was encrypted with other keys. */
  #decryptOpen({ run, since, value }: ListedEntry): OpenRun | undefined {
    const text = this.#sealedBox.decrypt(value, openAad(run));
    // Encrypted by a process with the same keys.
    return text === undefined ? undefined : { ...(JSON.parse(text) as OpenQuestions), run, since };
  }
}

const pageQuery = (after: string | undefined, limit: number): { after?: string; limit: number } =>
  after === undefined ? { limit } : { after, limit };

const processLease = (process: string): string => `process:${process}`;

const recordAad = (run: string, index: number): string => `record ${index} of ${run}`;

const openAad = (run: string): string => `open in ${run}`;

/** A group name that does not reveal the principal. */
const groupOf = (principal: string): string => sha256(`photon principal ${principal}`);
