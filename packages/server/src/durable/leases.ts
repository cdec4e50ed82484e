/**
 * The runs that this process goes on with right now. Nobody else does meanwhile, here or elsewhere, as long as it lives.
 *
 * To the store, a process is one holder. Those in it who want the same wait for one another here, and it is handed on to the
 * next without being let go of: otherwise one would take what another is just doing for what a dead process has left.
 *
 * One timer keeps all of them. What is lost all the same (a process that stood still for too long) is noticed where
 * something is appended: a place in a log is taken once.
 */
import { RunCancelled } from "@photon/core";
import type { Settings } from "../settings.ts";
import type { Store } from "../stores/store.ts";

type HoldSettings = Pick<Settings, "clock" | "lease" | "report">;

/** How often it is tried again to hold what another holds, within the time that a dead one would. */
const TRIES = 20;

/** What somebody here holds, or is about to. */
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
  /** How often everything was let go of: whoever waits for something since before that waits no longer. */
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

  /** Holds a name, once nobody else does. */
  async acquire(name: string): Promise<() => Promise<void>> {
    const { clock, lease } = this.#settings;
    const closes = this.#closes;
    for (let held = this.#held.get(name); held !== undefined; held = this.#held.get(name))
      if (await inTurn(held)) return this.#letGoOnce(name);
    if (this.#closes > closes) throw new RunCancelled("The server was closed.");
    return this.#taking(name, async () => {
      while (!(await this.#store.lease(name, this.#holder, lease))) {
        await new Promise<void>((resolve) => {
          clock.after(lease / TRIES, resolve);
        });
        if (this.#closes > closes) throw new RunCancelled("The server was closed.");
      }
      if (await this.#isTooLate(name, closes)) throw new RunCancelled("The server was closed.");
      return this.#letGoOnce(name);
    });
  }

  /** Holds a name, if nobody does now, here or elsewhere. */
  async tryAcquire(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#held.has(name)) return undefined;
    const closes = this.#closes;
    return this.#taking(name, async () => {
      const isLeased = await this.#store.lease(name, this.#holder, this.#settings.lease);
      return isLeased && !(await this.#isTooLate(name, closes)) ? this.#letGoOnce(name) : undefined;
    });
  }

  /** Whether another process holds a name. */
  async isHeldByOther(name: string): Promise<boolean> {
    if (this.#held.has(name)) return false;
    if (!(await this.#store.lease(name, this.#holder, 1))) return true;
    await this.#release(name);
    return false;
  }

  /** Takes a name that nobody here holds. Where that comes to nothing, whoever waits for it here tries for themselves. */
  async #taking<LetGo>(name: string, take: () => Promise<LetGo>): Promise<LetGo> {
    const held: HeldLease = { isOurs: false, waiting: [] };
    this.#held.set(name, held);
    try {
      const letGo = await take();
      held.isOurs = letGo !== undefined;
      return letGo;
    } finally {
      if (held.isOurs) this.#keep();
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

  #letGoOnce(name: string): () => Promise<void> {
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      await this.#letGo(name);
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

  async #letGo(name: string): Promise<void> {
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

  /** Goes on holding everything, for as long as there is anything. */
  #keep(): void {
    const { clock, lease, report } = this.#settings;
    // Not by the wall clock, which may be set at any time.
    const since = performance.now();
    this.#stop ??= clock.after(lease / 3, () => {
      this.#stop = undefined;
      if (performance.now() - since > lease) this.#onLapse();
      for (const [name, { isOurs }] of this.#held)
        if (isOurs) this.#store.lease(name, this.#holder, lease).catch(report);
      if (this.#held.size > 0) this.#keep();
    });
  }
}

/** Waits for one's turn to hold what somebody here holds; says whether that has come, or it has to be taken. */
const inTurn = ({ waiting }: HeldLease): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve);
  });
