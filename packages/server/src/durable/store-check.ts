import type { Settings } from "../settings.ts";

/** How long the result of a check is reused, in milliseconds: a check writes to the store, and `/readyz` is open to everybody. */
const REUSE_MS = 1000;

/** Checks for `/readyz` whether the store of a server can be used. */
export class StoreCheck {
  readonly #settings: Pick<Settings, "store" | "clock" | "report">;
  #result: Promise<string | undefined> | undefined;
  #checkedAt = 0;

  constructor(settings: Pick<Settings, "store" | "clock" | "report">) {
    this.#settings = settings;
  }

  /** Why the store cannot be used; undefined if it can, or the server has none. */
  problem(): Promise<string | undefined> {
    const now = this.#settings.clock.now();
    const age = now - this.#checkedAt;
    // Negative after the wall clock was set back.
    if (this.#result === undefined || age < 0 || age >= REUSE_MS) {
      this.#checkedAt = now;
      this.#result = this.#check();
    }
    return this.#result;
  }

  async #check(): Promise<string | undefined> {
    const { store, report } = this.#settings;
    try {
      await store?.ping();
      return undefined;
    } catch (error) {
      // The reason goes to the log alone: it may name hosts and paths.
      report(error);
      return "Its store cannot be used.";
    }
  }
}
