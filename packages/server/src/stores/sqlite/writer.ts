/**
 * Writes to a file of SQLite, in the order in which it is told to.
 *
 *   1. What is told in one turn of the event loop is one transaction: waiting for the disk, which takes the most, is done once for all.
 *   2. What fails fails alone; the others are written.
 *   3. Where another process has the file locked, it is tried again until the time is up. Nothing else of this process waits meanwhile.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, type Sqlite, sqliteProblem } from "./database.ts";

/** How long another process may have it locked, and how long until the next try, in milliseconds. */
const PATIENCE = 3000;
const PAUSE = 20;
/** How many are one transaction at most. */
const MANY = 200;

interface Task {
  readonly work: () => void;
  /** Whether it has to outlast a loss of power, and not only of the process. */
  readonly isForGood: boolean;
  readonly deadline: number;
  readonly done: (error?: Error) => void;
}

export class SqliteWriter {
  readonly #database: Sqlite;
  readonly #name: string;
  #tasks: Task[] = [];
  #writing: Promise<void> | undefined;
  #isForGood: boolean | undefined;

  constructor(database: Sqlite, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Gives back what comes of it, once that is written. */
  write<What>(work: () => What, isForGood: boolean): Promise<What> {
    return new Promise((resolve, reject) => {
      let came: { readonly what: What } | undefined;
      this.#tasks.push({
        work: () => void (came = { what: work() }),
        isForGood,
        deadline: performance.now() + PATIENCE,
        done: (error) => {
          if (error !== undefined) reject(sqliteProblem(error, this.#name));
          else if (came !== undefined) resolve(came.what);
        },
      });
      this.#writing ??= this.#go();
    });
  }

  /** Settles when everything is written. */
  async end(): Promise<void> {
    await this.#writing;
  }

  async #go(): Promise<void> {
    await nextTurn();
    while (this.#tasks.length > 0) {
      const tasks = this.#tasks.slice(0, MANY);
      const error = this.#transact(tasks);
      if (error === undefined) this.#settle(tasks);
      else if (isBusy(error)) await this.#wait(error);
      else if (tasks.length === 1) this.#settle(tasks, error);
      else this.#oneByOne(tasks);
    }
    this.#writing = undefined;
  }

  /** All of them, or none, and why. */
  #transact(tasks: readonly Task[]): Error | undefined {
    try {
      this.#syncs(tasks.some(({ isForGood }) => isForGood));
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { work } of tasks) work();
      this.#database.exec("COMMIT");
      return undefined;
    } catch (error) {
      this.#takeBack();
      return toError(error);
    }
  }

  #takeBack(): void {
    try {
      // Of some errors SQLite itself takes everything back.
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // What cannot be taken back either was never written; the next to begin is told so.
    }
  }

  #oneByOne(tasks: readonly Task[]): void {
    for (const task of tasks) this.#settle([task], this.#transact([task]));
  }

  /** Whether what comes next waits until the disk has it. */
  #syncs(isForGood: boolean): void {
    if (this.#isForGood === isForGood) return;
    this.#database.exec(`PRAGMA synchronous = ${isForGood ? "FULL" : "NORMAL"}`);
    this.#isForGood = isForGood;
  }

  async #wait(error: Error): Promise<void> {
    const now = performance.now();
    this.#settle(
      this.#tasks.filter(({ deadline }) => deadline <= now),
      error,
    );
    if (this.#tasks.length > 0) await sleep(PAUSE);
  }

  #settle(tasks: readonly Task[], error?: Error): void {
    const settled = new Set(tasks);
    this.#tasks = this.#tasks.filter((task) => !settled.has(task));
    for (const { done } of tasks) done(error);
  }
}

/** Tries what only reads, for as long. */
export async function inTurn<What>(name: string, work: () => What): Promise<What> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw sqliteProblem(toError(error), name);
    }
    await sleep(PAUSE);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
