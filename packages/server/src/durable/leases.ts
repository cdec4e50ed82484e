/**
 * The leases of this process: while it has the lease of a run, no other call or process continues that run.
 *
 *   1. For the store, a process is one holder. Calls of this process that want the same lease wait here, and it is passed on
 *      without being released: otherwise a call would take over a run on which another call works.
 *   2. One timer renews all leases. A lease that was lost all the same, because the process was suspended for too long, is noticed at
 *      the next append: each position of a log is written once.
 */
import { RunCancelled } from "@photon/core";
import type { Settings } from "../settings.ts";
import type { Store } from "../stores/store.ts";
import { every, sleep } from "../util/timers.ts";

type LeaseSettings = Pick<Settings, "clock" | "lease" | "report">;

/** How often a lease of another holder is tried for, in the time after which the lease of a dead one ends. */
const ATTEMPTS_PER_LEASE = 20;
const RENEWALS_PER_LEASE = 3;

/** A lease that this process has, or is about to acquire. */
interface HeldLease {
  /** Whether the store has granted it. */
  isGranted: boolean;
  /** The calls of this process that wait for it, in order. Called with true when it is passed on, with false when it has to be acquired. */
  readonly waiting: ((isPassedOn: boolean) => void)[];
}

export class LeaseManager {
  readonly #store: Pick<Store, "lease" | "release">;
  readonly #settings: LeaseSettings;
  readonly #holder: string;
  readonly #onLapse: () => void;
  readonly #held = new Map<string, HeldLease>();
  #stopRenewing: (() => void) | undefined;
  /** How often this was closed. A call that has waited for a lease since before then is cancelled. */
  #closes = 0;

  /**
   * `holder` names this process. `onLapse` is called when the process was suspended for longer than a lease: other processes
   * may have acquired its leases, and their messages may be lost.
   */
  constructor(
    store: Pick<Store, "lease" | "release">,
    holder: string,
    settings: LeaseSettings,
    onLapse: () => void = () => {},
  ) {
    this.#store = store;
    this.#holder = holder;
    this.#settings = settings;
    this.#onLapse = onLapse;
  }

  /** Acquires the lease of a name, once it is free. Resolves with a function that releases it. */
  async acquire(name: string): Promise<() => Promise<void>> {
    const { clock, lease } = this.#settings;
    const closes = this.#closes;
    for (let held = this.#held.get(name); held !== undefined; held = this.#held.get(name))
      if (await isPassedOn(held)) return this.#releaseOnce(name);
    this.#assertNotClosedSince(closes);
    const release = await this.#acquireFromStore(name, async () => {
      while (!(await this.#store.lease(name, this.#holder, lease))) {
        await sleep(clock, lease / ATTEMPTS_PER_LEASE);
        this.#assertNotClosedSince(closes);
      }
      return true;
    });
    if (release === undefined) throw closedError();
    return release;
  }

  /** Acquires the lease of a name, if it is free now. */
  async tryAcquire(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#held.has(name)) return undefined;
    return this.#acquireFromStore(name, () => this.#store.lease(name, this.#holder, this.#settings.lease));
  }

  /** Whether another process has the lease of a name. */
  async isHeldByOther(name: string): Promise<boolean> {
    if (this.#held.has(name)) return false;
    if (!(await this.#store.lease(name, this.#holder, 1))) return true;
    await this.#release(name);
    return false;
  }

  async close(): Promise<void> {
    this.#closes += 1;
    const held = [...this.#held];
    this.#held.clear();
    this.#stopIfNoneHeld();
    for (const [, { waiting }] of held) for (const wake of waiting) wake(false);
    await Promise.all(held.map(([name]) => this.#release(name)));
  }

  /** Resolves with a function that releases the lease; undefined if the store does not grant it, or this was closed meanwhile. */
  async #acquireFromStore(
    name: string,
    request: () => Promise<boolean>,
  ): Promise<(() => Promise<void>) | undefined> {
    const closes = this.#closes;
    const held: HeldLease = { isGranted: false, waiting: [] };
    this.#held.set(name, held);
    try {
      const isGranted = await request();
      if (isGranted && this.#closes > closes) await this.#release(name);
      else held.isGranted = isGranted;
    } finally {
      if (held.isGranted) this.#startRenewing();
      else {
        this.#held.delete(name);
        this.#stopIfNoneHeld();
        // The calls that wait for the lease try to acquire it themselves.
        for (const wake of held.waiting) wake(false);
      }
    }
    return held.isGranted ? this.#releaseOnce(name) : undefined;
  }

  #assertNotClosedSince(closes: number): void {
    if (this.#closes > closes) throw closedError();
  }

  #releaseOnce(name: string): () => Promise<void> {
    let isReleased = false;
    return async () => {
      if (isReleased) return;
      isReleased = true;
      const next = this.#held.get(name)?.waiting.shift();
      if (next !== undefined) return next(true);
      if (!this.#held.delete(name)) return;
      this.#stopIfNoneHeld();
      await this.#release(name);
    };
  }

  /** If the store cannot be reached, the lease ends by itself. */
  async #release(name: string): Promise<void> {
    await this.#store.release(name, this.#holder).catch(this.#settings.report);
  }

  #startRenewing(): void {
    const { clock, lease, report } = this.#settings;
    // Not by the wall clock, which may be set at any time.
    let renewedAt = performance.now();
    this.#stopRenewing ??= every(clock, lease / RENEWALS_PER_LEASE, () => {
      const sinceRenewed = performance.now() - renewedAt;
      renewedAt += sinceRenewed;
      if (sinceRenewed > lease) this.#onLapse();
      for (const [name, { isGranted }] of this.#held)
        if (isGranted) this.#store.lease(name, this.#holder, lease).catch(report);
    });
  }

  #stopIfNoneHeld(): void {
    if (this.#held.size > 0) return;
    this.#stopRenewing?.();
    this.#stopRenewing = undefined;
  }
}

const closedError = (): RunCancelled => new RunCancelled("The server was closed.");

/** Waits until the lease is passed on; false if it has to be acquired. */
const isPassedOn = ({ waiting }: HeldLease): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve);
  });
