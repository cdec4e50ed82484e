import { overrideStore } from "../stores/override-store.ts";
import type { Store } from "../../src/stores/store.ts";

/** A store, and what tells when a server has looked through all that is due in it. */
export function watchLooks(store: Store): { readonly store: Store; readonly look: () => Promise<void> } {
  let isDueSeen = false;
  let waiting: (() => void)[] = [];
  return {
    store: overrideStore(store, {
      listDue(...given) {
        isDueSeen = waiting.length > 0;
        return store.listDue(...given);
      },
      // What was answered is looked for after what is due.
      list(page) {
        if (isDueSeen) {
          for (const seen of waiting) seen();
          waiting = [];
          isDueSeen = false;
        }
        return store.list(page);
      },
    }),
    /** Settles when a look that begins from now on has come to its end. */
    look: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
  };
}
