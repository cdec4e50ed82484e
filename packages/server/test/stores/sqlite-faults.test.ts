/** What becomes of a store in SQLite when its file, its disk or its process fails. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openStore } from "../../src/stores/open-store.ts";
import { openSqlite, sqliteStore } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "./folder.ts";
import { collectMessages } from "@photon/server/store-contract";

const until = Date.now() + 3_600_000;
const patient = { timeout: 60_000 };

async function opened(path: string): Promise<Store> {
  const store = await openSqlite(path);
  onTestFinished(() => store.close());
  return store;
}

/** Another process that appends until so many records are in, and is killed in the middle of whatever it does then. */
async function appendUntilKilled(
  path: string,
  many: number,
): Promise<{ from: number; acknowledged: number }> {
  const program = fileURLToPath(new URL("append-for-ever.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, `sqlite:${path}`, "run"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let from = 0;
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("from ")) from = Number(line.slice(5));
    else acknowledged = Number(line);
    if (acknowledged >= from + many) child.kill("SIGKILL");
  }
  return { from, acknowledged };
}

/** The command that runs another one with a disk of 16 megabytes in a folder. Only that command and its children see the disk. */
const withSmallDisk = (path: string, ...command: readonly string[]): readonly [string, string[]] => {
  const script = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"';
  return ["unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", script, path, ...command]];
};

/** Not on systems without user namespaces, such as macOS, nor where they are forbidden. */
const canMount = spawnSync(...withSmallDisk(tmpdir(), "true")).status === 0;

