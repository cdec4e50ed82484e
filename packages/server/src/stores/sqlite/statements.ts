/** Everything that is said to a file of SQLite. Each is read by SQLite once. */
import type { Sqlite } from "./database.ts";

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
  /** Writes to a page that the file has. */
  readonly probe: Command;
  /** Writes so many bytes, for which the file has to have room. */
  readonly probeRoom: Command;
  /** Each deletes at most so many expired rows. */
  readonly sweepKept: Command;
  readonly sweepLeases: Command;
  readonly sweepMessages: Command;
}

const OPEN = "SELECT run, length, team, since, value FROM runs WHERE since IS NOT NULL";

/**
 * Whether a lease or a message has expired at a time of the monotonic clock. That clock restarts with the host, so a row from
 * before a restart may begin in the future: it has expired as well.
 */
const isExpired = (now: string): string => `(until <= ${now} OR since > ${now})`;

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
      `INSERT INTO leases (name, holder, since, until) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (name) DO UPDATE SET holder = ?2, since = ?3, until = ?4
       WHERE holder = ?2 OR ${isExpired("?3")} RETURNING name`,
    ),
    release: command("DELETE FROM leases WHERE name = ? AND holder = ?"),
    once: query(
      `INSERT INTO kept (name, value, until) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET value = ?2, until = ?3 WHERE until <= ?4 RETURNING name`,
    ),
    recall: query("SELECT value FROM kept WHERE name = ? AND until > ?"),

    publish: command("INSERT INTO messages (channel, message, since, until) VALUES (?, ?, ?, ?)"),
    lastMessage: query("SELECT seq AS id FROM sqlite_sequence WHERE name = 'messages'"),
    messages: query("SELECT id, channel, message FROM messages WHERE id > ? ORDER BY id"),
    changes: query("PRAGMA data_version"),
    // Another value each time: SQLite writes nothing where nothing changes.
    probe: command(
      "INSERT INTO probe (id, count) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1",
    ),
    probeRoom: command("INSERT INTO probe (count, value) VALUES (0, zeroblob(?))"),

    sweepKept: command("DELETE FROM kept WHERE name IN (SELECT name FROM kept WHERE until <= ?1 LIMIT ?2)"),
    sweepLeases: command(
      `DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE ${isExpired("?1")} LIMIT ?2)`,
    ),
    sweepMessages: command(
      `DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE ${isExpired("?1")} LIMIT ?2)`,
    ),
  };
}

/** Texts as SQLite takes them: for it, a text ends at the first NUL. */

const NUL = "\0";
/** What comes before a letter that stands for NUL, or for this itself. */
const MARK = "\u0001";

export function escape(text: string): string {
  if (!text.includes(NUL) && !text.includes(MARK)) return text;
  return text.replaceAll(MARK, `${MARK}b`).replaceAll(NUL, `${MARK}a`);
}

export function unescape(text: string): string {
  return text.includes(MARK) ? text.replaceAll(`${MARK}a`, NUL).replaceAll(`${MARK}b`, MARK) : text;
}
