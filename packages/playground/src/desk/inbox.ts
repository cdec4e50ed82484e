/**
 * What the runs that a server keeps wait for, and those of them that are answered here.
 *
 * It is looked at now and then while there is a connection and the page is seen, and only where there is an inbox.
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { InboxClient } from "../client/inbox-client.ts";
import type { WaitingRun } from "../client/waiting.ts";
import type { Clock } from "../wire/surroundings.ts";
import type { InboxDriver } from "./inbox-driver.ts";

/** How long between two looks, in milliseconds: while nothing is expected, and while a run that was answered works. */
const PAUSE = 5000;
const SHORT = 500;

export class Inbox {
  readonly #client: InboxClient;
  readonly #clock: Clock;
  readonly #shown = signal<readonly WaitingRun[]>([]);
  readonly #drivers = new Set<InboxDriver>();
  #isSeen = false;
  #isConnected = false;
  #connections = 0;
  /** Not known before it was asked. */
  #isThere: boolean | undefined;
  #isLooking = false;
  /** Somebody wants it to be looked at again. */
  #isStirred = false;
  #stopWaiting = (): void => {};

  constructor(client: InboxClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  get shown(): ReadonlySignal<readonly WaitingRun[]> {
    return this.#shown;
  }

  /** Whether somebody can see the page. */
  seen(isSeen: boolean): void {
    this.#isSeen = isSeen;
    this.stir();
  }

  /** Each connection may be with another server, or as somebody else: what was shown is not shown to them. */
  connected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#isThere = undefined;
    this.#connections += 1;
    this.#shown.value = [];
    this.stir();
  }

  drive(driver: InboxDriver): void {
    this.#drivers.add(driver);
  }

  /** Looks at once, or as soon as what is looked at now is seen. */
  readonly stir = (): void => {
    this.#stopWaiting();
    if (!this.#isSeen || !this.#isConnected || this.#isThere === false) return;
    if (this.#isLooking) this.#isStirred = true;
    else void this.#look();
  };

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isStirred = false;
    const connections = this.#connections;
    // Whoever cannot be reached is asked again.
    const found = await this.#find().catch(() => "unknown" as const);
    this.#isLooking = false;
    if (connections !== this.#connections) return this.stir();
    this.#isThere = found === "unknown" ? this.#isThere : found !== undefined;
    if (found !== "unknown") this.#shown.value = found ?? [];
    if (this.#isStirred) this.stir();
    else if (this.#isThere !== false) this.#stopWaiting = this.#clock.after(this.#pause, this.stir);
  }

  /** What waits; nothing, where there is no inbox. */
  async #find(): Promise<readonly WaitingRun[] | undefined> {
    if (this.#isThere === undefined && !(await this.#client.isThere())) return undefined;
    for (const driver of this.#drivers) {
      if (driver.run.isOver) this.#drivers.delete(driver);
      else await driver.look();
    }
    return this.#client.list();
  }

  get #pause(): number {
    return [...this.#drivers].some(({ isWorking }) => isWorking) ? SHORT : PAUSE;
  }
}
