/** Writes to a file of SQLite that another connection has locked. */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openDatabase, type Sqlite } from "../../src/stores/sqlite/database.ts";
import { SqliteWriter } from "../../src/stores/sqlite/writer.ts";
import { folder } from "./folder.ts";

function connectTo(path: string): Sqlite {
  const database = openDatabase(path, `sqlite:${path}`);
  onTestFinished(() => void database.close());
  return database;
}

it("tries the writes of a failed batch again while another process has the file locked", async () => {
  const path = join(folder(), "photon.db");
  const database = connectTo(path);
  database.exec("CREATE TABLE words (word TEXT)");
  const other = connectTo(path);
  const writer = new SqliteWriter(database, "words");

  let isFirst = true;
  const failing = writer.write(() => {
    if (isFirst) {
      isFirst = false;
      // SQLite itself rolls back on some errors; then another process can take the lock.
      database.exec("ROLLBACK");
      other.exec("BEGIN IMMEDIATE");
      setImmediate(() => other.exec("ROLLBACK"));
    }
    throw new Error("no such word");
  }, true);
  const good = writer.write(() => {
    database.exec("INSERT INTO words VALUES ('hello')");
    return "written";
  }, true);

  const [failed, written] = await Promise.allSettled([failing, good]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "no such word" } });
  expect(written).toEqual({ status: "fulfilled", value: "written" });
});
