/**
 * A store in a file of SQLite: for one process, or several on one machine.
 *
 * Messages between processes are rows of a table, which a process polls while it has listeners.
 */
import { resolve } from "node:path";
import { toPage, type Cursor, parseCursor } from "../cursor.ts";
import { checkDisk, openDatabase, pathOf, prepareDatabase, type Sqlite } from "./database.ts";
import { SqliteMessages } from "./pubsub.ts";
import { escape, type RunRow, type Statements, statementsOf, unescape } from "./statements.ts";
import { retryWhileLocked, SqliteWriter } from "./writer.ts";
import {
  type AppendMeta,
  hostClock,
  type ListPage,
  monotonicTime,
  type ListedEntry,
  type ListQuery,
  type Store,
  type StoreClock,
} from "../store.ts";
import { StoreUnavailable } from "../../errors.ts";

/** How often expired rows are deleted, in milliseconds, and how many at once. Until then, queries ignore expired runs, values and leases. */
const SWEEP = 1000;
const SWEPT_AT_ONCE = 100;
/** How long a message is kept for other processes to read, in milliseconds of the monotonic clock. */
const MESSAGE = 60_000;
/** A disk that has less room than this counts as full. */
const MIN_FREE_BYTES = 1 << 20;
/** For `needsSync`: leases and messages may be lost in a power failure, which also ends the processes that use them. */
const WITHOUT_SYNC = false;
/** The place before all. */
const FIRST: Cursor = { since: -Infinity, run: "" };