describe("a file of SQLite", () => {
  it(
    verifies(
      "E2",
      "has every record that was acknowledged, and none in part, however often its process is killed",
    ),
    patient,
    async () => {
      const path = join(folder(), "photon.db");
      let before = 0;
      for (const many of [2, 8, 30, 60]) {
        const { from, acknowledged } = await appendUntilKilled(path, many);
        expect(from).toBeGreaterThanOrEqual(before);
        const store = await openSqlite(path);
        const records = await store.read("run");
        // The last may be in without the word of it having come through; never one of the two without the other.
        expect(records.length).toBeGreaterThanOrEqual(acknowledged);
        expect(records.length % 2).toBe(0);
        expect(records.map((record) => Number.parseInt(record, 10))).toEqual(records.map((_, at) => at));
        expect(await store.getOpen("run")).toMatchObject({ since: records.length - 2 });
        await store.close();
        before = acknowledged;
      }
      const check = new Database(path);
      expect(check.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
      check.close();
    },
  );

  it("that another has locked is waited for", async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");

    const appending = store.append("run", 0, ["a"], { until });
    // Reading waits for nobody who writes.
    expect(await store.read("run")).toEqual([]);
    other.exec("COMMIT");

    expect(await appending).toBe(true);
    expect(await store.read("run")).toEqual(["a"]);
  });

  it("that another has locked for seconds is an error, and works afterwards", patient, async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");

    const tries = [
      store.append("run", 0, ["a"], { until }),
      store.append("another", 0, ["a"], { until }),
      store.lease("name", "ada", 1000),
    ];
    for (const one of tries) {
      await expect(one).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: `The store sqlite:${path} cannot be used: another process has locked it for seconds.`,
        cause: { code: "SQLITE_BUSY" },
      });
    }
    other.exec("COMMIT");

    expect(await store.append("run", 0, ["b"], { until })).toBe(true);
    expect(await store.read("run")).toEqual(["b"]);
  });

  it("whose disk is full takes nothing in part, and goes on when there is room", async () => {
    const path = join(folder(), "photon.db");
    const database = new Database(path);
    const store = await sqliteStore(database, "sqlite:photon.db");
    onTestFinished(() => store.close());
    await store.append("run", 0, ["a"], { until });
    database.pragma("max_page_count = 40");
    const large = "x".repeat(100_000);

    const [first, second, third] = await Promise.allSettled([
      store.append("small", 0, ["a"], { until }),
      store.append("run", 1, ["b", large, large], { until, open: { group: "ada", since: 1, value: "v" } }),
      store.append("small", 1, ["b"], { until }),
    ]);

    expect(first).toEqual({ status: "fulfilled", value: true });
    expect(second).toMatchObject({
      reason: {
        code: "STORE_UNAVAILABLE",
        message: "The store sqlite:photon.db cannot be used: its disk is full.",
      },
    });
    expect(third).toEqual({ status: "fulfilled", value: true });
    expect(await store.read("run")).toEqual(["a"]);
    expect(await store.getOpen("run")).toBeUndefined();
    expect(await store.read("small")).toEqual(["a", "b"]);
    database.pragma("max_page_count = 100000");
    expect(await store.append("run", 1, ["b", large], { until })).toBe(true);
    expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it.runIf(canMount)("on a disk that is full is not ready, and is again when there is room", async () => {
    const path = folder();
    const program = fileURLToPath(new URL("small-disk.mjs", import.meta.url));

    const { stdout } = await promisify(execFile)(...withSmallDisk(path, process.execPath, program, path));

    expect(JSON.parse(stdout)).toEqual({
      before: "ok",
      withRoom: "ok",
      large: "its disk is full.",
      full: "its disk is full.",
      after: "ok",
      again: "ok",
    });
  });

  it("that was deleted is not ready: what is written to it would be lost", async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);
    await store.ping();

    rmSync(path);

    await expect(store.ping()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: `The store sqlite:${path} cannot be used: its file cannot be found (ENOENT).`,
    });
  });

  it("does not grow with every check whether it can be written", async () => {
    const path = join(folder(), "photon.db");
    const sizeAfter = async (checks: number): Promise<number> => {
      const store = await openSqlite(path);
      for (let check = 0; check < checks; check++) await store.ping();
      // Moves everything from the write-ahead log to the file.
      await store.close();
      return statSync(path).size;
    };

    const once = await sizeAfter(1);

    expect(await sizeAfter(20)).toBe(once);
  });

  it("is its owner's alone", async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);
    await store.append("run", 0, ["a"], { until });

    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("that cannot be opened is an error that says why", async () => {
    const path = folder();
    writeFileSync(join(path, "text.db"), "This is no database. ".repeat(100));
    mkdirSync(join(path, "folder.db"));
    const later = new Database(join(path, "later.db"));
    later.pragma("user_version = 1000");
    later.close();

    for (const [file, problem] of [
      ["none/photon.db", "its folder does not exist"],
      ["text.db/photon.db", "its file cannot be created (ENOTDIR)"],
      ["folder.db", "its file cannot be opened"],
      ["text.db", "its file is not a SQLite database"],
      ["later.db", "a later version of Photon has written its file"],
    ] as const) {
      await expect(openStore(`sqlite:${join(path, file)}`)).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: `The store sqlite:${join(path, file)} cannot be used: ${problem}.`,
      });
    }
  });

  it.each([1, 2] as const)("of version %i of the schema is migrated, and keeps its runs", async (version) => {
    const path = join(folder(), "photon.db");
    const about = { until: Date.now() + 60_000, open: { group: "ada", since: 1, value: "sealed" } };
    const earlier = new Database(path);
    earlier.pragma("journal_mode = WAL");
    earlier.exec(schemaOf(version));
    earlier.exec(`
      INSERT INTO runs (run, length, until, team, since, value) VALUES ('run', 1, ${about.until}, 'ada', 1, 'sealed');
      INSERT INTO records VALUES ('run', 0, 'a');
      INSERT INTO kept VALUES ('name', 'value', ${about.until});
      INSERT INTO leases VALUES ('run', 'ada', ${about.until});
      INSERT INTO messages (channel, message, until) VALUES ('channel', 'before', ${about.until});
    `);
    earlier.close();

    const store = await opened(path);
    const channel = await collectMessages(store, "channel");
    await store.publish("channel", "after");
    await store.append("run", 1, ["b"], { ...about, open: { ...about.open, due: 2 } });

    expect(await store.read("run")).toEqual(["a", "b"]);
    expect((await store.listDue(2, { limit: 1 })).entries).toMatchObject([{ run: "run" }]);
    expect(await store.get("name")).toBe("value");
    expect(await store.lease("run", "bob", 60_000)).toBe(true);
    expect(await channel.received(1)).toEqual(["after"]);
    await store.close();
    // The second time there is nothing to migrate.
    expect(await (await opened(path)).read("run")).toEqual(["a", "b"]);
  });

  it("lets go of what has expired", async () => {
    const path = join(folder(), "photon.db");
    const database = new Database(path);
    let now = 1_000_000;
    const store = await sqliteStore(database, "sqlite:photon.db", { now: () => now });
    onTestFinished(() => store.close());
    await store.append("run", 0, ["a", "b"], {
      until: now + 10,
      open: { group: "ada", since: 1, value: "v" },
    });
    await store.putIfAbsent("name", "a", now + 10);
    await store.lease("name", "ada", 10);
    await store.publish("channel", "message");

    now += 3_600_000;
    await store.append("another", 0, ["a"], { until: now + 10 });

    const count = (table: string): unknown =>
      database.prepare(`SELECT count(*) FROM ${table}`).pluck().all()[0];
    const tables = ["runs", "records", "kept", "leases", "messages"];
    expect(tables.map(count)).toEqual([1, 1, 0, 0, 0]);
  });
});

/** The schema as earlier versions of Photon have created it. */
function schemaOf(version: 1 | 2): string {
  return `
    CREATE TABLE runs (
      run TEXT PRIMARY KEY, length INTEGER NOT NULL, until INTEGER NOT NULL, team TEXT, since INTEGER,
      ${version === 1 ? "" : "due INTEGER,"} value TEXT
    ) WITHOUT ROWID;
    CREATE INDEX runs_open ON runs (since, run) WHERE since IS NOT NULL;
    CREATE INDEX runs_open_of ON runs (team, since, run) WHERE since IS NOT NULL;
    ${version === 1 ? "" : "CREATE INDEX runs_due ON runs (due, run) WHERE due IS NOT NULL;"}
    CREATE INDEX runs_until ON runs (until);
    CREATE TABLE records (
      run TEXT NOT NULL, at INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, at)
    ) WITHOUT ROWID;
    CREATE TABLE leases (name TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX leases_until ON leases (until);
    CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX kept_until ON kept (until);
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, message TEXT NOT NULL, until INTEGER NOT NULL
    );
    CREATE INDEX messages_until ON messages (until);
    PRAGMA user_version = ${version};
  `;
}
