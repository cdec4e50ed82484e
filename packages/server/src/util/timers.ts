/** Promises and timers over an injected clock. */
import type { Clock } from "@photon/core";

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | Promise<T>) => void;
}

/** A promise, and the function that resolves it: the part of `Promise.withResolvers()` that is used here. Node 20 does not have it. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>["resolve"] | undefined;
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise;
  });
  // The executor runs before the constructor returns.
  return { promise, resolve: resolve as unknown as Deferred<T>["resolve"] };
}

/** Resolves after so many milliseconds. */
export function sleep(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(milliseconds, resolve);
  });
}

/** The value of a promise; `undefined` if it takes longer than so many milliseconds. */
export async function withTimeout<T>(
  promise: Promise<T>,
  clock: Clock,
  milliseconds: number,
): Promise<T | undefined> {
  const timeout = deferred<undefined>();
  const stop = clock.after(milliseconds, () => timeout.resolve(undefined));
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    stop();
  }
}

/** Calls a function every `interval` milliseconds. Returns a function that stops it. */
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

/** How long a server that closes waits for a call whose input is being checked: only then it is known whether it can be detached. */
export const START_TIMEOUT_MS = 1000;
const POLL_MS = 5;

/** Resolves when a condition holds, or so many milliseconds are over. */
export async function untilTrue(isTrue: () => boolean, clock: Clock, limit: number): Promise<void> {
  for (let waited = 0; !isTrue() && waited < limit; waited += POLL_MS) await sleep(clock, POLL_MS);
}

/** The least time between two expirations. */
const MIN_INTERVAL_MS = 1000;

/** One timer for everything that expires: it runs when the first entry does. */
export class ExpiryTimer {
  readonly #clock: Clock;
  readonly #expire: (now: number) => number | undefined;
  readonly #minIntervalMs: number;
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  /** `expire` removes what has expired, and returns when the next entry expires. */
  constructor(
    clock: Clock,
    expire: (now: number) => number | undefined,
    minIntervalMs: number = MIN_INTERVAL_MS,
  ) {
    this.#clock = clock;
    this.#expire = expire;
    this.#minIntervalMs = minIntervalMs;
  }

  /** An entry expires at this time. */
  schedule(time: number): void {
    if (this.#next !== undefined && this.#next.at <= time) return;
    this.stop();
    const stop = this.#clock.after(Math.max(this.#minIntervalMs, time - this.#clock.now()), () => {
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

/** The earliest of some times; undefined if there are none. */
export function earliest(times: Iterable<number>): number | undefined {
  let first: number | undefined;
  for (const time of times) if (first === undefined || time < first) first = time;
  return first;
}

/** An object that starts a timer only if it is not over in the tick in which it began, as most requests are. */
export interface AfterTick {
  readonly isOver: boolean;
  onNextTick(): void;
}

let waiting: AfterTick[] = [];

/** Calls `onNextTick` unless it is over by then. One immediate for all of a tick. */
export function runAfterTick(one: AfterTick): void {
  if (waiting.push(one) > 1) return;
  setImmediate(() => {
    const all = waiting;
    waiting = [];
    for (const each of all) if (!each.isOver) each.onNextTick();
  });
}