export async function openSqlite(path: string, clock: StoreClock = hostClock): Promise<Store> {
  const name = `sqlite:${path}`;
  const database = openDatabase(resolve(path), name);
  try {
    return await sqliteStore(database, name, clock);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The store in a database that is open. */
export async function sqliteStore(
  database: Sqlite,
  name: string,
  clock: StoreClock = hostClock,
): Promise<Store> {
  await retryWhileLocked(name, () => prepareDatabase(database, name));
  return new SqliteStore(database, name, clock);
}

class SqliteStore implements Store {
  readonly #database: Sqlite;
  readonly #name: string;
  readonly #path: string;
  readonly #clock: StoreClock;
  readonly #statements: Statements;
  readonly #writer: SqliteWriter;
  readonly #messages: SqliteMessages;
  /** By the monotonic clock. */
  #swept = -Infinity;
  #isClosed = false;

  constructor(database: Sqlite, name: string, clock: StoreClock) {
    this.#database = database;
    this.#name = name;
    this.#path = pathOf(database);
    this.#clock = clock;
    this.#statements = statementsOf(database);
    this.#writer = new SqliteWriter(database, name);
    this.#messages = new SqliteMessages(this.#statements);
  }

  append(run: string, at: number, records: readonly string[], about: AppendMeta): Promise<boolean> {
    const name = escape(run);
    const { run: find, putRun, putOpen, putRecord } = this.#statements;
    return this.#write((now) => {
      this.#sweep(now);
      const kept = find.one(name, now);
      if ((kept?.length ?? 0) !== at) return false;
      // There may be one that has expired.
      if (kept === undefined) this.#drop(name);
      putRun(name, at + records.length, about.until);
      for (const [index, record] of records.entries()) putRecord(name, at + index, escape(record));
      if (about.open === null) putOpen(null, null, null, null, name);
      else if (about.open !== undefined) {
        const { group, since, due = null, value } = about.open;
        putOpen(escape(group), since, due, escape(value), name);
      }
      return true;
    });
  }

  read(run: string, from = 0): Promise<readonly string[]> {
    return this.#read((now) =>
      this.#statements.records.all(escape(run), from, now).map(({ value }) => unescape(value)),
    );
  }

  getOpen(run: string): Promise<ListedEntry | undefined> {
    return this.#read((now) => {
      const row = this.#statements.run.one(escape(run), now);
      return row === undefined ? undefined : openedOf(row)[0];
    });
  }

  async list({ group, after, limit }: ListQuery): Promise<ListPage> {
    const { since, run } = after === undefined ? FIRST : parseCursor(after);
    return this.#read((now) => {
      const { listAll, listTeam } = this.#statements;
      const rows =
        group === undefined
          ? listAll.all(since, escape(run), now, limit + 1)
          : listTeam.all(escape(group), since, escape(run), now, limit + 1);
      return toPage(rows.flatMap(openedOf), limit);
    });
  }

  async listDue(by: number, { after, limit }: Omit<ListQuery, "group">): Promise<ListPage> {
    const { since, run } = after === undefined ? FIRST : parseCursor(after);
    return this.#read((now) => {
      const rows = this.#statements.due.all(by, since, escape(run), now, limit + 1);
      return toPage(rows.flatMap(openedOf), limit);
    });
  }

  lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    return this.#write(() => {
      const now = monotonicTime(this.#clock);
      return this.#statements.lease.one(escape(name), escape(holder), now, now + milliseconds) !== undefined;
    }, WITHOUT_SYNC);
  }

  release(name: string, holder: string): Promise<void> {
    return this.#write(() => this.#statements.release(escape(name), escape(holder)), WITHOUT_SYNC);
  }

  putIfAbsent(name: string, value: string, until: number): Promise<string> {
    const { once, recall } = this.#statements;
    return this.#write((now) => {
      this.#sweep(now);
      if (once.one(escape(name), escape(value), until, now) !== undefined) return value;
      return unescape(recall.one(escape(name), now)?.value ?? "");
    });
  }

  get(name: string): Promise<string | undefined> {
    return this.#read((now) => {
      const kept = this.#statements.recall.one(escape(name), now);
      return kept === undefined ? undefined : unescape(kept.value);
    });
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#write((now) => {
      this.#sweep(now);
      const since = monotonicTime(this.#clock);
      this.#statements.publish(escape(channel), escape(message), since, since + MESSAGE);
    }, WITHOUT_SYNC);
    // SQLite does not count what we have written ourselves among the changes.
    if (!this.#isClosed) await this.#read(() => this.#messages.look());
  }

  subscribe(...given: Parameters<Store["subscribe"]>): Promise<() => Promise<void>> {
    return this.#read(() => {
      const end = this.#messages.listen(...given);
      return () => Promise.resolve(end());
    });
  }

  async ping(): Promise<void> {
    const { probe, probeRoom } = this.#statements;
    await this.#write(() => {
      // Checks that the file may grow, and undoes it. SQLite writes to the disk when it commits, so a small write is committed too.
      this.#database.exec("SAVEPOINT room");
      probeRoom(MIN_FREE_BYTES);
      this.#database.exec("ROLLBACK TO room; RELEASE room");
      probe();
    }, WITHOUT_SYNC);
    // SQLite reuses the space of its write-ahead log, so on a full disk it may still write for a while.
    await checkDisk(this.#path, this.#name, MIN_FREE_BYTES);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#messages.end();
    await this.#writer.end();
    // Moves the write-ahead log into the file, unless another process has it open.
    await retryWhileLocked(this.#name, () => this.#database.pragma("wal_checkpoint(TRUNCATE)")).catch(
      () => {},
    );
    this.#database.close();
  }

  async #write<Result>(work: (now: number) => Result, needsSync = true): Promise<Result> {
    this.#refuseClosed();
    return this.#writer.write(() => work(this.#clock.now()), needsSync);
  }

  async #read<Result>(work: (now: number) => Result): Promise<Result> {
    return retryWhileLocked(this.#name, () => {
      this.#refuseClosed();
      return work(this.#clock.now());
    });
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new StoreUnavailable(this.#name, "it was closed");
  }

  #drop(run: string): void {
    this.#statements.dropRun(run);
    this.#statements.dropRecords(run);
  }

  /** Deletes expired rows. `now` is the time of the wall clock. */
  #sweep(now: number): void {
    const monotonic = monotonicTime(this.#clock);
    if (monotonic - this.#swept < SWEEP) return;
    this.#swept = monotonic;
    const { expired, sweepKept, sweepLeases, sweepMessages } = this.#statements;
    for (const { run } of expired.all(now, SWEPT_AT_ONCE)) this.#drop(run);
    sweepKept(now, SWEPT_AT_ONCE);
    sweepLeases(monotonic, SWEPT_AT_ONCE);
    sweepMessages(monotonic, SWEPT_AT_ONCE);
  }
}

/** What of a run is open: one, or none. */
function openedOf({ run, team, since, value }: RunRow): readonly ListedEntry[] {
  if (team === null || since === null || value === null) return [];
  return [{ run: unescape(run), group: unescape(team), since, value: unescape(value) }];
}
