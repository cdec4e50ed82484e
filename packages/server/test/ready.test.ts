/** Whether a process should be sent requests: `/readyz`. */
import { overrideStore } from "./stores/override-store.ts";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { testClock } from "@photon/core/testing";
import Database from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type ServerOptions } from "../src/index.ts";
import { memoryStore } from "../src/stores/memory-store.ts";
import { openStore } from "../src/stores/open-store.ts";
import { sqliteStore } from "../src/stores/sqlite/store.ts";
import type { Store } from "../src/stores/store.ts";
import { folder } from "./stores/folder.ts";
import { freePort, startRedis, type RedisServer } from "./stores/redis-server.ts";

const keys = [randomBytes(32).toString("base64")];
const ready = { status: 200, body: { status: "ready" } };
const unusable = { status: 503, body: { status: "not ready", problem: "Its store cannot be used." } };

interface Readiness {
  readonly status: number;
  readonly body: unknown;
}

/** Starts a server, and returns a function that requests its `/readyz`. */
async function serve(options: ServerOptions): Promise<() => Promise<Readiness>> {
  const server = createServer({ report() {}, ...options });
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  return async () => {
    const response = await fetch(`${url}/readyz`);
    return { status: response.status, body: await response.json() };
  };
}

const readinessOf = async (options: ServerOptions): Promise<Readiness> => (await serve(options))();

describe("/readyz", () => {
  it("says that a server is ready which needs nothing else", async () => {
    expect(await readinessOf({})).toEqual(ready);
  });

  it("says that one is not whose store was closed", async () => {
    const store = memoryStore();
    await store.close();

    expect(await readinessOf({ store, keys })).toEqual(unusable);
  });

  it("says that a server is not ready that has reached its limit of sessions", async () => {
    const { status } = await readinessOf({ limits: { sessions: 0 } });

    expect(status).toBe(503);
  });

  it("checks the store at most once a second, since every check writes to it", async () => {
    const clock = testClock();
    const memory = memoryStore(clock);
    let pings = 0;
    const ping = async (): Promise<void> => {
      pings += 1;
      await memory.ping();
    };
    const readiness = await serve({ store: overrideStore(memory, { ping }), keys, clock });

    await Promise.all([readiness(), readiness(), readiness()]);
    await clock.advance(999);
    await readiness();
    expect(pings).toBe(1);

    await memory.close();
    await clock.advance(1);
    expect(await readiness()).toEqual(unusable);
    expect(pings).toBe(2);
  });

  it("checks the store again after the wall clock was set back", async () => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { ...testClock(), now: () => now };
    const store = memoryStore();
    const readiness = await serve({ store, keys, clock });
    expect(await readiness()).toEqual(ready);

    now -= 600_000;
    await store.close();

    expect(await readiness()).toEqual(unusable);
  });
});

/** A store with a fault that can be caused and repaired. */
interface FaultyStore {
  readonly store: Store;
  readonly cause: () => unknown;
  readonly repair: () => unknown;
}

describe("/readyz of a server with a store in SQLite", () => {
  it.each<[title: string, problem: string, open: (path: string) => Promise<FaultyStore>]>([
    [
      "the disk is full",
      "its disk is full",
      async (path) => {
        const database = new Database(path);
        return {
          store: await sqliteStore(database, "sqlite:photon.db"),
          // SQLite takes the current size of the file if the limit is smaller.
          cause: () => database.pragma("max_page_count = 1"),
          repair: () => database.pragma("max_page_count = 1000000"),
        };
      },
    ],
    [
      "the file is read-only",
      "its file is read-only",
      async (path) => {
        const database = new Database(path);
        return {
          store: await sqliteStore(database, "sqlite:photon.db"),
          cause: () => database.pragma("query_only = ON"),
          repair: () => database.pragma("query_only = OFF"),
        };
      },
    ],
    [
      "another process locks the file",
      "another process has locked it for seconds",
      async (path) => {
        const store = await openStore(`sqlite:${path}`);
        const other = new Database(path);
        return { store, cause: () => other.exec("BEGIN IMMEDIATE"), repair: () => other.exec("ROLLBACK") };
      },
    ],
  ])("says that it is not ready while %s", async (_, problem, open) => {
    const faulty = await open(join(folder(), "photon.db"));

    expect(await readinessAround(faulty)).toEqual(unreadyDuring(problem));
  });
});

interface RedisFault {
  cause(redis: RedisServer): unknown;
  repair(redis: RedisServer): unknown;
}

