/** Everything that is said to a file of SQLite. Each is read by SQLite once. */
import type { Sqlite } from "./sqlite-database.ts";

type Value = string | number | null;

export interface RunRow {
  readonly run: string;
  readonly length: number;
  readonly team: string | null;
  readonly since: number | null;
  readonly value: string | null;
}

interface Query<Row> {
  one(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
}

type Command = (...values: readonly Value[]) => void;

export interface Statements {
  readonly run: Query<RunRow>;
  readonly putRun: Command;
  readonly putOpen: Command;
  readonly putRecord: Command;
  readonly records: Query<{ readonly value: string }>;
  readonly listAll: Query<RunRow>;
  readonly listTeam: Query<RunRow>;
  readonly due: Query<RunRow>;
  readonly dropRun: Command;
  readonly dropRecords: Command;
  readonly expired: Query<{ readonly run: string }>;
  readonly lease: Query<{ readonly name: string }>;
  readonly release: Command;
  readonly once: Query<{ readonly name: string }>;
  readonly recall: Query<{ readonly value: string }>;
  readonly publish: Command;
  readonly lastMessage: Query<{ readonly id: number }>;
  readonly messages: Query<{ readonly id: number; readonly channel: string; readonly message: string }>;
  readonly changes: Query<{ readonly data_version: number }>;
  readonly version: Query<{ readonly user_version: number }>;
  /** Each lets go of some of what has expired. */
  readonly sweeps: readonly Command[];
}

const OPEN = "SELECT run, length, team, since, value FROM runs WHERE since IS NOT NULL";

export function statementsOf(database: Sqlite): Statements {
  const command = (sql: string): Command => {
    const statement = database.prepare(sql);
    return (...values) => void statement.run(...values);
  };
  const query = <Row>(sql: string): Query<Row> => {
    const statement = database.prepare(sql);
    return {
      // The columns are those of the statement, whose types are those of the tables.
      one: (...values) => statement.get(...values) as Row | undefined,
      all: (...values) => statement.all(...values) as readonly Row[],
    };
  };
  return {
    run: query("SELECT run, length, team, since, value FROM runs WHERE run = ? AND until > ?"),
    putRun: command(
      `INSERT INTO runs (run, length, until) VALUES (?, ?, ?)
       ON CONFLICT (run) DO UPDATE SET length = excluded.length, until = excluded.until`,
    ),
    putOpen: command("UPDATE runs SET team = ?, since = ?, due = ?, value = ? WHERE run = ?"),
    putRecord: command("INSERT INTO records (run, at, value) VALUES (?, ?, ?)"),
    records: query(
      `SELECT value FROM records WHERE run = ?1 AND at >= ?2
       AND EXISTS (SELECT 1 FROM runs WHERE run = ?1 AND until > ?3) ORDER BY at`,
    ),
    listAll: query(`${OPEN} AND (since, run) > (?, ?) AND +until > ? ORDER BY since, run LIMIT ?`),
    listTeam: query(
      `${OPEN} AND team = ? AND (since, run) > (?, ?) AND +until > ? ORDER BY since, run LIMIT ?`,
    ),
    due: query(
      `SELECT run, length, team, due AS since, value FROM runs
       WHERE due <= ? AND (due, run) > (?, ?) AND +until > ? ORDER BY due, run LIMIT ?`,
    ),
    dropRun: command("DELETE FROM runs WHERE run = ?"),
    dropRecords: command("DELETE FROM records WHERE run = ?"),
    expired: query("SELECT run FROM runs WHERE until <= ? LIMIT ?"),

    lease: query(
      `INSERT INTO leases (name, value, until) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET value = ?2, until = ?3 WHERE value = ?2 OR until <= ?4 RETURNING name`,
    ),
    release: command("DELETE FROM leases WHERE name = ? AND value = ?"),
    once: query(
      `INSERT INTO kept (name, value, until) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET value = ?2, until = ?3 WHERE until <= ?4 RETURNING name`,
    ),
    recall: query("SELECT value FROM kept WHERE name = ? AND until > ?"),

    publish: command("INSERT INTO messages (channel, message, until) VALUES (?, ?, ?)"),
    lastMessage: query("SELECT seq AS id FROM sqlite_sequence WHERE name = 'messages'"),
    messages: query("SELECT id, channel, message FROM messages WHERE id > ? ORDER BY id"),
    changes: query("PRAGMA data_version"),
    version: query("PRAGMA user_version"),

    sweeps: ["leases", "kept", "messages"].map((table) => {
      const key = table === "messages" ? "id" : "name";
      return command(
        `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE until <= ? LIMIT ?)`,
      );
    }),
  };
}
