/**
 * The runs that this process goes on with right now. Nobody else does meanwhile, as long as it lives.
 *
 * One timer keeps all of them. What is lost all the same (a process that stood still for too long) is noticed where
 * something is appended: a place in a log is taken once.
 */
import type { Settings } from "../settings.ts";
import type { Store } from "../stores/store.ts";

type HoldSettings = Pick<Settings, "clock" | "lease" | "report">;

/** How often it is tried again to hold what another holds, within the time that a dead one would. */
const TRIES = 20;

export class Holds {
  readonly #store: Pick<Store, "lease" | "release">;
  readonly #settings: HoldSettings;
  readonly #holder: string;
  /** How many here go on with each: requests that were sent twice wait for one another elsewhere. */
  readonly #held = new Map<string, number>();
  #stop: (() => void) | undefined;

  /** `holder` is who this process is to the others. */
  constructor(store: Pick<Store, "lease" | "release">, holder: string, settings: HoldSettings) {
    this.#store = store;
    this.#holder = holder;
    this.#settings = settings;
  }

  /** Holds a name, once nobody else does. */
  async take(name: string): Promise<() => Promise<void>> {
    const { clock, lease } = this.#settings;
    while (!(await this.#store.lease(name, this.#holder, lease)))
      await new Promise<void>((resolve) => {
        clock.after(lease / TRIES, resolve);
      });
    return this.#taken(name);
  }

  /** Holds a name, if nobody does now, here or elsewhere. */
  async tryToTake(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#held.has(name)) return undefined;
    return (await this.#store.lease(name, this.#holder, this.#settings.lease))
      ? this.#taken(name)
      : undefined;
  }

  /** Whether another process holds a name. */
  async isHeldElsewhere(name: string): Promise<boolean> {
    if (this.#held.has(name)) return false;
    if (!(await this.#store.lease(name, this.#holder, 1))) return true;
    await this.#release(name);
    return false;
  }

  #taken(name: string): () => Promise<void> {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    this.#keep();
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      await this.#letGo(name);
    };
  }

  async close(): Promise<void> {
    const names = [...this.#held.keys()];
    this.#held.clear();
    this.#stop?.();
    this.#stop = undefined;
    await Promise.all(names.map((name) => this.#release(name)));
  }

  async #letGo(name: string): Promise<void> {
    const others = (this.#held.get(name) ?? 0) - 1;
    if (others > 0) return void this.#held.set(name, others);
    if (!this.#held.delete(name)) return;
    if (this.#held.size === 0) {
      this.#stop?.();
      this.#stop = undefined;
    }
    await this.#release(name);
  }

  /** A store that cannot be reached lets go of it by itself. */
  async #release(name: string): Promise<void> {
    await this.#store.release(name, this.#holder).catch(this.#settings.report);
  }

  /** Goes on holding everything, for as long as there is anything. */
  #keep(): void {
    const { clock, lease, report } = this.#settings;
    this.#stop ??= clock.after(lease / 3, () => {
      this.#stop = undefined;
      for (const name of this.#held.keys()) this.#store.lease(name, this.#holder, lease).catch(report);
      if (this.#held.size > 0) this.#keep();
    });
  }
}
