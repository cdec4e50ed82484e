/** A SQLite file: opening and migrating it, its statements, and its errors as sentences. */
import { closeSync, openSync } from "node:fs";
import { statfs } from "node:fs/promises";
import Database from "libsql";
import { StoreUnavailable } from "../../errors.ts";

export type Sqlite = InstanceType<typeof Database>;

/** How long SQLite itself waits for a lock. It blocks the event loop meanwhile; longer waits are in `writer.ts`. */
const BUSY_TIMEOUT_MS = 50;
/** The version of the schema, which is the `user_version` of the file. */
const VERSION = 3;

/**
 * Leases, messages and `probe`, which need not survive a migration. `since` and `until` are times of the monotonic clock, which is one clock
 * for all processes that share the file: in WAL mode they run on one host. Not WITHOUT ROWID: to find expired rows, SQLite combines
 * two indexes of a table only by its rowid.
 */
const EPHEMERAL = `
  CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL
  );
  CREATE INDEX leases_since ON leases (since);
  CREATE INDEX leases_until ON leases (until);
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL, message TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL
  );
  CREATE INDEX messages_since ON messages (since);
  CREATE INDEX messages_until ON messages (until);
  CREATE TABLE probe (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, value BLOB);
`;

/** `team` is the group of an open entry: GROUP is a keyword of SQL. */
const SCHEMA = `
  CREATE TABLE runs (
    run TEXT PRIMARY KEY, length INTEGER NOT NULL, until INTEGER NOT NULL, team TEXT, since INTEGER, due INTEGER, value TEXT
  ) WITHOUT ROWID;
  CREATE INDEX runs_open ON runs (since, run) WHERE since IS NOT NULL;
  CREATE INDEX runs_open_of ON runs (team, since, run) WHERE since IS NOT NULL;
  CREATE INDEX runs_due ON runs (due, run) WHERE due IS NOT NULL;
  CREATE INDEX runs_until ON runs (until);
  CREATE TABLE records (run TEXT NOT NULL, at INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, at)) WITHOUT ROWID;
  CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX kept_until ON kept (until);
  ${EPHEMERAL}
`;

/** The first migrates a file of version 1 to version 2, and so on. */
const MIGRATIONS: readonly string[] = [
  `ALTER TABLE runs ADD COLUMN due INTEGER;
   CREATE INDEX runs_due ON runs (due, run) WHERE due IS NOT NULL;`,
  `DROP TABLE leases;
   DROP TABLE messages;
   ${EPHEMERAL}`,
];

/** Opens a file. Creates it if it does not exist, readable by its owner only. */
export function openDatabase(path: string, name: string): Sqlite {
  createFile(path, name);
  try {
    return new Database(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (cause) {
    throw new StoreUnavailable(name, CANNOT_OPEN, { cause });
  }
}

/** Does not open an existing file: closing it would release the locks that SQLite has on it in this process. */
function createFile(path: string, name: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EEXIST") return;
    const problem = code === "ENOENT" ? "its folder does not exist" : `its file cannot be created (${code})`;
    throw new StoreUnavailable(name, problem, { cause });
  }
}

/** Creates the tables, or migrates those of an earlier version. Throws the errors of SQLite; may be called again after one. */
export function prepareDatabase(database: Sqlite, name: string): void {
  // Readers do not wait for writers, and committed transactions survive a crash.
  database.pragma("journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  try {
    // Every SQLite file has a `user_version`; it is 0 in a new one.
    const [{ user_version: version }] = database.pragma("user_version") as [
      { readonly user_version: number },
    ];
    if (version > VERSION) throw new StoreUnavailable(name, "a later version of Photon has written its file");
    if (version < VERSION) {
      database.exec(version === 0 ? SCHEMA : MIGRATIONS.slice(version - 1).join("\n"));
      database.pragma(`user_version = ${VERSION}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function pathOf(database: Sqlite): string {
  // The first row is the database `main`.
  const [{ file }] = database.pragma("database_list") as [{ readonly file: string }];
  return file;
}

/** Throws if the disk of the file has less than so many bytes left, or the file was deleted. */
export async function assertDiskHasRoom(path: string, name: string, bytes: number): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(path).catch((cause: unknown) => {
    throw new StoreUnavailable(name, `its file cannot be found (${codeOf(cause)})`, { cause });
  });
  // A file system without a limit, such as ramfs, has 0 blocks.
  if (blocks > 0 && bavail * bsize < bytes) throw new StoreUnavailable(name, DISK_FULL);
}

type Value = string | number | null;

/** A prepared statement that returns rows. */
export interface Query<Row> {
  one(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
}

/** A prepared statement that returns nothing. */
export type Command = (...values: readonly Value[]) => void;

/** `Row` has the columns of the statement. */
export function prepareQuery<Row>(database: Sqlite, sql: string): Query<Row> {
  const statement = database.prepare(sql);
  return {
    one: (...values) => unescapeRow(statement.get(...values.map(escape)) as Row | undefined),
    all: (...values) => (statement.all(...values.map(escape)) as readonly Row[]).map(unescapeRow),
  };
}

export function prepareCommand(database: Sqlite, sql: string): Command {
  const statement = database.prepare(sql);
  return (...values) => void statement.run(...values.map(escape));
}

/** For SQLite, a text ends at the first NUL. The mark escapes a NUL, and itself. */
const NUL = "\0";
const MARK = "\u0001";

function escape(value: Value): Value {
  if (typeof value !== "string" || !(value.includes(NUL) || value.includes(MARK))) return value;
  return value.replaceAll(MARK, `${MARK}b`).replaceAll(NUL, `${MARK}a`);
}

function unescapeRow<Row>(row: Row): Row {
  const columns = row as Record<string, unknown> | undefined;
  for (const name in columns) {
    const value = columns[name];
    if (typeof value === "string" && value.includes(MARK))
      columns[name] = value.replaceAll(`${MARK}a`, NUL).replaceAll(`${MARK}b`, MARK);
  }
  return row;
}

/** An error of SQLite as `StoreUnavailable`; any other error as it is. */
export function toStoreError(error: Error, name: string): Error {
  const [, kind = ""] = /^SQLITE_([A-Z]+)/.exec(codeOf(error)) ?? [];
  if (kind === "") return error;
  return new StoreUnavailable(name, PROBLEMS[kind] ?? `SQLite says "${error.message}"`, { cause: error });
}

const DISK_FULL = "its disk is full";
const CANNOT_OPEN = "its file cannot be opened";

const PROBLEMS: Readonly<Record<string, string>> = {
  BUSY: "another process has locked it for seconds",
  LOCKED: "another process has locked it for seconds",
  FULL: DISK_FULL,
  READONLY: "its file is read-only",
  CANTOPEN: CANNOT_OPEN,
  NOTADB: "its file is not a SQLite database",
  CORRUPT: "its file is damaged",
  IOERR: "its file cannot be read or written",
};

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));
}

/** The code of an error of Node or SQLite; empty if it has none. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
