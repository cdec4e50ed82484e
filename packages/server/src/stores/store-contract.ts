/**
 * The contract of a `Store`, as tests: `@photon/server/store-contract`.
 *
 * They need nothing but the `it` of your test framework, and open the store for real. No test sleeps by itself: how time passes is the
 * store's own (`pass`).
 */
import assert from "node:assert/strict";
import type { AppendMeta, ListedEntry, OpenEntry, Store } from "./store.ts";

/** An empty store, and what surrounds it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Opens the same store once more, as another process does. */
  another(): Promise<Store>;
  /** The wall clock of the store. */
  now(): number;
  /** Lets so many milliseconds pass: moves the clock of the store, or sleeps. */
  pass(milliseconds: number): Promise<void>;
}

export interface StoreContractOptions {
  /** Declares a test: `it` of vitest, jest or node:test. */
  readonly it: (title: string, test: () => Promise<void>) => unknown;
  /** Opens a store for one test. Close it, and every `another()`, after the test. */
  readonly open: () => Promise<StoreUnderTest>;
  /** Whether the data outlasts the last process that has the store open. True without this. */
  readonly isPersistent?: boolean;
}

const HOUR = 3_600_000;
/** Short enough to be waited for. What must not expire has an hour. */
const SHORT = 40;

const forAnHour = (world: StoreUnderTest, open?: AppendMeta["open"]): AppendMeta => ({
  until: world.now() + HOUR,
  ...(open === undefined ? {} : { open }),
});
const shortly = (world: StoreUnderTest): AppendMeta => ({ until: world.now() + SHORT });
const entry = (since: number, group = "ada", value = "sealed"): OpenEntry => ({ group, since, value });

