/**
 * Writes to a SQLite file, in the order of the calls.
 *
 *   1. The writes of one turn of the event loop are one transaction, because most of the time goes into syncing the disk, once for
 *      each transaction.
 *   2. A write that fails does not fail the others of its transaction: each of them is retried in a transaction of its own.
 *   3. While another process has the file locked, a write is retried until LOCK_TIMEOUT_MS are over. The event loop is free
 *      between two attempts.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isBusy, type Sqlite, toStoreError } from "./database.ts";

/** How long another process may have the file locked before a write or a read fails. */
const LOCK_TIMEOUT_MS = 3000;
const RETRY_DELAY_MS = 20;
/** The most writes in one transaction. */
const MAX_BATCH = 200;

interface Task {
  readonly work: () => void;
  /** Whether the write must survive a power failure, and not only the end of the process. */
  readonly needsSync: boolean;
  readonly deadline: number;
  readonly done: (error?: Error) => void;
  /** Whether a batch with this task has failed: it may be the one that fails, so it gets a transaction of its own. */
  isAlone: boolean;
}

export class SqliteWriter {
  readonly #database: Sqlite;
  readonly #name: string;
  #tasks: Task[] = [];
  #writing: Promise<void> | undefined;
  /** Whether the connection syncs the disk at each commit; undefined before the first transaction. */
  #isSyncing: boolean | undefined;

  constructor(database: Sqlite, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Resolves with the result of `work` once its transaction is committed. `work` runs again if its transaction fails. */
  write<Result>(work: () => Result, needsSync: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      let outcome: { readonly result: Result } | undefined;
      this.#tasks.push({
        work: () => void (outcome = { result: work() }),
        needsSync,
        deadline: performance.now() + LOCK_TIMEOUT_MS,
        done: (error) => {
          if (error !== undefined) reject(toStoreError(error, this.#name));
          else if (outcome !== undefined) resolve(outcome.result);
        },
        isAlone: false,
      });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves when every write has ended. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await nextTurn();
    while (this.#tasks.length > 0) {
      const batch = this.#nextBatch();
      const error = this.#transact(batch);
      if (error === undefined) this.#settle(batch);
      else if (isBusy(error)) await this.#waitForLock(error);
      else if (batch.length === 1) this.#settle(batch, error);
      else for (const task of batch) task.isAlone = true;
    }
    this.#writing = undefined;
  }

  /** The tasks of a failed batch are still the first ones, in order. */
  #nextBatch(): readonly Task[] {
    return this.#tasks.slice(0, this.#tasks[0]?.isAlone === true ? 1 : MAX_BATCH);
  }

  /** Commits all tasks or none; returns the error if none. */
  #transact(tasks: readonly Task[]): Error | undefined {
    try {
      this.#setSync(tasks.some(({ needsSync }) => needsSync));
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { work } of tasks) work();
      this.#database.exec("COMMIT");
      return undefined;
    } catch (error) {
      this.#rollback();
      return toError(error);
    }
  }

  #rollback(): void {
    try {
      // On some errors SQLite has rolled back by itself.
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // Nothing was committed. If the transaction is still open, the next BEGIN fails and its task reports the error.
    }
  }

  /** Whether the next commit waits until the disk has the data. */
  #setSync(needsSync: boolean): void {
    if (this.#isSyncing === needsSync) return;
    this.#database.exec(`PRAGMA synchronous = ${needsSync ? "FULL" : "NORMAL"}`);
    this.#isSyncing = needsSync;
  }

  /** Fails the tasks whose time is up, and pauses before the next attempt. */
  async #waitForLock(error: Error): Promise<void> {
    const now = performance.now();
    this.#settle(
      this.#tasks.filter(({ deadline }) => deadline <= now),
      error,
    );
    if (this.#tasks.length > 0) await sleep(RETRY_DELAY_MS);
  }

  #settle(tasks: readonly Task[], error?: Error): void {
    const settled = new Set(tasks);
    this.#tasks = this.#tasks.filter((task) => !settled.has(task));
    for (const { done } of tasks) done(error);
  }
}

/** For reads, the migration and the checkpoint: retries while another process has the file locked, for LOCK_TIMEOUT_MS. */
export async function retryWhileLocked<Result>(name: string, work: () => Result): Promise<Result> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toStoreError(toError(error), name);
    }
    await sleep(RETRY_DELAY_MS);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
