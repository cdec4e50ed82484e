import { join } from "node:path";
import { testClock } from "@photon/core/testing";
import { describe, onTestFinished } from "vitest";
import { openSqlite } from "../../src/stores/sqlite-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "./folder.ts";
import { closingContract, lastingContract, storeContract, type World } from "./store-contract.ts";

async function open(): Promise<World> {
  const clock = testClock();
  const path = join(folder(), "photon.db");
  const another = async (): Promise<Store> => {
    const store = await openSqlite(path, clock);
    onTestFinished(() => store.close());
    return store;
  };
  return {
    store: await another(),
    another,
    now: () => clock.now(),
    pass: (milliseconds) => clock.advance(milliseconds),
  };
}

describe("a store in SQLite", () => {
  storeContract(open);
  lastingContract(open);
  closingContract(open);
});
