import type { Store } from "../../src/stores/store.ts";

/** A store with some of its methods replaced. The methods are own properties, so that a test can spread them and spy on them. */
export function overrideStore(store: Store, methods: Partial<Store>): Store {
  const names = [
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(store)),
    ...Object.keys(store),
  ] as (keyof Store)[];
  const bound = names.map((name) => [name, store[name]?.bind(store)]);
  return { ...Object.fromEntries(bound), ...methods } as Store;
}
