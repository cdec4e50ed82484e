/**
 * The specification of a `Store`, as tests: `@photon/server/store-contract`.
 *
 * They need nothing but the `it` of your test framework. Each test opens an empty store and works on the real one. Where time has to
 * pass, they call the `pass` of the store under test.
 */
import assert from "node:assert/strict";
import type { AppendMeta, ListPage, OpenEntry, Store } from "./store.ts";

/** An empty store, and how a test controls it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Opens the same store once more, as another process does. */
  another(): Promise<Store>;
  /** The wall clock of the store. */
  now(): number;
  /** Lets so many milliseconds pass: moves the clock of the store, or sleeps. */
  pass(milliseconds: number): Promise<void>;
}

/** How the contract declares its tests and opens the store. */
export interface StoreContractOptions {
  /** Declares a test: `it` of vitest, jest or node:test. */
  readonly it: (title: string, test: () => Promise<void>) => unknown;
  /** Opens a store for one test. Close it, and every `another()`, after the test. */
  readonly open: () => Promise<StoreUnderTest>;
  /** Whether the data outlasts the last process that has the store open. True by default. */
  readonly isPersistent?: boolean;
}

const HOUR = 3_600_000;
/** Short enough to wait for. What must not expire during a test lasts an hour. */
const SHORT = 40;

/** The argument of every test: the store, and shorter forms of its calls. */
interface Fixture extends Pick<StoreUnderTest, "store"> {
  readonly another: () => Promise<Store>;
  /** The time in so many milliseconds. */
  readonly until: (milliseconds: number) => number;
  /** Lets everything that lasts for SHORT expire. */
  readonly pass: () => Promise<void>;
  /** Appends to a run that expires in an hour. */
  readonly append: (
    ...args: [
      run: string,
      position: number,
      records: readonly string[],
      open?: AppendMeta["open"],
      store?: Store,
    ]
  ) => Promise<boolean>;
}

function fixtureOf(tested: StoreUnderTest): Fixture {
  const until = (milliseconds: number): number => tested.now() + milliseconds;
  return {
    store: tested.store,
    another: () => tested.another(),
    until,
    pass: () => tested.pass(SHORT + 1),
    append: (run, position, records, open, store = tested.store) =>
      store.append(run, position, records, { until: until(HOUR), ...(open === undefined ? {} : { open }) }),
  };
}

const entry = (since: number, group = "ada", value = "encrypted"): OpenEntry => ({ group, since, value });
const listed = (run: string, since: number): object => ({ run, ...entry(since) });

