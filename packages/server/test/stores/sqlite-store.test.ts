import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "./folder.ts";
import { hostClocks } from "./host-clocks.ts";
import {
  closingContract,
  lastingContract,
  storeContract,
  wallClockContract,
  type ClockedWorld,
} from "./store-contract.ts";

async function open(): Promise<ClockedWorld> {
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
  storeContract(open);
  lastingContract(open);
  closingContract(open);
  wallClockContract(open);
});
