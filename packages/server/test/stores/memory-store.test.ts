import { describe, it } from "vitest";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { hostClocks } from "./host-clocks.ts";
import { storeContract } from "@photon/server/store-contract";
import { type ClockedStore, wallClockContract } from "./wall-clock-contract.ts";

async function open(): Promise<ClockedStore> {
  const clocks = hostClocks();
  const store = memoryStore(clocks);
  return {
    store,
    clocks,
    another: () => Promise.resolve(store),
    now: () => clocks.now(),
    pass: async (milliseconds) => clocks.pass(milliseconds),
  };
}

describe("a store in memory", () => {
  storeContract({ it, open, isPersistent: false });
  wallClockContract(open);
});