/** Declares the tests that every store passes. */
export function storeContract({ it, open, isPersistent = true }: StoreContractOptions): void {
  const test = (title: string, run: (fixture: Fixture) => Promise<void>): void =>
    void it(title, async () => run(fixtureOf(await open())));

  // Logs: append, read.

  test("reads records in the order of the appends, from any index", async ({ store, append }) => {
    assert.equal(await append("run", 0, ["a", "b"]), true);
    assert.equal(await append("run", 2, ["c"]), true);

    same(await store.read("run"), ["a", "b", "c"]);
    same(await store.read("run", 1), ["b", "c"]);
    same(await store.read("run", 3), []);
    same(await store.read("another"), []);
  });

  test("stores every character of names and values", async ({ store, append }) => {
    const records = ["", "\0", "\u0001a\0b\u0001", "ü 🜚 \u2028", '{"a":"\\n"}', "x".repeat(300_000)];
    const run = "a:b{c}d e/ü*?%_'\"";
    const group = "g:{}*'";

    await append(run, 0, records, entry(1, group, "\0ü"));

    same(await store.read(run), records);
    same((await store.list({ group, limit: 5 })).entries, [{ run, ...entry(1, group, "\0ü") }]);
  });

  test("appends nothing if the log has another length", async ({ store, append }) => {
    await append("run", 0, ["a"], entry(1));

    assert.equal(await append("run", 0, ["b"], null), false);
    assert.equal(await append("run", 2, ["b"], null), false);
    assert.equal(await append("another", 1, ["b"], entry(1)), false);

    same(await store.read("run"), ["a"]);
    same(await store.getOpen("run"), listed("run", 1));
    same(await pages(store), [["run"]]);
  });

  test("accepts one of many concurrent appends at the same position", async ({ store, another, append }) => {
    const stores = [store, await another(), await another()];

    for (let position = 0; position < 5; position++) {
      const attempts = Array.from({ length: 12 }, (_, writer) =>
        append("run", position, [`${position} by ${writer}`], undefined, stores[writer % stores.length]),
      );
      const winners = (await Promise.all(attempts)).flatMap((isAppended, writer) =>
        isAppended ? [writer] : [],
      );
      assert.equal(winners.length, 1);
      same(await store.read("run", position), [`${position} by ${winners[0]}`]);
    }
  });

  test("loses no record when many runs are appended to at once", async ({ store, another, append }) => {
    const stores = [store, await another()];
    const runs = Array.from({ length: 20 }, (_, number) => `run ${number}`);
    const recordsOf = (run: string): string[] =>
      Array.from({ length: 10 }, (_, position) => `${run}: ${position}`);

    await Promise.all(
      runs.map(async (run, number) => {
        for (const [position, record] of recordsOf(run).entries())
          assert.equal(await append(run, position, [record], undefined, stores[number % 2]), true);
      }),
    );

    for (const run of runs) same(await store.read(run), recordsOf(run));
  });

  // Open entries: getOpen, list, listDue.

  test("has the open entry of a run until an append replaces or closes it", async ({ store, append }) => {
    const replaced = { run: "run", ...entry(20, "bob", "other") };

    await append("run", 0, ["a"]);
    assert.equal(await store.getOpen("run"), undefined);
    await append("run", 1, ["b"], entry(10));
    same(await store.getOpen("run"), listed("run", 10));
    await append("run", 2, ["c"]);
    same(await store.getOpen("run"), listed("run", 10));
    await append("run", 3, [], entry(20, "bob", "other"));
    same(await store.getOpen("run"), replaced);
    same(await store.list({ group: "ada", limit: 5 }), { entries: [] });
    same(await store.list({ limit: 5 }), { entries: [replaced] });
    await append("run", 3, ["d"], null);
    assert.equal(await store.getOpen("run"), undefined);
    same(await store.list({ limit: 5 }), { entries: [] });
    same(await store.read("run"), ["a", "b", "c", "d"]);
  });

  test("lists open entries page by page, oldest first, then by run", async ({ store, append }) => {
    const runs = Array.from({ length: 23 }, (_, number) => `run ${String(number).padStart(2, "0")}`);
    // Most have the same time, so that pages end between entries of one time. Times are ordered as numbers, not as texts.
    const times = [0, 7, ...Array.from({ length: 20 }, () => 995), 1_795_000_000_000];
    for (const [index, run] of [...runs.entries()].toReversed())
      await append(run, 0, ["a"], entry(times[index] ?? 0));

    same(
      await pages(store, 5),
      [0, 5, 10, 15, 20].map((from) => runs.slice(from, from + 5)),
    );
    same(await pages(store, 23), [runs]);
  });

  test("lists the open entries of one group", async ({ store, append }) => {
    for (let number = 0; number < 12; number++)
      await append(`run ${number}`, 0, ["a"], entry(number, `group ${number % 3}`));

    same(await pages(store, 3, "group 1"), [["run 1", "run 4", "run 7"], ["run 10"]]);
    same(await pages(store, 3, "group"), [[]]);
  });

  test("continues a list after a cursor, whatever was closed or opened", async ({ store, append }) => {
    for (const run of ["b", "c", "d", "e"]) await append(run, 0, ["a"], entry(20));

    const { next = "" } = await store.list({ limit: 2 });
    for (const run of ["b", "c"]) await append(run, 1, [], null);
    await append("f", 0, ["a"], entry(10));
    for (const run of ["a", "cc"]) await append(run, 0, ["a"], entry(20));

    same(runsOf(await store.list({ limit: 5, after: next })), ["cc", "d", "e"]);
  });

  test("rejects a cursor that no page has returned, with a RangeError", async ({ store }) => {
    await assert.rejects(store.list({ limit: 5, after: "nowhere" }), RangeError);
  });

  test("lists due entries page by page, their due time as `since`", async ({ store, append }) => {
    for (const [run, due] of Object.entries({ d: 900, b: 70, e: 1001, c: 70, a: 1000 }))
      await append(run, 0, ["x"], { ...entry(5), due });
    await append("never", 0, ["x"], entry(1));

    const first = await store.listDue(1000, { limit: 2 });
    const second = await store.listDue(1000, { limit: 2, after: first.next ?? "" });

    same(first.entries, [listed("b", 70), listed("c", 70)]);
    same(second, { entries: [listed("d", 900), listed("a", 1000)] });
  });

  test("lists no expired, closed or replaced entry as due", async ({ store, append, until, pass }) => {
    const due = { ...entry(1), due: 2 };
    for (const run of ["stays", "closed", "replaced"]) await append(run, 0, ["x"], due);
    await store.append("expired", 0, ["x"], { until: until(SHORT), open: due });

    await append("stays", 1, ["x"]);
    await append("closed", 1, ["x"], null);
    await append("replaced", 1, ["x"], entry(1));
    await pass();

    same(runsOf(await store.listDue(3, { limit: 9 })), ["stays"]);
    same(await store.getOpen("stays"), listed("stays", 1));
  });

  // Expiry of runs.

  test("has neither log nor open entry of an expired run", async ({ store, append, until, pass }) => {
    await store.append("run", 0, ["a"], { until: until(SHORT), open: entry(1) });
    await append("next", 0, ["a"], entry(2));

    await pass();

    same(runsOf(await store.list({ limit: 1 })), ["next"]);
    same(await store.read("run"), []);
    assert.equal(await store.getOpen("run"), undefined);
    assert.equal(await append("run", 1, ["b"]), false);
    assert.equal(await append("run", 0, ["b"]), true);
    same(await store.read("run"), ["b"]);
    assert.equal(await store.getOpen("run"), undefined);
    same(await pages(store), [["next"]]);
  });

  test("keeps a run until the time of its last append", async ({ store, append, until, pass }) => {
    await store.append("run", 0, ["a"], { until: until(SHORT), open: entry(1) });
    // On a slow machine the run may have expired before this.
    const isInTime = await append("run", 1, ["b"]);

    await pass();

    same(await store.read("run"), isInTime ? ["a", "b"] : []);
    same(await pages(store), [isInTime ? ["run"] : []]);
  });

  // Leases: lease, release.

  test("grants a lease to one holder, who can renew it", async ({ store, another, pass }) => {
    const other = await another();

    assert.equal(await store.lease("name", "ada", SHORT), true);
    assert.equal(await store.lease("name", "ada", HOUR), true);
    await pass();

    assert.equal(await other.lease("name", "bob", HOUR), false);
    assert.equal(await other.lease("other name", "bob", HOUR), true);
    assert.equal(await store.lease("name", "ada", HOUR), true);
  });

  test("ends a lease when its time is over, or its holder releases it", async ({ store, pass }) => {
    await store.lease("name", "ada", SHORT);
    await pass();

    assert.equal(await store.lease("name", "bob", HOUR), true);
    await store.release("name", "ada");
    assert.equal(await store.lease("name", "ada", HOUR), false);
    await store.release("name", "bob");
    assert.equal(await store.lease("name", "ada", HOUR), true);
  });

  test("grants a lease to one of many concurrent holders", async ({ store, another }) => {
    const other = await another();

    const granted = await Promise.all(
      Array.from({ length: 20 }, (_, holder) =>
        (holder % 2 === 0 ? store : other).lease("name", `${holder}`, HOUR),
      ),
    );

    assert.equal(granted.filter((isGranted) => isGranted).length, 1);
  });

  // Values: putIfAbsent, get.

  test("keeps the first value of a name until it expires", async ({ store, another, until, pass }) => {
    const other = await another();

    assert.equal(await store.get("name"), undefined);
    assert.equal(await store.putIfAbsent("name", "first", until(HOUR)), "first");
    assert.equal(await other.putIfAbsent("name", "second", until(HOUR)), "first");
    assert.equal(await other.get("name"), "first");

    assert.equal(await store.putIfAbsent("other name", "short", until(SHORT)), "short");
    await pass();
    assert.equal(await store.get("other name"), undefined);
    assert.equal(await other.putIfAbsent("other name", "second", until(HOUR)), "second");
    assert.equal(await store.get("other name"), "second");
  });

  test("keeps a run, a lease and a value of the same name apart", async ({ store, append, until }) => {
    await append("name", 0, ["a"]);
    await store.lease("name", "ada", HOUR);
    await store.putIfAbsent("name", "first", until(HOUR));

    assert.equal(await store.lease("name", "bob", HOUR), false);
    await store.release("name", "ada");
    same(await store.read("name"), ["a"]);
    assert.equal(await store.get("name"), "first");
  });

  // Messages: publish, subscribe.

  test("delivers messages to every subscriber of their channel, in order", async ({ store, another }) => {
    const other = await another();
    const near = await collectMessages(store, "channel");
    const far = await collectMessages(other, "channel");
    const elsewhere = await collectMessages(other, "another channel");

    for (const message of ["1", "2", "ü\0"]) await store.publish("channel", message);
    await other.publish("channel", "4");
    await other.publish("another channel", "5");

    same(await near.received(4), ["1", "2", "ü\0", "4"]);
    same(await far.received(4), ["1", "2", "ü\0", "4"]);
    same(await elsewhere.received(1), ["5"]);
  });

  test("stores records and delivers messages of several megabytes", async ({ store, another, append }) => {
    const large = "x".repeat(4 * 1024 * 1024);
    const far = await collectMessages(await another(), "channel");

    await append("run", 0, [large]);
    await store.publish("channel", large);

    // Not `equal`, which would print both.
    assert.ok((await store.read("run"))[0] === large, "the record was changed");
    assert.ok((await far.received(1))[0] === large, "the message was changed");
  });

  test("delivers no message from before a subscription, or after its end", async ({ store, another }) => {
    const other = await another();
    const always = await collectMessages(other, "channel");
    await store.publish("channel", "before");
    await always.received(1);
    const late = await collectMessages(other, "channel");
    const ended = await collectMessages(other, "channel");
    await ended.end();

    await store.publish("channel", "after");

    same(await late.received(1), ["after"]);
    same(await always.received(2), ["before", "after"]);
    same(await ended.received(0), []);
  });

  test("accepts a subscription after the last one of a channel has ended", async ({ store, another }) => {
    const other = await another();
    const first = await collectMessages(other, "channel");
    await first.end();
    await first.end();
    await store.publish("channel", "between");

    const second = await collectMessages(other, "channel");
    await store.publish("channel", "after");

    same(await second.received(1), ["after"]);
  });

  // Closing.

  test("rejects every call with StoreUnavailable after close()", async ({ store, append }) => {
    await store.subscribe("channel", () => {});

    await store.close();
    await store.close();
    const calls = {
      append: () => append("run", 0, ["a"]),
      read: () => store.read("run"),
      getOpen: () => store.getOpen("run"),
      list: () => store.list({ limit: 1 }),
      listDue: () => store.listDue(1, { limit: 1 }),
      lease: () => store.lease("name", "ada", 1),
      release: () => store.release("name", "ada"),
      putIfAbsent: () => store.putIfAbsent("name", "a", HOUR),
      get: () => store.get("name"),
      publish: () => store.publish("channel", "a"),
      subscribe: () => store.subscribe("channel", () => {}),
      ping: () => store.ping(),
    };
    for (const [name, call] of Object.entries(calls))
      await assert.rejects(call, { code: "STORE_UNAVAILABLE" }, `${name} after close()`);
  });

  if (!isPersistent) return;

  test("has its data when it is opened again", async ({ another, append }) => {
    const writer = await another();
    await append("run", 0, ["a"], entry(1), writer);
    await writer.close();

    const reader = await another();

    await reader.ping();
    same(await reader.read("run"), ["a"]);
    same(await reader.getOpen("run"), listed("run", 1));
  });
}

