/** What every kind of store does. Each is opened for real; how time passes in it is its own. */
import { expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { AppendMeta, Open, Opened, Store } from "../../src/stores/store.ts";
import type { HostClocks } from "./host-clocks.ts";

/** A store, empty, and what surrounds it. */
export interface World {
  readonly store: Store;
  /** Opens the same one again, as another process does. */
  another(): Promise<Store>;
  now(): number;
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): Promise<void>;
}

/** A store of which the test moves the clocks. */
export interface ClockedWorld extends World {
  readonly clocks: HostClocks;
}

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;
/** Short enough to be waited for. What must not have expired yet has an hour. */
const SHORT = 40;

const inAnHour = (world: World, open?: AppendMeta["open"]): AppendMeta => ({
  until: world.now() + HOUR,
  ...(open === undefined ? {} : { open }),
});
const shortly = (world: World): AppendMeta => ({ until: world.now() + SHORT });
const asked = (since: number, group = "ada", value = "sealed"): Open => ({ group, since, value });

export function storeContract(open: () => Promise<World>): void {
  it("gives back what was appended, in order, from any record on", async () => {
    const world = await open();
    const { store } = world;

    expect(await store.append("run", 0, ["a", "b"], inAnHour(world))).toBe(true);
    expect(await store.append("run", 2, ["c"], inAnHour(world))).toBe(true);

    expect(await store.read("run")).toEqual(["a", "b", "c"]);
    expect(await store.read("run", 1)).toEqual(["b", "c"]);
    expect(await store.read("run", 3)).toEqual([]);
    expect(await store.read("another")).toEqual([]);
  });

  it("keeps every character of what it is given", async () => {
    const world = await open();
    const odd = ["", "\0", "\u0001a\0b\u0001", "ü 🜚 \u2028", '{"a":"\\n"}', "x".repeat(300_000)];
    const run = "a:b{c}d e/ü*?%_'\"";

    await world.store.append(run, 0, odd, inAnHour(world, asked(1, "g:{}*'", "\0ü")));

    expect(await world.store.read(run)).toEqual(odd);
    expect((await world.store.list({ group: "g:{}*'", limit: 5 })).opened).toEqual([
      { run, group: "g:{}*'", since: 1, value: "\0ü" },
    ]);
  });

  it("appends nothing where the log has another length", async () => {
    const world = await open();
    const { store } = world;
    await store.append("run", 0, ["a"], inAnHour(world, asked(1)));

    expect(await store.append("run", 0, ["b"], inAnHour(world, null))).toBe(false);
    expect(await store.append("run", 2, ["b"], inAnHour(world, null))).toBe(false);
    expect(await store.append("another", 1, ["b"], inAnHour(world, asked(1)))).toBe(false);

    expect(await store.read("run")).toEqual(["a"]);
    expect(await store.getOpen("run")).toEqual({ run: "run", ...asked(1) });
    expect((await store.list({ limit: 5 })).opened.map(({ run }) => run)).toEqual(["run"]);
  });

  it("lets one of many who append at the same place go on", async () => {
    const world = await open();
    const stores = [world.store, await world.another(), await world.another()];
    const storeOf = (who: number): Store => stores[who % stores.length] ?? world.store;

    for (let at = 0; at < 5; at++) {
      const tries = Array.from({ length: 12 }, (_, who) =>
        storeOf(who).append("run", at, [`${at} by ${who}`], inAnHour(world)),
      );
      const went = (await Promise.all(tries)).flatMap((isIn, who) => (isIn ? [who] : []));
      expect(went).toHaveLength(1);
      expect(await world.store.read("run", at)).toEqual([`${at} by ${went[0]}`]);
    }
  });

  it("loses nothing of what many append to runs of their own", async () => {
    const world = await open();
    const stores = [world.store, await world.another()];
    const runs = Array.from({ length: 20 }, (_, number) => `run ${number}`);

    await Promise.all(
      runs.map(async (run, number) => {
        for (let at = 0; at < 10; at++) {
          const isIn = await stores[number % 2]?.append(run, at, [`${run}: ${at}`], inAnHour(world));
          expect(isIn).toBe(true);
        }
      }),
    );

    for (const run of runs) {
      expect(await stores[0]?.read(run)).toEqual(Array.from({ length: 10 }, (_, at) => `${run}: ${at}`));
    }
  });

  it("says what of a run is open, until something else is, or nothing", async () => {
    const world = await open();
    const { store } = world;

    await store.append("run", 0, ["a"], inAnHour(world));
    expect(await store.getOpen("run")).toBeUndefined();
    await store.append("run", 1, ["b"], inAnHour(world, asked(10)));
    expect(await store.getOpen("run")).toEqual({ run: "run", ...asked(10) });
    await store.append("run", 2, ["c"], inAnHour(world));
    expect(await store.getOpen("run")).toEqual({ run: "run", ...asked(10) });
    await store.append("run", 3, [], inAnHour(world, asked(20, "bob", "other")));
    expect(await store.getOpen("run")).toEqual({ run: "run", ...asked(20, "bob", "other") });
    expect(await store.list({ group: "ada", limit: 5 })).toEqual({ opened: [] });
    expect(await store.list({ limit: 5 })).toEqual({
      opened: [{ run: "run", ...asked(20, "bob", "other") }],
    });
    await store.append("run", 3, ["d"], inAnHour(world, null));
    expect(await store.getOpen("run")).toBeUndefined();
    expect(await store.list({ limit: 5 })).toEqual({ opened: [] });
    expect(await store.read("run")).toEqual(["a", "b", "c", "d"]);
  });

  it(
    verifies("E6", "lists what is open page by page, the longest open first, also where times are equal"),
    async () => {
      const world = await open();
      const { store } = world;
      const runs = Array.from({ length: 23 }, (_, number) => `run ${String(number).padStart(2, "0")}`);
      // In an order that is not that of the list; all but the first two and the last are open for as long.
      for (const run of runs.toReversed()) {
        const since = run <= "run 01" ? 10 : run === "run 22" ? 30 : 20;
        await store.append(run, 0, ["a"], inAnHour(world, asked(since)));
      }

      expect(await pages(store, 5)).toEqual([
        runs.slice(0, 5),
        runs.slice(5, 10),
        runs.slice(10, 15),
        runs.slice(15, 20),
        runs.slice(20),
      ]);
      expect(await pages(store, 23)).toEqual([runs]);
    },
  );

  it("lists what is open of one group", async () => {
    const world = await open();
    const { store } = world;
    for (let number = 0; number < 12; number++) {
      await store.append(`run ${number}`, 0, ["a"], inAnHour(world, asked(number, `group ${number % 3}`)));
    }

    expect(await pages(store, 3, "group 1")).toEqual([["run 1", "run 4", "run 7"], ["run 10"]]);
    expect(await pages(store, 3, "group")).toEqual([[]]);
  });

  it("goes on where a page ended, whatever was closed or opened meanwhile", async () => {
    const world = await open();
    const { store } = world;
    const put = (run: string, since: number): Promise<boolean> =>
      store.append(run, 0, ["a"], inAnHour(world, asked(since)));
    for (const run of ["b", "c", "d", "e"]) await put(run, 20);

    const { next = "" } = await store.list({ limit: 2 });
    await store.append("b", 1, [], inAnHour(world, null));
    await store.append("c", 1, [], inAnHour(world, null));
    await put("a", 20);
    await put("f", 10);
    await put("cc", 20);

    const { opened } = await store.list({ limit: 5, after: next });
    expect(opened.map(({ run }) => run)).toEqual(["cc", "d", "e"]);
  });

  it("orders times by their size, however many digits they have", async () => {
    const world = await open();
    for (const since of [1_795_000_000_000, 7, 995, 0]) {
      await world.store.append(`run ${since}`, 0, ["a"], inAnHour(world, asked(since)));
    }

    const { opened } = await world.store.list({ limit: 5 });

    expect(opened.map(({ since }) => since)).toEqual([0, 7, 995, 1_795_000_000_000]);
  });

  it("lists what is due by then, the longest due first, in pages", async () => {
    const world = await open();
    const { store } = world;
    for (const [run, due] of Object.entries({ d: 900, b: 70, e: 1001, c: 70, a: 1000 })) {
      await store.append(run, 0, ["x"], inAnHour(world, { ...asked(5), due }));
    }
    await store.append("never", 0, ["x"], inAnHour(world, asked(1)));

    const first = await store.listDue(1000, { limit: 2 });
    const second = await store.listDue(1000, { limit: 2, ...(first.next && { after: first.next }) });

    expect(first.opened).toEqual([
      { run: "b", ...asked(70) },
      { run: "c", ...asked(70) },
    ]);
    expect(second).toEqual({
      opened: [
        { run: "d", ...asked(900) },
        { run: "a", ...asked(1000) },
      ],
    });
  });

  it("has nothing due of what is closed, or opened anew without a time", async () => {
    const world = await open();
    const { store } = world;
    const opened = inAnHour(world, { ...asked(1), due: 2 });
    for (const run of ["stays", "closed", "anew"]) await store.append(run, 0, ["x"], opened);
    await store.append("short", 0, ["x"], { ...shortly(world), open: { ...asked(1), due: 2 } });

    await store.append("stays", 1, ["x"], inAnHour(world));
    await store.append("closed", 1, ["x"], inAnHour(world, null));
    await store.append("anew", 1, ["x"], inAnHour(world, asked(1)));
    await world.pass(SHORT);

    expect((await store.listDue(3, { limit: 9 })).opened.map(({ run }) => run)).toEqual(["stays"]);
    expect(await store.getOpen("stays")).toEqual({ run: "stays", ...asked(1) });
  });

  it("refuses a place that no page has ended at", async () => {
    const { store } = await open();

    await expect(store.list({ limit: 5, after: "nowhere" })).rejects.toThrow(
      "No page has ended at the place",
    );
  });

  it("does not have a run any more that has expired", async () => {
    const world = await open();
    const { store } = world;
    await store.append("run", 0, ["a"], { ...shortly(world), open: asked(1) });
    await store.append("next", 0, ["a"], inAnHour(world, asked(2)));

    await world.pass(SHORT + 1);

    expect((await store.list({ limit: 1 })).opened.map(({ run }) => run)).toEqual(["next"]);
    expect(await store.read("run")).toEqual([]);
    expect(await store.getOpen("run")).toBeUndefined();
    expect(await store.append("run", 1, ["b"], inAnHour(world))).toBe(false);
    expect(await store.append("run", 0, ["b"], inAnHour(world))).toBe(true);
    expect(await store.read("run")).toEqual(["b"]);
    expect(await store.getOpen("run")).toBeUndefined();
    expect((await store.list({ limit: 5 })).opened.map(({ run }) => run)).toEqual(["next"]);
  });

  it("keeps a run for as long as the last that was appended says", async () => {
    const world = await open();
    const { store } = world;
    await store.append("run", 0, ["a"], { ...shortly(world), open: asked(1) });
    // Where time has run on by itself, the first record may have expired; then this begins anew.
    const isIn = await store.append("run", 1, ["b"], inAnHour(world));

    await world.pass(SHORT + 1);

    expect(await store.read("run")).toEqual(isIn ? ["a", "b"] : []);
    expect((await store.list({ limit: 5 })).opened).toHaveLength(isIn ? 1 : 0);
  });

  it("lets one hold a name, who may go on holding it", async () => {
    const world = await open();
    const other = await world.another();

    expect(await world.store.lease("name", "ada", SHORT)).toBe(true);
    expect(await world.store.lease("name", "ada", HOUR)).toBe(true);
    await world.pass(SHORT + 1);

    expect(await other.lease("name", "bob", HOUR)).toBe(false);
    expect(await other.lease("other name", "bob", HOUR)).toBe(true);
    expect(await world.store.lease("name", "ada", HOUR)).toBe(true);
  });

  it("lets go of a name when its time is over, or its holder says so", async () => {
    const world = await open();
    const { store } = world;
    await store.lease("name", "ada", SHORT);
    await world.pass(SHORT + 1);

    expect(await store.lease("name", "bob", HOUR)).toBe(true);
    await store.release("name", "ada");
    expect(await store.lease("name", "ada", HOUR)).toBe(false);
    await store.release("name", "bob");
    expect(await store.lease("name", "ada", HOUR)).toBe(true);
  });

  it("lets one of many take a name", async () => {
    const world = await open();
    const other = await world.another();

    const tries = Array.from({ length: 20 }, (_, who) =>
      (who % 2 === 0 ? world.store : other).lease("name", `${who}`, HOUR),
    );

    expect((await Promise.all(tries)).filter((isHeld) => isHeld)).toHaveLength(1);
  });

  it("keeps what came first under a name", async () => {
    const world = await open();
    const other = await world.another();
    const until = world.now() + HOUR;

    expect(await world.store.get("name")).toBeUndefined();
    expect(await world.store.putIfAbsent("name", "first", until)).toBe("first");
    expect(await other.putIfAbsent("name", "second", until)).toBe("first");
    expect(await other.get("name")).toBe("first");
    expect(await other.putIfAbsent("other name", "second", until)).toBe("second");
  });

  it("keeps it until it expires", async () => {
    const world = await open();
    const { store } = world;
    await store.putIfAbsent("name", "first", world.now() + SHORT);
    await world.pass(SHORT + 1);

    expect(await store.get("name")).toBeUndefined();
    expect(await store.putIfAbsent("name", "second", world.now() + HOUR)).toBe("second");
    expect(await store.get("name")).toBe("second");
  });

  it("keeps runs, leases and what is kept apart, whatever they are called", async () => {
    const world = await open();
    const { store } = world;

    await store.append("name", 0, ["a"], inAnHour(world));
    await store.lease("name", "ada", HOUR);
    await store.putIfAbsent("name", "first", world.now() + HOUR);

    expect(await store.get("name")).toBe("first");
    expect(await store.lease("name", "bob", HOUR)).toBe(false);
    await store.release("name", "ada");
    expect(await store.read("name")).toEqual(["a"]);
    expect(await store.get("name")).toBe("first");
  });

  it(verifies("E4", "tells everybody who listens, wherever they are, in order"), async () => {
    const world = await open();
    const other = await world.another();
    const near = await ear(world.store, "channel");
    const far = await ear(other, "channel");
    const elsewhere = await ear(other, "another channel");

    for (const message of ["1", "2", "ü\0"]) await world.store.publish("channel", message);
    await other.publish("channel", "4");
    await other.publish("another channel", "5");

    expect(await near.heard(4)).toEqual(["1", "2", "ü\0", "4"]);
    expect(await far.heard(4)).toEqual(["1", "2", "ü\0", "4"]);
    expect(await elsewhere.heard(1)).toEqual(["5"]);
  });

  it("tells nothing that was published before somebody listened, or after they ended", async () => {
    const world = await open();
    const other = await world.another();
    const always = await ear(other, "channel");
    await world.store.publish("channel", "before");
    await always.heard(1);
    const late = await ear(other, "channel");
    const gone = await ear(other, "channel");
    await gone.end();

    await world.store.publish("channel", "after");

    expect(await late.heard(1)).toEqual(["after"]);
    expect(await always.heard(2)).toEqual(["before", "after"]);
    expect(await gone.heard(0)).toEqual([]);
  });

  it("can be listened to again after everybody had ended", async () => {
    const world = await open();
    const other = await world.another();
    const first = await ear(other, "channel");
    await first.end();
    await first.end();
    await world.store.publish("channel", "unheard");

    const second = await ear(other, "channel");
    await world.store.publish("channel", "heard");

    expect(await second.heard(1)).toEqual(["heard"]);
  });
}