describe("/readyz of a server with a store in Redis", () => {
  it.each<[title: string, problem: string, fault: RedisFault]>([
    [
      "has ended",
      "the connection to it was lost|it cannot be reached",
      { cause: (redis) => redis.stop(), repair: (redis) => redis.start() },
    ],
    [
      "does not answer",
      "the connection to it was lost|it did not answer within seconds",
      {
        cause: (redis) => redis.say("CLIENT", "PAUSE", "60000", "WRITE"),
        repair: (redis) => redis.say("CLIENT", "UNPAUSE"),
      },
    ],
    [
      "is a read-only replica",
      "it is read-only",
      {
        // Of a primary that does not exist.
        cause: async (redis) => redis.say("REPLICAOF", "127.0.0.1", String(await freePort())),
        repair: (redis) => redis.say("REPLICAOF", "NO", "ONE"),
      },
    ],
    [
      "is out of memory",
      "it is full",
      {
        cause: (redis) => redis.say("CONFIG", "SET", "maxmemory", "1"),
        repair: (redis) => redis.say("CONFIG", "SET", "maxmemory", "0"),
      },
    ],
    [
      "cannot write its snapshots",
      "it cannot write to its disk",
      {
        async cause(redis) {
          mkdirSync(join(redis.folder, "dump.rdb"));
          // Redis refuses writes after a failed snapshot only if it has a schedule for snapshots.
          await redis.say("CONFIG", "SET", "save", "3600 1");
          await saveSnapshot(redis, "err");
        },
        async repair(redis) {
          rmdirSync(join(redis.folder, "dump.rdb"));
          await saveSnapshot(redis, "ok");
        },
      },
    ],
    [
      "does not let its user write",
      "its user may not do that",
      {
        cause: (redis) => redis.say("ACL", "SETUSER", "default", "-@write"),
        repair: (redis) => redis.say("ACL", "SETUSER", "default", "+@all"),
      },
    ],
    [
      "has too few replicas",
      "it has too few replicas to write",
      {
        cause: (redis) => redis.say("CONFIG", "SET", "min-replicas-to-write", "1"),
        repair: (redis) => redis.say("CONFIG", "SET", "min-replicas-to-write", "0"),
      },
    ],
  ])("says that it is not ready while Redis %s", async (_, problem, fault) => {
    const redis = await startRedis();
    onTestFinished(() => redis.end());
    const store = await openStore(redis.address);
    const faulty = { store, cause: () => fault.cause(redis), repair: () => fault.repair(redis) };

    expect(await readinessAround(faulty)).toEqual(unreadyDuring(problem));
  });

  it("starts while Redis can only be read, and is ready when it can be written", async () => {
    const redis = await startRedis("--maxmemory", "1");
    onTestFinished(() => redis.end());

    const store = await openStore(redis.address);
    onTestFinished(() => store.close());
    expect(await readinessOf({ store, keys })).toEqual(unusable);

    await redis.say("CONFIG", "SET", "maxmemory", "0");
    expect(await readinessOf({ store, keys })).toEqual(ready);
  });
});

/** Makes Redis write a snapshot, and waits until that has succeeded or failed. */
async function saveSnapshot(redis: RedisServer, status: "ok" | "err"): Promise<void> {
  await redis.say("BGSAVE");
  let info = "";
  while (!info.includes(`rdb_last_bgsave_status:${status}`))
    info = String(await redis.say("INFO", "persistence"));
}

interface Readinesses {
  readonly before: Readiness;
  readonly during: Readiness;
  readonly after: Readiness;
  readonly reported: readonly unknown[];
}

/** The readiness of a server before, during and after a fault of its store, and the errors in its log. */
async function readinessAround({ store, cause, repair }: FaultyStore): Promise<Readinesses> {
  onTestFinished(() => store.close());
  const clock = testClock();
  const reported: unknown[] = [];
  const readiness = await serve({ store, keys, clock, report: (error) => reported.push(error) });
  const before = await readiness();
  await cause();
  await clock.advance("1s");
  const during = await readiness();
  await repair();
  await clock.advance("1s");
  return { before, during, after: await readiness(), reported };
}

/** The server is unready during the fault. The log has the reason, `/readyz` does not. */
const unreadyDuring = (problem: string): Readinesses => ({
  before: ready,
  during: unusable,
  after: ready,
  reported: expect.arrayContaining([
    expect.objectContaining({ code: "STORE_UNAVAILABLE", message: expect.stringMatching(problem) }),
  ]),
});
