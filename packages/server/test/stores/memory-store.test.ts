import { testClock } from "@photon/core/testing";
import { describe } from "vitest";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { closingContract, storeContract, type World } from "./store-contract.ts";

function open(): Promise<World> {
  const clock = testClock();
  const store = memoryStore(clock);
  return Promise.resolve({
    store,
    another: () => Promise.resolve(store),
    now: () => clock.now(),
    pass: (milliseconds) => clock.advance(milliseconds),
  });
}

describe("a store in memory", () => {
  storeContract(open);
  closingContract(open);
});
