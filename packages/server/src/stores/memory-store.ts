import type { StoreClock } from "./store-clock.ts";
import type { Store } from "./store.ts";

/** A store in the memory of this process. Loaded on first use, so that a server without a store does not load it. */
export function memoryStore(clock?: StoreClock): Store {
  let loaded: Promise<Store> | undefined;
  const load = (): Promise<Store> =>
    (loaded ??= import("./memory.ts").then(({ MemoryStore }) => new MemoryStore(clock)));
  return {
    append: async (...given) => (await load()).append(...given),
    read: async (...given) => (await load()).read(...given),
    opened: async (run) => (await load()).opened(run),
    list: async (page) => (await load()).list(page),
    due: async (...given) => (await load()).due(...given),
    lease: async (...given) => (await load()).lease(...given),
    release: async (...given) => (await load()).release(...given),
    once: async (...given) => (await load()).once(...given),
    recall: async (name) => (await load()).recall(name),
    publish: async (...given) => (await load()).publish(...given),
    subscribe: async (...given) => (await load()).subscribe(...given),
    ping: async () => (await load()).ping(),
    close: async () => (await load()).close(),
  };
}
