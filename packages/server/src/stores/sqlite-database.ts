/** A file of SQLite, opened for a store. */
import { closeSync, openSync } from "node:fs";
import Database from "libsql";
import { StoreUnavailable } from "./store-unavailable.ts";

export type Sqlite = InstanceType<typeof Database>;

/** How long SQLite itself waits for another process, in milliseconds. It holds up everything meanwhile; so the rest is waited for by us. */
const BUSY = 50;
/** What this version writes; a file says by which it was made. */
const VERSION = 2;

const SCHEMA = `
  CREATE TABLE runs (
    run TEXT PRIMARY KEY, length INTEGER NOT NULL, until INTEGER NOT NULL, team TEXT, since INTEGER, due INTEGER, value TEXT
  ) WITHOUT ROWID;
  CREATE INDEX runs_open ON runs (since, run) WHERE since IS NOT NULL;
  CREATE INDEX runs_open_of ON runs (team, since, run) WHERE since IS NOT NULL;
  CREATE INDEX runs_due ON runs (due, run) WHERE due IS NOT NULL;
  CREATE INDEX runs_until ON runs (until);
  CREATE TABLE records (run TEXT NOT NULL, at INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, at)) WITHOUT ROWID;
  CREATE TABLE leases (name TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX leases_until ON leases (until);
  CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX kept_until ON kept (until);
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, message TEXT NOT NULL, until INTEGER NOT NULL
  );
  CREATE INDEX messages_until ON messages (until);
  PRAGMA user_version = ${VERSION};
`;

/** What a file of version 1 lacks. */
const SINCE_1 = `
  ALTER TABLE runs ADD COLUMN due INTEGER;
  CREATE INDEX runs_due ON runs (due, run) WHERE due IS NOT NULL;
  PRAGMA user_version = ${VERSION};
`;

/** Opens a file, which is made where there is none: for nobody but its owner. */
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
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "EEXIST") return;
    const problem = code === "ENOENT" ? "its folder does not exist" : `its file cannot be made (${code})`;
    throw new StoreUnavailable(name, problem, { cause });
  }
}

/** Makes an opened file ready: tables where there are none. Throws what SQLite throws; may be tried again. */
export function prepareDatabase(database: Sqlite, name: string): void {
  // Whoever reads waits for nobody who writes, and what was written is there after a crash.
  database.pragma("journal_mode = WAL");
  database.exec("BEGIN IMMEDIATE");
  try {
    // A number, whatever the file.
    const [{ user_version: version }] = database.pragma("user_version") as [
      { readonly user_version: number },
    ];
    if (version > VERSION) throw new StoreUnavailable(name, "a later version of Photon has written its file");
    if (version === 0) database.exec(SCHEMA);
    if (version === 1) database.exec(SINCE_1);
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** What SQLite says, in our words; what others say, as it is. */
export function sqliteProblem(error: Error, name: string): Error {
  const [, kind = ""] = /^SQLITE_([A-Z]+)/.exec("code" in error ? String(error.code) : "") ?? [];
  if (kind === "") return error;
  return new StoreUnavailable(name, PROBLEMS[kind] ?? `SQLite says "${error.message}"`, { cause: error });
}

const PROBLEMS: Readonly<Record<string, string>> = {
  BUSY: "another process has locked it for seconds",
  LOCKED: "another process has locked it for seconds",
  FULL: "its disk is full",
  READONLY: "its file is read-only",
  CANTOPEN: "its file cannot be opened",
  NOTADB: "its file is no SQLite database",
  CORRUPT: "its file is damaged",
  IOERR: "its file cannot be read or written",
};

export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(?:BUSY|LOCKED)/.test(String(error.code));
}
