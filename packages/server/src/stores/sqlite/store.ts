/** A store in a SQLite file: for one process, or several on one machine. */
import { resolve } from "node:path";
import {
  assertDiskHasRoom,
  type Command,
  openDatabase,
  pathOf,
  prepareCommand,
  prepareDatabase,
  prepareQuery,
  type Query,
  type Sqlite,
} from "./database.ts";
import { SqliteMessages } from "./pubsub.ts";
import { retryWhileLocked, SqliteWriter } from "./writer.ts";
import {
  type AppendMeta,
  hostClock,
  type ListedEntry,
  type ListPage,
  type ListQuery,
  monotonicTime,
  parseCursor,
  type Store,
  type StoreClock,
  toPage,
} from "../store.ts";
import { StoreUnavailable } from "../../errors.ts";

/** How often expired rows are deleted, and how many at once. Until then, queries ignore expired runs, values and leases. */
const SWEEP_INTERVAL_MS = 1000;
const MAX_SWEPT = 100;
/** A disk that has less room than this counts as full. */
const MIN_FREE_BYTES = 1 << 20;
/** For `needsSync`: leases and messages may be lost in a power failure, which also ends the processes that use them. */
const WITHOUT_SYNC = false;

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

/** The store in an open database. */
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
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #writer: SqliteWriter;
  readonly #messages: SqliteMessages;
  /** When expired rows were last deleted, by the monotonic clock. */
  #sweptAt = -Infinity;
  #isClosed = false;

  constructor(database: Sqlite, name: string, clock: StoreClock) {
    this.#database = database;
    this.#name = name;
    this.#path = pathOf(database);
    this.#clock = clock;
    this.#sql = prepareStatements(database);
    this.#writer = new SqliteWriter(database, name);
    this.#messages = new SqliteMessages(database);
  }

  append(run: string, position: number, records: readonly string[], meta: AppendMeta): Promise<boolean> {
    const { findRun, putRun, putOpen, putRecord } = this.#sql;
    return this.#write((now) => {
      this.#sweep(now);
      const found = findRun.one(run, now);
      if ((found?.length ?? 0) !== position) return false;
      // The file may still have the rows of an expired run of this name.
      if (found === undefined) this.#deleteRun(run);
      putRun(run, position + records.length, meta.until);
      for (const [index, record] of records.entries()) putRecord(run, position + index, record);
      if (meta.open !== undefined) {
        const { group = null, since = null, due = null, value = null } = meta.open ?? {};
        putOpen(group, since, due, value, run);
      }
      return true;
    });
  }

  read(run: string, from = 0): Promise<readonly string[]> {
    return this.#read((now) => this.#sql.findRecords.all(run, from, now).map(({ value }) => value));
  }

  getOpen(run: string): Promise<ListedEntry | undefined> {
    return this.#read((now) => {
      const found = this.#sql.findRun.one(run, now);
      return found && listedEntries(found)[0];
    });
  }

  async list({ group, after, limit }: ListQuery): Promise<ListPage> {
    const { since, run } = parseCursor(after);
    return this.#read((now) => {
      const { listOpen, listGroup } = this.#sql;
      const page = [since, run, now, limit + 1];
      const rows = group === undefined ? listOpen.all(...page) : listGroup.all(group, ...page);
      return toPage(rows.flatMap(listedEntries), limit);
    });
  }

  async listDue(by: number, { after, limit }: Omit<ListQuery, "group">): Promise<ListPage> {
    const { since, run } = parseCursor(after);
    return this.#read((now) => {
      const rows = this.#sql.listDue.all(by, since, run, now, limit + 1);
      return toPage(rows.flatMap(listedEntries), limit);
    });
  }

  lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    return this.#write(() => {
      const now = monotonicTime(this.#clock);
      return this.#sql.putLease.one(name, holder, now, now + milliseconds) !== undefined;
    }, WITHOUT_SYNC);
  }

  release(name: string, holder: string): Promise<void> {
    return this.#write(() => this.#sql.deleteLease(name, holder), WITHOUT_SYNC);
  }

  putIfAbsent(name: string, value: string, until: number): Promise<string> {
    const { putValue, findValue } = this.#sql;
    return this.#write((now) => {
      this.#sweep(now);
      if (putValue.one(name, value, until, now) !== undefined) return value;
      return findValue.one(name, now)?.value ?? "";
    });
  }

  get(name: string): Promise<string | undefined> {
    return this.#read((now) => this.#sql.findValue.one(name, now)?.value);
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#write((now) => {
      this.#sweep(now);
      this.#messages.publish(channel, message, monotonicTime(this.#clock));
    }, WITHOUT_SYNC);
    // The data version, which is polled, does not change with writes of this connection.
    if (!this.#isClosed) await this.#read(() => this.#messages.deliverNew());
  }

  subscribe(...subscription: Parameters<Store["subscribe"]>): Promise<() => Promise<void>> {
    return this.#read(() => {
      const unsubscribe = this.#messages.subscribe(...subscription);
      return async () => unsubscribe();
    });
  }

  async ping(): Promise<void> {
    const { probe, probeRoom } = this.#sql;
    await this.#write(() => {
      // Checks that the file may grow, and undoes it. SQLite writes to the disk when it commits, so a small write is committed too.
      this.#database.exec("SAVEPOINT room");
      probeRoom(MIN_FREE_BYTES);
      this.#database.exec("ROLLBACK TO room; RELEASE room");
      probe();
    }, WITHOUT_SYNC);
    // SQLite reuses the space of its write-ahead log, so on a full disk it may still write for a while.
    await assertDiskHasRoom(this.#path, this.#name, MIN_FREE_BYTES);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#messages.close();
    await this.#writer.idle();
    // Moves the write-ahead log into the file, unless another process has it open.
    await retryWhileLocked(this.#name, () => this.#database.pragma("wal_checkpoint(TRUNCATE)")).catch(
      () => {},
    );
    this.#database.close();
  }

  async #write<Result>(work: (now: number) => Result, needsSync = true): Promise<Result> {
    this.#assertOpen();
    return this.#writer.write(() => work(this.#clock.now()), needsSync);
  }

  async #read<Result>(work: (now: number) => Result): Promise<Result> {
    return retryWhileLocked(this.#name, () => {
      this.#assertOpen();
      return work(this.#clock.now());
    });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable(this.#name, "it was closed");
  }

  #deleteRun(run: string): void {
    this.#sql.deleteRun(run);
    this.#sql.deleteRecords(run);
  }

  /** Deletes expired rows. `now` is the time of the wall clock. */
  #sweep(now: number): void {
    const monotonic = monotonicTime(this.#clock);
    if (monotonic - this.#sweptAt < SWEEP_INTERVAL_MS) return;
    this.#sweptAt = monotonic;
    const { findExpired, sweepValues, sweepLeases, sweepMessages } = this.#sql;
    for (const { run } of findExpired.all(now, MAX_SWEPT)) this.#deleteRun(run);
    sweepValues(now, MAX_SWEPT);
    sweepLeases(monotonic, MAX_SWEPT);
    sweepMessages(monotonic, MAX_SWEPT);
  }
}