/** Declares the tests that every store passes. */
export function storeContract({ it, open, isPersistent = true }: StoreContractOptions): void {
  it("reads what was appended, in order, from any record on", async () => {
    const world = await open();
    const { store } = world;

    assert.equal(await store.append("run", 0, ["a", "b"], forAnHour(world)), true);
    assert.equal(await store.append("run", 2, ["c"], forAnHour(world)), true);

    same(await store.read("run"), ["a", "b", "c"]);
    same(await store.read("run", 1), ["b", "c"]);
    same(await store.read("run", 3), []);
    same(await store.read("another"), []);
  });

  it("stores every character of names and values", async () => {
    const world = await open();
    const odd = ["", "\0", "\u0001a\0b\u0001", "ü 🜚 \u2028", '{"a":"\\n"}', "x".repeat(300_000)];
    const run = "a:b{c}d e/ü*?%_'\"";

    await world.store.append(run, 0, odd, forAnHour(world, entry(1, "g:{}*'", "\0ü")));

    same(await world.store.read(run), odd);
    same((await world.store.list({ group: "g:{}*'", limit: 5 })).entries, [
      { run, group: "g:{}*'", since: 1, value: "\0ü" },
    ]);
  });

  it("appends nothing if the log has another length", async () => {
    const world = await open();
    const { store } = world;
    await store.append("run", 0, ["a"], forAnHour(world, entry(1)));

    assert.equal(await store.append("run", 0, ["b"], forAnHour(world, null)), false);
    assert.equal(await store.append("run", 2, ["b"], forAnHour(world, null)), false);
    assert.equal(await store.append("another", 1, ["b"], forAnHour(world, entry(1))), false);

    same(await store.read("run"), ["a"]);
    same(await store.getOpen("run"), { run: "run", ...entry(1) });
    same(
      (await store.list({ limit: 5 })).entries.map(({ run }) => run),
      ["run"],
    );
  });

  it("lets one of many concurrent appends at the same position succeed", async () => {
    const world = await open();
    const stores = [world.store, await world.another(), await world.another()];
    const storeOf = (who: number): Store => stores[who % stores.length] ?? world.store;

    for (let at = 0; at < 5; at++) {
      const tries = Array.from({ length: 12 }, (_, who) =>
        storeOf(who).append("run", at, [`${at} by ${who}`], forAnHour(world)),
      );
      const winners = (await Promise.all(tries)).flatMap((isAppended, who) => (isAppended ? [who] : []));
      assert.equal(winners.length, 1);
      same(await world.store.read("run", at), [`${at} by ${winners[0]}`]);
    }
  });

  it("loses nothing when many runs are appended to concurrently", async () => {
    const world = await open();
    const stores = [world.store, await world.another()];
    const runs = Array.from({ length: 20 }, (_, number) => `run ${number}`);

    await Promise.all(
      runs.map(async (run, number) => {
        for (let at = 0; at < 10; at++) {
          const isIn = await stores[number % 2]?.append(run, at, [`${run}: ${at}`], forAnHour(world));
          assert.equal(isIn, true);
        }
      }),
    );

    for (const run of runs) {
      same(
        await stores[0]?.read(run),
        Array.from({ length: 10 }, (_, at) => `${run}: ${at}`),
      );
    }
  });

  it("has the open entry of a run until it is replaced or closed", async () => {
    const world = await open();
    const { store } = world;

    await store.append("run", 0, ["a"], forAnHour(world));
    assert.equal(await store.getOpen("run"), undefined);
    await store.append("run", 1, ["b"], forAnHour(world, entry(10)));
    same(await store.getOpen("run"), { run: "run", ...entry(10) });
    await store.append("run", 2, ["c"], forAnHour(world));
    same(await store.getOpen("run"), { run: "run", ...entry(10) });
    await store.append("run", 3, [], forAnHour(world, entry(20, "bob", "other")));
    same(await store.getOpen("run"), { run: "run", ...entry(20, "bob", "other") });
    same(await store.list({ group: "ada", limit: 5 }), { entries: [] });
    same(await store.list({ limit: 5 }), {
      entries: [{ run: "run", ...entry(20, "bob", "other") }],
    });
    await store.append("run", 3, ["d"], forAnHour(world, null));
    assert.equal(await store.getOpen("run"), undefined);
    same(await store.list({ limit: 5 }), { entries: [] });
    same(await store.read("run"), ["a", "b", "c", "d"]);
  });

  it("lists open entries page by page, oldest first, then by run", async () => {
    const world = await open();
    const { store } = world;
    const runs = Array.from({ length: 23 }, (_, number) => `run ${String(number).padStart(2, "0")}`);
    // In an order that is not that of the list; all but the first two and the last are open for as long.
    for (const run of runs.toReversed()) {
      const since = run <= "run 01" ? 10 : run === "run 22" ? 30 : 20;
      await store.append(run, 0, ["a"], forAnHour(world, entry(since)));
    }

    same(await pages(store, 5), [
      runs.slice(0, 5),
      runs.slice(5, 10),
      runs.slice(10, 15),
      runs.slice(15, 20),
      runs.slice(20),
    ]);
    same(await pages(store, 23), [runs]);
  });

  it("lists the open entries of one group", async () => {
    const world = await open();
    const { store } = world;
    for (let number = 0; number < 12; number++) {
      await store.append(`run ${number}`, 0, ["a"], forAnHour(world, entry(number, `group ${number % 3}`)));
    }

    same(await pages(store, 3, "group 1"), [["run 1", "run 4", "run 7"], ["run 10"]]);
    same(await pages(store, 3, "group"), [[]]);
  });

  it("continues a list where a page ended, whatever was closed or opened meanwhile", async () => {
    const world = await open();
    const { store } = world;
    const put = (run: string, since: number): Promise<boolean> =>
      store.append(run, 0, ["a"], forAnHour(world, entry(since)));
    for (const run of ["b", "c", "d", "e"]) await put(run, 20);

    const { next = "" } = await store.list({ limit: 2 });
    await store.append("b", 1, [], forAnHour(world, null));
    await store.append("c", 1, [], forAnHour(world, null));
    await put("a", 20);
    await put("f", 10);
    await put("cc", 20);

    const { entries } = await store.list({ limit: 5, after: next });
    same(
      entries.map(({ run }) => run),
      ["cc", "d", "e"],
    );
  });

  it("orders times by their size, however many digits they have", async () => {
    const world = await open();
    for (const since of [1_795_000_000_000, 7, 995, 0]) {
      await world.store.append(`run ${since}`, 0, ["a"], forAnHour(world, entry(since)));
    }

    const { entries } = await world.store.list({ limit: 5 });

    same(
      entries.map(({ since }) => since),
      [0, 7, 995, 1_795_000_000_000],
    );
  });

  it("lists entries that are due, the longest due first, page by page", async () => {
    const world = await open();
    const { store } = world;
    for (const [run, due] of Object.entries({ d: 900, b: 70, e: 1001, c: 70, a: 1000 })) {
      await store.append(run, 0, ["x"], forAnHour(world, { ...entry(5), due }));
    }
    await store.append("never", 0, ["x"], forAnHour(world, entry(1)));

    const first = await store.listDue(1000, { limit: 2 });
    const second = await store.listDue(1000, { limit: 2, ...(first.next && { after: first.next }) });

    same(first.entries, [
      { run: "b", ...entry(70) },
      { run: "c", ...entry(70) },
    ]);
    same(second, {
      entries: [
        { run: "d", ...entry(900) },
        { run: "a", ...entry(1000) },
      ],
    });
  });

  it("lists no due entry that was closed, or replaced by one without a due time", async () => {
    const world = await open();
    const { store } = world;
    const opened = forAnHour(world, { ...entry(1), due: 2 });
    for (const run of ["stays", "closed", "anew"]) await store.append(run, 0, ["x"], opened);
    await store.append("short", 0, ["x"], { ...shortly(world), open: { ...entry(1), due: 2 } });

    await store.append("stays", 1, ["x"], forAnHour(world));
    await store.append("closed", 1, ["x"], forAnHour(world, null));
    await store.append("anew", 1, ["x"], forAnHour(world, entry(1)));
    await world.pass(SHORT);

    same(
      (await store.listDue(3, { limit: 9 })).entries.map(({ run }) => run),
      ["stays"],
    );
    same(await store.getOpen("stays"), { run: "stays", ...entry(1) });
  });

  it("rejects a cursor that no page has returned, with a RangeError", async () => {
    const { store } = await open();

    await assert.rejects(store.list({ limit: 5, after: "nowhere" }), RangeError);
  });

  it("has no run that has expired", async () => {
    const world = await open();
    const { store } = world;
    await store.append("run", 0, ["a"], { ...shortly(world), open: entry(1) });
    await store.append("next", 0, ["a"], forAnHour(world, entry(2)));

    await world.pass(SHORT + 1);

    same(
      (await store.list({ limit: 1 })).entries.map(({ run }) => run),
      ["next"],
    );
    same(await store.read("run"), []);
    assert.equal(await store.getOpen("run"), undefined);
    assert.equal(await store.append("run", 1, ["b"], forAnHour(world)), false);
    assert.equal(await store.append("run", 0, ["b"], forAnHour(world)), true);
    same(await store.read("run"), ["b"]);
    assert.equal(await store.getOpen("run"), undefined);
    same(
      (await store.list({ limit: 5 })).entries.map(({ run }) => run),
      ["next"],
    );
  });

  it("keeps a run for as long as the last append says", async () => {
    const world = await open();
    const { store } = world;
    await store.append("run", 0, ["a"], { ...shortly(world), open: entry(1) });
    // Where time has run on by itself, the first record may have expired; then this begins anew.
    const isIn = await store.append("run", 1, ["b"], forAnHour(world));

    await world.pass(SHORT + 1);

    same(await store.read("run"), isIn ? ["a", "b"] : []);
    assert.equal((await store.list({ limit: 5 })).entries.length, isIn ? 1 : 0);
  });

  it("grants a lease to one holder, who can renew it", async () => {
    const world = await open();
    const other = await world.another();

    assert.equal(await world.store.lease("name", "ada", SHORT), true);
    assert.equal(await world.store.lease("name", "ada", HOUR), true);
    await world.pass(SHORT + 1);

    assert.equal(await other.lease("name", "bob", HOUR), false);
    assert.equal(await other.lease("other name", "bob", HOUR), true);
    assert.equal(await world.store.lease("name", "ada", HOUR), true);
  });

  it("ends a lease when its time is over, or its holder releases it", async () => {
    const world = await open();
    const { store } = world;
    await store.lease("name", "ada", SHORT);
    await world.pass(SHORT + 1);

    assert.equal(await store.lease("name", "bob", HOUR), true);
    await store.release("name", "ada");
    assert.equal(await store.lease("name", "ada", HOUR), false);
    await store.release("name", "bob");
    assert.equal(await store.lease("name", "ada", HOUR), true);
  });

  it("grants a lease to one of many concurrent holders", async () => {
    const world = await open();
    const other = await world.another();

    const tries = Array.from({ length: 20 }, (_, who) =>
      (who % 2 === 0 ? world.store : other).lease("name", `${who}`, HOUR),
    );

    assert.equal((await Promise.all(tries)).filter((isHeld) => isHeld).length, 1);
  });

  it("keeps the first value of a name", async () => {
    const world = await open();
    const other = await world.another();
    const until = world.now() + HOUR;

    assert.equal(await world.store.get("name"), undefined);
    assert.equal(await world.store.putIfAbsent("name", "first", until), "first");
    assert.equal(await other.putIfAbsent("name", "second", until), "first");
    assert.equal(await other.get("name"), "first");
    assert.equal(await other.putIfAbsent("other name", "second", until), "second");
  });

  it("keeps the value of a name until it expires", async () => {
    const world = await open();
    const { store } = world;
    await store.putIfAbsent("name", "first", world.now() + SHORT);
    await world.pass(SHORT + 1);

    assert.equal(await store.get("name"), undefined);
    assert.equal(await store.putIfAbsent("name", "second", world.now() + HOUR), "second");
    assert.equal(await store.get("name"), "second");
  });

  it("keeps runs, leases and values apart, also under the same name", async () => {
    const world = await open();
    const { store } = world;

    await store.append("name", 0, ["a"], forAnHour(world));
    await store.lease("name", "ada", HOUR);
    await store.putIfAbsent("name", "first", world.now() + HOUR);

    assert.equal(await store.get("name"), "first");
    assert.equal(await store.lease("name", "bob", HOUR), false);
    await store.release("name", "ada");
    same(await store.read("name"), ["a"]);
    assert.equal(await store.get("name"), "first");
  });

  it("delivers messages to every subscriber, in order", async () => {
    const world = await open();
    const other = await world.another();
    const near = await collectMessages(world.store, "channel");
    const far = await collectMessages(other, "channel");
    const elsewhere = await collectMessages(other, "another channel");

    for (const message of ["1", "2", "ü\0"]) await world.store.publish("channel", message);
    await other.publish("channel", "4");
    await other.publish("another channel", "5");

    same(await near.received(4), ["1", "2", "ü\0", "4"]);
    same(await far.received(4), ["1", "2", "ü\0", "4"]);
    same(await elsewhere.received(1), ["5"]);
  });

  it("stores records and delivers messages of several megabytes whole", async () => {
    const world = await open();
    const other = await world.another();
    const large = "x".repeat(4 * 1024 * 1024);
    const far = await collectMessages(other, "channel");

    await world.store.append("run", 0, [large], { until: world.now() + HOUR });
    await world.store.publish("channel", large);

    assert.ok((await world.store.read("run"))[0] === large, "the record was changed");
    assert.ok((await far.received(1))[0] === large, "the message was changed");
  });

  it("delivers no message from before a subscription, or after its end", async () => {
    const world = await open();
    const other = await world.another();
    const always = await collectMessages(other, "channel");
    await world.store.publish("channel", "before");
    await always.received(1);
    const late = await collectMessages(other, "channel");
    const gone = await collectMessages(other, "channel");
    await gone.end();

    await world.store.publish("channel", "after");

    same(await late.received(1), ["after"]);
    same(await always.received(2), ["before", "after"]);
    same(await gone.received(0), []);
  });

  it("can be subscribed to again after every subscription has ended", async () => {
    const world = await open();
    const other = await world.another();
    const first = await collectMessages(other, "channel");
    await first.end();
    await first.end();
    await world.store.publish("channel", "unheard");

    const second = await collectMessages(other, "channel");
    await world.store.publish("channel", "heard");

    same(await second.received(1), ["heard"]);
  });

  it("rejects every call with StoreUnavailable once it is closed", async () => {
    const world = await open();
    const { store } = world;
    const until = world.now() + HOUR;
    await store.subscribe("channel", () => {});

    await store.close();
    await store.close();
    const calls = {
      append: () => store.append("run", 0, ["a"], { until }),
      read: () => store.read("run"),
      getOpen: () => store.getOpen("run"),
      list: () => store.list({ limit: 1 }),
      listDue: () => store.listDue(1, { limit: 1 }),
      lease: () => store.lease("name", "ada", 1),
      release: () => store.release("name", "ada"),
      putIfAbsent: () => store.putIfAbsent("name", "a", until),
      get: () => store.get("name"),
      publish: () => store.publish("channel", "a"),
      subscribe: () => store.subscribe("channel", () => {}),
      ping: () => store.ping(),
    };
    for (const [name, call] of Object.entries(calls))
      await assert.rejects(call, { code: "STORE_UNAVAILABLE" }, `${name} after close()`);
  });

  if (!isPersistent) return;

  it("has its data when it is opened again", async () => {
    const world = await open();
    const other = await world.another();
    await other.append("run", 0, ["a"], forAnHour(world, entry(1)));
    await other.close();

    const next = await world.another();

    await next.ping();
    same(await next.read("run"), ["a"]);
    same(await next.getOpen("run"), { run: "run", ...entry(1) });
  });
}

/** `undefined` members do not matter. */
function same(actual: unknown, expected: unknown): void {
  assert.deepEqual(actual === undefined ? undefined : JSON.parse(JSON.stringify(actual)), expected);
}

/** Every page of the open entries, as the ids of their runs. */
async function pages(store: Store, limit: number, group?: string): Promise<string[][]> {
  const found: string[][] = [];
  let after: string | undefined;
  do {
    const { entries, next } = await store.list({
      limit,
      ...(group === undefined ? {} : { group }),
      ...(after === undefined ? {} : { after }),
    });
    found.push(entries.map(({ run }: ListedEntry) => run));
    after = next;
  } while (after !== undefined);
  return found;
}

/** A subscription that remembers what it has received. */
export interface MessageCollector {
  /** Resolves with all messages once there are so many. */
  received(count: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

export async function collectMessages(store: Store, channel: string): Promise<MessageCollector> {
  const messages: string[] = [];
  const waiting = new Set<() => void>();
  const end = await store.subscribe(channel, (message) => {
    messages.push(message);
    for (const check of waiting) check();
  });
  const received = (count: number): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (messages.length >= count) resolve(messages);
      };
      waiting.add(check);
      check();
    });
  return { received, end };
}
