/** Leases and messages in SQLite do not depend on the wall clock: it may jump, and processes may disagree about it. */
import { fakeClock } from "../../../../test/fake-clock.ts";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "libsql";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "./folder.ts";
import { hostClocks, type HostClocks } from "./host-clocks.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function opened(path: string, clocks?: HostClocks): Promise<Store> {
  const store = await openSqlite(path, clocks);
  onTestFinished(() => store.close());
  return store;
}

function countRows(path: string, table: "leases" | "messages"): unknown {
  const database = new Database(path);
  onTestFinished(() => void database.close());
  return database.prepare(`SELECT count(*) FROM ${table}`).pluck().all()[0];
}

interface Acquired {
  readonly now: number;
  readonly isAcquired: boolean;
}

/** Acquires a lease in a process whose wall clock is off by `offset`, such as "+2h". The process exits without releasing it. */
async function leaseElsewhere(offset: string, path: string, holder: string, ms: number): Promise<Acquired> {
  const program = fileURLToPath(new URL("lease-once.mjs", import.meta.url));
  const env = { ...process.env, ...fakeClock({ FAKETIME: offset }) };
  const given = [program, `sqlite:${path}`, "run", holder, String(ms)];
  const { stdout } = await promisify(execFile)(process.execPath, given, { env });
  // What the program above prints.
  return JSON.parse(stdout) as Acquired;
}

describe("processes that share a file of SQLite", () => {
  it("respect a lease of a live process, also if their clock is two hours ahead", async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);
    await store.lease("run", "ada", HOUR);

    const ahead = await leaseElsewhere("+2h", path, "bob", HOUR);

    expect(ahead.now).toBeGreaterThan(Date.now() + HOUR);
    expect(ahead.isAcquired).toBe(false);
  });

  it("acquire the lease of a dead process when it has ended, also if their clock is ten minutes behind", async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);
    await store.lease("run", "ada", 1);

    const behind = await leaseElsewhere("-10m", path, "bob", HOUR);

    expect(behind.now).toBeLessThan(Date.now() - 5 * MINUTE);
    expect(behind.isAcquired).toBe(true);
    expect(await store.lease("run", "ada", HOUR)).toBe(false);
  });

  it("acquire the lease of a dead process whose clock was two hours ahead", async () => {
    const path = join(folder(), "photon.db");
    const store = await opened(path);

    const ahead = await leaseElsewhere("+2h", path, "bob", 1);

    expect(ahead.isAcquired).toBe(true);
    expect(await store.lease("run", "ada", HOUR)).toBe(true);
  });
});

describe("a file of SQLite", () => {
  it("keeps a message for a minute, also if the wall clock jumps back", async () => {
    const clocks = hostClocks();
    const path = join(folder(), "photon.db");
    const store = await opened(path, clocks);
    await store.publish("channel", "first");

    clocks.moveWallClock(-10 * MINUTE);
    clocks.pass(MINUTE - 1);
    await store.publish("channel", "second");
    expect(countRows(path, "messages")).toBe(2);

    clocks.pass(1001);
    await store.publish("channel", "third");
    expect(countRows(path, "messages")).toBe(2);
  });

  it("tells a process that stood still for longer than a minute that messages are lost", async () => {
    const clocks = hostClocks();
    const path = join(folder(), "photon.db");
    const stood = await opened(path, clocks);
    const other = await opened(path, clocks);
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let gaps = 0;
    const received: string[] = [];
    const isHeard = new Promise<void>((resolve) => {
      void stood.subscribe(
        "channel",
        (message) => {
          received.push(message);
          resolve();
        },
        () => void (gaps += 1),
      );
    });

    await other.publish("channel", "lost");
    clocks.pass(MINUTE + 1000);
    await other.publish("channel", "read");
    vi.advanceTimersByTime(1000);
    await isHeard;

    expect(received).toEqual(["read"]);
    expect(gaps).toBe(1);
  });

  it("forgets leases and messages of before a reboot", async () => {
    const clocks = hostClocks();
    const path = join(folder(), "photon.db");
    const before = await openSqlite(path, clocks);
    await before.lease("run", "ada", HOUR);
    await before.lease("other run", "ada", HOUR);
    await before.publish("channel", "before");
    await before.close();

    clocks.reboot();
    const store = await opened(path, clocks);

    expect(await store.lease("run", "bob", HOUR)).toBe(true);
    await store.publish("channel", "after");
    expect(countRows(path, "leases")).toBe(1);
    expect(countRows(path, "messages")).toBe(1);
  });
});