interface RunRow {
  readonly run: string;
  readonly length: number;
  readonly team: string | null;
  readonly since: number | null;
  readonly value: string | null;
}

/** The open entry of a run: one, or none. */
function listedEntries({ run, team: group, since, value }: RunRow): readonly ListedEntry[] {
  return group === null || since === null || value === null ? [] : [{ run, group, since, value }];
}

const RUN = "SELECT run, length, team, since, value FROM runs";

/**
 * Whether a lease or a message has expired at a time of the monotonic clock. That clock restarts with the host, so a row from
 * before a restart may begin in the future: it has expired as well.
 */
const isExpired = (now: string): string => `(until <= ${now} OR since > ${now})`;

// Not exported, so its type can be inferred.
function prepareStatements(database: Sqlite) {
  const query = <Row>(sql: string): Query<Row> => prepareQuery(database, sql);
  const command = (sql: string): Command => prepareCommand(database, sql);
  return {
    findRun: query<RunRow>(`${RUN} WHERE run = ? AND until > ?`),
    putRun: command(
      `INSERT INTO runs (run, length, until) VALUES (?, ?, ?)
       ON CONFLICT (run) DO UPDATE SET length = excluded.length, until = excluded.until`,
    ),
    putOpen: command("UPDATE runs SET team = ?, since = ?, due = ?, value = ? WHERE run = ?"),
    putRecord: command("INSERT INTO records (run, at, value) VALUES (?, ?, ?)"),
    findRecords: query<{ readonly value: string }>(
      `SELECT value FROM records WHERE run = ?1 AND at >= ?2
       AND EXISTS (SELECT 1 FROM runs WHERE run = ?1 AND until > ?3) ORDER BY at`,
    ),
    // `+until` keeps SQLite from using the index of `until` instead of the order of the list.
    listOpen: query<RunRow>(
      `${RUN} WHERE since IS NOT NULL AND (since, run) > (?, ?) AND +until > ? ORDER BY since, run LIMIT ?`,
    ),
    listGroup: query<RunRow>(
      `${RUN} WHERE since IS NOT NULL AND team = ? AND (since, run) > (?, ?) AND +until > ? ORDER BY since, run LIMIT ?`,
    ),
    listDue: query<RunRow>(
      `SELECT run, length, team, due AS since, value FROM runs
       WHERE due <= ? AND (due, run) > (?, ?) AND +until > ? ORDER BY due, run LIMIT ?`,
    ),
    deleteRun: command("DELETE FROM runs WHERE run = ?"),
    deleteRecords: command("DELETE FROM records WHERE run = ?"),
    findExpired: query<{ readonly run: string }>("SELECT run FROM runs WHERE until <= ? LIMIT ?"),

    putLease: query<{ readonly name: string }>(
      `INSERT INTO leases (name, holder, since, until) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (name) DO UPDATE SET holder = ?2, since = ?3, until = ?4
       WHERE holder = ?2 OR ${isExpired("?3")} RETURNING name`,
    ),
    deleteLease: command("DELETE FROM leases WHERE name = ? AND holder = ?"),
    putValue: query<{ readonly name: string }>(
      `INSERT INTO kept (name, value, until) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET value = ?2, until = ?3 WHERE until <= ?4 RETURNING name`,
    ),
    findValue: query<{ readonly value: string }>("SELECT value FROM kept WHERE name = ? AND until > ?"),

    // Another value each time: SQLite writes nothing where nothing changes.
    probe: command(
      "INSERT INTO probe (id, count) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1",
    ),
    /** Writes so many bytes, for which the file needs room. */
    probeRoom: command("INSERT INTO probe (count, value) VALUES (0, zeroblob(?))"),

    sweepValues: command("DELETE FROM kept WHERE name IN (SELECT name FROM kept WHERE until <= ?1 LIMIT ?2)"),
    sweepLeases: command(
      `DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE ${isExpired("?1")} LIMIT ?2)`,
    ),
    sweepMessages: command(
      `DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE ${isExpired("?1")} LIMIT ?2)`,
    ),
  };
}
