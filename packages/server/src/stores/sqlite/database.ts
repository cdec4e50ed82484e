/** A file of SQLite, opened for a store. */
import { closeSync, openSync } from "node:fs";
import { statfs } from "node:fs/promises";
import Database from "libsql";
import { StoreUnavailable } from "../../errors.ts";

export type Sqlite = InstanceType<typeof Database>;

/** How long SQLite itself waits for another process, in milliseconds. It holds up everything meanwhile; so the rest is waited for by us. */
const BUSY = 50;
/** The version of the schema, which a file has as its `user_version`. */
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

/** Opens a file; creates it if there is none, readable by its owner only. */
export function openDatabase(path: string, name: string): Sqlite {
  make(path, name);
  try {
    return new Database(path, { timeout: BUSY });
  } catch (cause) {
    throw new StoreUnavailable(name, "its file cannot be opened", { cause });
  }
}

/** Makes the file. One that is there is not opened here: to close it would let go of what SQLite has locked of it. */
function make(path: string, name: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EEXIST") return;
    const problem = code === "ENOENT" ? "its folder does not exist" : `its file cannot be made (${code})`;
    throw new StoreUnavailable(name, problem, { cause });
  }
}

/** Creates the tables, or migrates those of an earlier version. Throws the errors of SQLite; may be called again after one. */
export function prepareDatabase(database: Sqlite, name: string): void {
  // Readers do not wait for writers, and committed transactions survive a crash.
  database.pragma("journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  try {
    // A number, whatever the file.
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

/** The file of a database. */
export function pathOf(database: Sqlite): string {
  // `main` is the first.
  const [{ file }] = database.pragma("database_list") as [{ readonly file: string }];
  return file;
}

/** Throws if the disk of the file has less than so many bytes left, or the file was deleted. */
export async function checkDisk(path: string, name: string, bytes: number): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(path).catch((cause: unknown) => {
    throw new StoreUnavailable(name, `its file cannot be found (${codeOf(cause)})`, { cause });
  });
  // A file system without a limit, such as ramfs, has 0 blocks.
  if (blocks > 0 && bavail * bsize < bytes) throw new StoreUnavailable(name, DISK_FULL);
}

/** What SQLite says, in our words; what others say, as it is. */
export function sqliteProblem(error: Error, name: string): Error {
  const [, kind = ""] = /^SQLITE_([A-Z]+)/.exec(codeOf(error)) ?? [];
  if (kind === "") return error;
  return new StoreUnavailable(name, PROBLEMS[kind] ?? `SQLite says "${error.message}"`, { cause: error });
}

const DISK_FULL = "its disk is full";

const PROBLEMS: Readonly<Record<string, string>> = {
  BUSY: "another process has locked it for seconds",
  LOCKED: "another process has locked it for seconds",
  FULL: DISK_FULL,
  READONLY: "its file is read-only",
  CANTOPEN: "its file cannot be opened",
  NOTADB: "its file is no SQLite database",
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
