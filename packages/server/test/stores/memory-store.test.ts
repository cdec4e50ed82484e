import { describe } from "vitest";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { hostClocks } from "./host-clocks.ts";
import { closingContract, storeContract, wallClockContract, type ClockedWorld } from "./store-contract.ts";

async function open(): Promise<ClockedWorld> {
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
  storeContract(open);
  closingContract(open);
  wallClockContract(open);
});
