/**
 * What the runs that a server keeps wait for, page by page, and those of them that are answered here.
 *
 * It is looked at now and then while there is a connection and the page is seen, and only where there is an inbox.
 *
 *   1. One page of it is here, whatever the server keeps. Each look reads that page anew: what has gone is gone from it,
 *      what came is behind the last.
 *   2. A page begins behind a run that was there once: it does not move when others come and go. One on which nothing is
 *      left gives way to the one before.
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { InboxClient, Listed, WaitingPage } from "../client/inbox-client.ts";
import type { WaitingRun } from "../client/waiting.ts";
import type { Clock } from "../wire/surroundings.ts";
import type { InboxDriver } from "./inbox-driver.ts";

/** How long between two looks, in milliseconds: while nothing is expected, and while a run that was answered works. */
const PAUSE = 5000;
const SHORT = 500;
/** A server may give pages with nothing on them for whoever is here: so many are passed over at once. */
const PASSED_OVER = 20;

/** What is seen of it. */
export interface InboxView {
  readonly runs: readonly WaitingRun[];
  /** Which page it is; the first is 1. */
  readonly number: number;
  /** Whether there is a page behind it. */
  readonly isMore: boolean;
  /** Somebody wants another page, which is not here yet. */
  readonly isTurning: boolean;
}

/** Where the pages up to one begin, that one last. The first begins at no place. */
type Begins = readonly [undefined, ...string[]];

interface Found extends WaitingPage {
  readonly begins: Begins;
}

const FIRST: Begins = [undefined];
const NOTHING: Found = { begins: FIRST, runs: [], next: undefined };

export class Inbox {
  readonly #client: InboxClient;
  readonly #clock: Clock;
  readonly #shown = signal<InboxView>({ runs: [], number: 1, isMore: false, isTurning: false });
  readonly #drivers = new Set<InboxDriver>();
  #found = NOTHING;
  /** The page that somebody wants to see instead of the one that was found. */
  #wanted: Begins | undefined;
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

  get shown(): ReadonlySignal<InboxView> {
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
    this.#show(NOTHING, undefined);
    this.stir();
  }

  drive(driver: InboxDriver): void {
    this.#drivers.add(driver);
  }

  /** Turns to the page behind, or to the one before. One at a time: where that is, the page here tells. */
  turn(to: "next" | "previous"): void {
    if (this.#wanted !== undefined) return;
    const { begins, next } = this.#found;
    const wanted =
      to === "previous" ? before(begins) : next === undefined ? undefined : ([...begins, next] as const);
    if (wanted === undefined) return;
    this.#show(this.#found, wanted);
    this.stir();
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
    const wanted = this.#wanted;
    // Whoever cannot be reached is asked again.
    const found = await this.#find(wanted ?? this.#found.begins).catch(() => "unknown" as const);
    this.#isLooking = false;
    if (connections !== this.#connections) return this.stir();
    this.#isThere = found === "unknown" ? this.#isThere : found !== "none";
    if (typeof found !== "string") this.#show(found, wanted === this.#wanted ? undefined : this.#wanted);
    else if (found === "none") this.#show(NOTHING, undefined);
    // What the server has no page for is not there any more; what is, begins at the first.
    else if (found === "misplaced" && before(wanted ?? this.#found.begins) !== undefined) {
      this.#show({ ...NOTHING, runs: this.#found.runs }, FIRST);
      this.#isStirred = true;
    }
    if (this.#isStirred) this.stir();
    else if (this.#isThere !== false) this.#stopWaiting = this.#clock.after(this.#pause, this.stir);
  }

  async #find(begins: Begins): Promise<Found | Exclude<Listed, WaitingPage>> {
    if (this.#isThere === undefined && !(await this.#client.isThere())) return "none";
    for (const driver of this.#drivers) {
      if (driver.run.isOver) this.#drivers.delete(driver);
      else await driver.look();
    }
    return this.#read(begins);
  }

  /** A page with something on it, as far as there is one. */
  async #read(wanted: Begins): Promise<Found | Exclude<Listed, WaitingPage>> {
    let begins = wanted;
    let listed = await this.#client.list(begins.at(-1));
    for (let passed = 0; passed < PASSED_OVER; passed++) {
      if (typeof listed === "string" || listed.runs.length > 0) break;
      if (listed.next === undefined) {
        const earlier = before(begins);
        if (earlier === undefined) break;
        begins = earlier;
      }
      listed = await this.#client.list(listed.next ?? begins.at(-1));
    }
    return typeof listed === "string" ? listed : { ...listed, begins };
  }

  #show(found: Found, wanted: Begins | undefined): void {
    this.#found = found;
    this.#wanted = wanted;
    const { runs, begins, next } = found;
    const isMore = next !== undefined;
    this.#shown.value = { runs, number: begins.length, isMore, isTurning: wanted !== undefined };
  }

  get #pause(): number {
    return [...this.#drivers].some(({ isWorking }) => isWorking) ? SHORT : PAUSE;
  }
}

/** The page before; none before the first. */
function before([first, ...others]: Begins): Begins | undefined {
  return others.length === 0 ? undefined : [first, ...others.slice(0, -1)];
}