/** Ignores members that are `undefined`. */
function same(actual: unknown, expected: unknown): void {
  assert.deepEqual(actual === undefined ? undefined : JSON.parse(JSON.stringify(actual)), expected);
}

const runsOf = ({ entries }: ListPage): string[] => entries.map(({ run }) => run);

/** The runs of all pages of a list. */
async function pages(store: Store, limit = 9, group?: string): Promise<string[][]> {
  const found: string[][] = [];
  for (let page: ListPage | undefined; page === undefined || page.next !== undefined;) {
    const after = page?.next;
    page = await store.list({ limit, ...(group && { group }), ...(after !== undefined && { after }) });
    found.push(runsOf(page));
  }
  return found;
}

/** A subscription that stores the messages it receives. */
export interface MessageCollector {
  /** Resolves with all messages once there are so many. */
  received(count: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** Subscribes to a channel of a store, and collects its messages. */
export async function collectMessages(store: Store, channel: string): Promise<MessageCollector> {
  const messages: string[] = [];
  const waiting = new Set<() => void>();
  const end = await store.subscribe(channel, (message) => {
    messages.push(message);
    for (const wake of waiting) wake();
  });
  const received = async (count: number): Promise<readonly string[]> => {
    while (messages.length < count)
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    return messages;
  };
  return { received, end };
}