/** What a store does that outlasts those who opened it. */
export function lastingContract(open: () => Promise<World>): void {
  it("is there again for whoever opens it next", async () => {
    const world = await open();
    const other = await world.another();
    await other.append("run", 0, ["a"], inAnHour(world, asked(1)));
    await other.close();

    const next = await world.another();

    await next.ping();
    expect(await next.read("run")).toEqual(["a"]);
    expect(await next.getOpen("run")).toEqual({ run: "run", ...asked(1) });
  });
}

/** Leases and messages of stores that expire by a clock of the host. Those in Redis expire by the clock of its server. */
export function wallClockContract(open: () => Promise<ClockedWorld>): void {
  it("keeps a lease when the wall clock jumps forward by an hour", async () => {
    const { store, clocks } = await open();
    await store.lease("name", "ada", SHORT);

    clocks.moveWallClock(HOUR);
    // Sweeps what has expired.
    await store.putIfAbsent("other name", "value", clocks.now() + HOUR);

    expect(await store.lease("name", "bob", SHORT)).toBe(false);
  });

  it("ends a lease in time when the wall clock jumps back by ten minutes", async () => {
    const { store, clocks } = await open();
    await store.lease("name", "ada", SHORT);

    clocks.moveWallClock(-TEN_MINUTES);

    expect(await store.lease("name", "bob", SHORT)).toBe(false);
    clocks.pass(SHORT);
    expect(await store.lease("name", "bob", SHORT)).toBe(true);
  });

  it("delivers an unread message after the wall clock has jumped forward by an hour", async () => {
    const world = await open();
    const far = await ear(await world.another(), "channel");
    await world.store.publish("channel", "before");

    world.clocks.moveWallClock(HOUR);
    await world.store.publish("channel", "after");

    expect(await far.heard(2)).toEqual(["before", "after"]);
  });
}

