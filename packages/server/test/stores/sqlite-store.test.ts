import { join } from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "./folder.ts";
import { hostClocks } from "./host-clocks.ts";
import { storeContract } from "@photon/server/store-contract";
import { type ClockedStore, wallClockContract } from "./wall-clock-contract.ts";

async function open(): Promise<ClockedStore> {
  const clocks = hostClocks();
  const path = join(folder(), "photon.db");
  const another = async (): Promise<Store> => {
    const store = await openSqlite(path, clocks);
    onTestFinished(() => store.close());
    return store;
  };
  return {
    store: await another(),
    clocks,
    another,
    now: () => clocks.now(),
    pass: async (milliseconds) => clocks.pass(milliseconds),
  };
}

describe("a store in SQLite", () => {
  storeContract({ it, open });
  wallClockContract(open);
});
