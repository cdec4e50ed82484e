/**
 * The leases of this process: while it has the lease of a run, no other call or process continues that run.
 *
 * To the store, a process is one holder. Calls of the process that want the same lease wait for one another here, and the lease is
 * passed on without being released: otherwise a call would take over a run that another one works on.
 *
 * One timer renews all of them. A lease that was lost all the same (the process stood still for too long) is noticed at the next append:
 * each position of a log is written once.
 */
import { RunCancelled } from "@photon/core";
import type { Settings } from "../settings.ts";
import type { Store } from "../stores/store.ts";

type HoldSettings = Pick<Settings, "clock" | "lease" | "report">;

/** How often it is tried again to hold what another holds, within the time that a dead one would. */
const TRIES = 20;

/** A lease that this process has, or is about to acquire. */
interface HeldLease {
  /** Whether the store has said so. */
  isOurs: boolean;
  /** Who else here wants it, in their order: each is told whether it is theirs now, or has to be taken. */
  readonly waiting: ((isTheirs: boolean) => void)[];
}

export class LeaseManager {
  readonly #store: Pick<Store, "lease" | "release">;
  readonly #settings: HoldSettings;
  readonly #holder: string;
  readonly #onLapse: () => void;
  readonly #held = new Map<string, HeldLease>();
  #stop: (() => void) | undefined;
  /** How often all leases were released: a call that waits for a lease since before then is cancelled. */
  #closes = 0;

  /**
   * `holder` is who this process is to the others. `onLapse` is called when the process stood still for longer than a lease:
   * other processes may have taken over what it held, and their messages may be lost.
   */
  constructor(
    store: Pick<Store, "lease" | "release">,
    holder: string,
    settings: HoldSettings,
    onLapse: () => void = () => {},
  ) {
    this.#store = store;
    this.#holder = holder;
    this.#settings = settings;
    this.#onLapse = onLapse;
  }

  /** Acquires the lease of a name, once it is free. */
  async acquire(name: string): Promise<() => Promise<void>> {
    const { clock, lease } = this.#settings;
    const closes = this.#closes;
    for (let held = this.#held.get(name); held !== undefined; held = this.#held.get(name))
      if (await inTurn(held)) return this.#releaseOnce(name);
    if (this.#closes > closes) throw new RunCancelled("The server was closed.");
    return this.#taking(name, async () => {
      while (!(await this.#store.lease(name, this.#holder, lease))) {
        await new Promise<void>((resolve) => {
          clock.after(lease / TRIES, resolve);
        });
        if (this.#closes > closes) throw new RunCancelled("The server was closed.");
      }
      if (await this.#isTooLate(name, closes)) throw new RunCancelled("The server was closed.");
      return this.#releaseOnce(name);
    });
  }

  /** Acquires the lease of a name, if it is free now. */
  async tryAcquire(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#held.has(name)) return undefined;
    const closes = this.#closes;
    return this.#taking(name, async () => {
      const isLeased = await this.#store.lease(name, this.#holder, this.#settings.lease);
      return isLeased && !(await this.#isTooLate(name, closes)) ? this.#releaseOnce(name) : undefined;
    });
  }

  /** Whether another process holds a name. */
  async isHeldByOther(name: string): Promise<boolean> {
    if (this.#held.has(name)) return false;
    if (!(await this.#store.lease(name, this.#holder, 1))) return true;
    await this.#release(name);
    return false;
  }

  /** Acquires a lease that this process does not have. Where that fails, the calls that wait for it try themselves. */
  async #taking<Release>(name: string, take: () => Promise<Release>): Promise<Release> {
    const held: HeldLease = { isOurs: false, waiting: [] };
    this.#held.set(name, held);
    try {
      const release = await take();
      held.isOurs = release !== undefined;
      return release;
    } finally {
      if (held.isOurs) this.#renew();
      else this.#drop(name, held);
    }
  }

  /** Whether everything was released while the store granted a name: then the name is released as well. */
  async #isTooLate(name: string, closes: number): Promise<boolean> {
    if (this.#closes === closes) return false;
    await this.#release(name);
    return true;
  }

  #drop(name: string, { waiting }: HeldLease): void {
    this.#held.delete(name);
    for (const tell of waiting) tell(false);
  }

  #releaseOnce(name: string): () => Promise<void> {
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      await this.#passOnOrRelease(name);
    };
  }

  async close(): Promise<void> {
    this.#closes += 1;
    const names = [...this.#held.keys()];
    for (const { waiting } of this.#held.values()) for (const tell of waiting) tell(false);
    this.#held.clear();
    this.#stop?.();
    this.#stop = undefined;
    await Promise.all(names.map((name) => this.#release(name)));
  }

  async #passOnOrRelease(name: string): Promise<void> {
    const next = this.#held.get(name)?.waiting.shift();
    if (next !== undefined) return next(true);
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

  /** Renews all leases, for as long as there are any. */
  #renew(): void {
    const { clock, lease, report } = this.#settings;
    // Not by the wall clock, which may be set at any time.
    const since = performance.now();
    this.#stop ??= clock.after(lease / 3, () => {
      this.#stop = undefined;
      if (performance.now() - since > lease) this.#onLapse();
      for (const [name, { isOurs }] of this.#held)
        if (isOurs) this.#store.lease(name, this.#holder, lease).catch(report);
      if (this.#held.size > 0) this.#renew();
    });
  }
}

/** Waits until the lease is passed on; false where it has to be acquired. */
const inTurn = ({ waiting }: HeldLease): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve);
  });
