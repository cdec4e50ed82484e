import { MemoryStore } from "./memory.ts";
import type { StoreClock } from "./store-clock.ts";
import type { Store } from "./store.ts";

/** A store in the memory of this process. */
export function memoryStore(clock?: StoreClock): Store {
  return new MemoryStore(clock);
}