/** What every kind says once it is closed. */
export function closingContract(open: () => Promise<World>): void {
  it("does nothing any more once it is closed, and says so", async () => {
    const world = await open();
    const { store } = world;
    const until = world.now() + HOUR;
    await store.subscribe("channel", () => {});

    await store.close();
    await store.close();

    const problem = { code: "STORE_UNAVAILABLE", message: expect.stringMatching(/: it was closed\.$/) };
    await expect(store.append("run", 0, ["a"], { until })).rejects.toMatchObject(problem);
    await expect(store.read("run")).rejects.toMatchObject(problem);
    await expect(store.getOpen("run")).rejects.toMatchObject(problem);
    await expect(store.list({ limit: 1 })).rejects.toMatchObject(problem);
    await expect(store.listDue(1, { limit: 1 })).rejects.toMatchObject(problem);
    await expect(store.lease("name", "ada", 1)).rejects.toMatchObject(problem);
    await expect(store.release("name", "ada")).rejects.toMatchObject(problem);
    await expect(store.putIfAbsent("name", "a", until)).rejects.toMatchObject(problem);
    await expect(store.get("name")).rejects.toMatchObject(problem);
    await expect(store.publish("channel", "a")).rejects.toMatchObject(problem);
    await expect(store.subscribe("channel", () => {})).rejects.toMatchObject(problem);
    await expect(store.ping()).rejects.toMatchObject(problem);
  });
}

/** Every page of what is open, by the names of the runs. */
async function pages(store: Store, limit: number, group?: string): Promise<string[][]> {
  const found: string[][] = [];
  let after: string | undefined;
  do {
    const { opened, next } = await store.list({
      limit,
      ...(group === undefined ? {} : { group }),
      ...(after === undefined ? {} : { after }),
    });
    found.push(opened.map(({ run }: Opened) => run));
    after = next;
  } while (after !== undefined);
  return found;
}

export interface Ear {
  /** What was heard, once it is so much. */
  heard(many: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** Somebody who listens. */
export async function ear(store: Store, channel: string): Promise<Ear> {
  const messages: string[] = [];
  const waiting = new Set<() => void>();
  const end = await store.subscribe(channel, (message) => {
    messages.push(message);
    for (const look of waiting) look();
  });
  const heard = (many: number): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (messages.length >= many) resolve(messages);
      };
      waiting.add(look);
      look();
    });
  return { heard, end };
}
