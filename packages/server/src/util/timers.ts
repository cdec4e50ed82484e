import type { Clock } from "@photon/core";

/** The value of a promise; `undefined` if it takes longer than so many milliseconds. */
export async function withTimeout<T>(
  promise: Promise<T>,
  clock: Clock,
  most: number,
): Promise<T | undefined> {
  let stop = (): void => {};
  const over = new Promise<undefined>((resolve) => {
    stop = clock.after(most, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    stop();
  }
}

/** How long a server that closes waits for a call whose input is being checked: only then it is known whether it can be detached. */
export const START_TIMEOUT_MS = 1000;
const POLL_MS = 5;

/** Resolves when a condition holds, or so many milliseconds are over. */
export async function untilTrue(isTrue: () => boolean, clock: Clock, limit: number): Promise<void> {
  for (let waited = 0; !isTrue() && waited < limit; waited += POLL_MS)
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
}

/** The least time between two expirations. */
const MIN_INTERVAL_MS = 1000;

/** One timer for everything that expires: it runs when the first entry does. */
export class ExpiryTimer {
  readonly #clock: Clock;
  readonly #expire: (now: number) => number | undefined;
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  /** `expire` removes what has expired, and returns when the next entry expires. */
  constructor(clock: Clock, expire: (now: number) => number | undefined) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** Something expires at this time. */
  schedule(time: number): void {
    if (this.#next !== undefined && this.#next.at <= time) return;
    this.stop();
    const stop = this.#clock.after(Math.max(MIN_INTERVAL_MS, time - this.#clock.now()), () => {
      this.#next = undefined;
      const next = this.#expire(this.#clock.now());
      if (next !== undefined) this.schedule(next);
    });
    this.#next = { at: time, stop };
  }

  stop(): void {
    this.#next?.stop();
    this.#next = undefined;
  }
}

export function earliest(moments: Iterable<number>): number | undefined {
  let first: number | undefined;
  for (const moment of moments) if (first === undefined || moment < first) first = moment;
  return first;
}

/** Something that starts a timer only if it is not over in the tick in which it began, as most requests are. */
export interface Deferred {
  readonly isOver: boolean;
  onNextTick(): void;
}

let begun: Deferred[] = [];

/** Calls `onNextTick` unless it is over by then. One immediate for all of a tick. */
export function runAfterTick(one: Deferred): void {
  if (begun.push(one) === 1) setImmediate(runDeferred);
}

function runDeferred(): void {
  const all = begun;
  begun = [];
  for (const one of all) if (!one.isOver) one.onNextTick();
}

/** Calls a function every `interval` milliseconds. Returns what stops it. */
export function every(clock: Clock, interval: number, act: () => void): () => void {
  let stop: (() => void) | undefined;
  const wait = (): void => {
    stop = clock.after(interval, () => {
      act();
      // Unless `act` has stopped it.
      if (stop !== undefined) wait();
    });
  };
  wait();
  return () => {
    stop?.();
    stop = undefined;
  };
}
