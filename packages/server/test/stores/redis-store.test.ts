import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";
import { collectMessages, storeContract, type StoreUnderTest } from "@photon/server/store-contract";

let redis: RedisServer;
let worlds = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.end());

async function opened(address: string): Promise<Store> {
  const store = await openStore(address);
  onTestFinished(() => store.close());
  return store;
}

async function open(): Promise<StoreUnderTest> {
  const address = `${redis.address}?prefix=world-${++worlds}:`;
  const another = (): Promise<Store> => opened(address);
  // Its time is the machine's; so it is waited for.
  return {
    store: await another(),
    another,
    now: () => Date.now(),
    pass: (milliseconds) => sleep(milliseconds),
  };
}

describe("a store in Redis", () => {
  storeContract({ it, open });

  it("keeps stores of other prefixes and databases apart", async () => {
    const until = Date.now() + 60_000;
    const addresses = ["?prefix=one:", "?prefix=two:", "/1?prefix=one:"];
    const stores = await Promise.all(addresses.map((rest) => opened(`${redis.address}${rest}`)));
    const collectors = await Promise.all(stores.map((store) => collectMessages(store, "channel")));

    for (const [index, store] of stores.entries()) {
      expect(await store.append("run", 0, [`${index}`], { until })).toBe(true);
      await store.publish("channel", `${index}`);
    }

    for (const [index, store] of stores.entries()) {
      expect(await store.read("run")).toEqual([`${index}`]);
      expect(await collectors[index]?.received(1)).toEqual([`${index}`]);
    }
  });

  it("writes nothing that does not begin with its prefix", async () => {
    const store = await opened(`${redis.address}/2?prefix=mine:`);
    const until = Date.now() + 60_000;
    await store.append("run", 0, ["a"], { until, open: { group: "ada", since: 1, value: "v" } });
    await store.lease("name", "ada", 60_000);
    await store.putIfAbsent("name", "a", until);

    const other = await openStore(`${redis.address}/2`);
    await other.putIfAbsent("name", "a", until);
    await other.close();

    const client = await redis.say("EVAL", "redis.call('SELECT', 2) return redis.call('KEYS', '*')", "0");
    expect((client as string[]).toSorted()).toEqual([
      "mine:expiry",
      "mine:lease:name",
      "mine:members",
      "mine:open",
      "mine:open:ada",
      "mine:run:{run}:log",
      "mine:run:{run}:meta",
      "mine:value:name",
      "photon:value:name",
    ]);
  });

  it("lets go of everything that has expired", async () => {
    const store = await opened(`${redis.address}/3`);
    const soon = Date.now() + 20;
    for (const run of ["a", "b", "c"]) {
      await store.append(run, 0, ["a"], { until: soon, open: { group: "ada", since: 1, value: "v" } });
    }
    await store.putIfAbsent("name", "a", soon);
    await sleep(40);

    await store.append("next", 0, ["a"], { until: Date.now() + 60_000 });

    const left = await redis.say("EVAL", "redis.call('SELECT', 3) return redis.call('KEYS', '*')", "0");
    expect((left as string[]).toSorted()).toEqual(["photon:run:{next}:log", "photon:run:{next}:meta"]);
  });
});
